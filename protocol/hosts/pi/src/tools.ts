/**
 * The tools that a model gets where its user allows them (`contextPruning.modelTools`): what left comes back, notes of
 * its own, what has to stay.
 *
 * 1. A failed call throws, as pi wants it: the model is told why.
 * 2. The handle is an argument of its own: by it ctxmgr knows the result again, and leaves it alone for a while.
 */

import { said } from "./asking.ts";
import type { Ask } from "./asking.ts";
import type { Bridge } from "./bridge.ts";
import * as keeping from "./keeping.ts";
import type { Api, Json } from "./pi.ts";
import { number } from "./showing.ts";
import type { protocol } from "../../typescript/src/index.ts";

interface Tool {
  label: string;
  description: string;
  parameters: Json;
  run: Ask<any>; // pi has checked the arguments by `parameters`
}

const text = (description: string): Json => ({ type: "string", description });
const count = (description: string): Json => ({ type: "integer", minimum: 0, description });

const TOOLS: Record<string, Tool> = {
  retrieve: {
    label: "Retrieve",
    description:
      "Get back the original of something that was taken out of the conversation to save space. " +
      "Its marker names a handle, as in `| retrieve f24p7u7i]`.",
    parameters: {
      type: "object",
      properties: {
        handle: text("The handle in the marker"),
        offset: count("The first character to show; 0 unless given"),
        limit: { ...count("How many characters to show; 20,000 unless given"), minimum: 1 },
      },
      required: ["handle"],
    },
    run: async (session, { handle, offset, limit }: protocol.RetrieveParams) => {
      const page = await session.request("retrieve", { handle, offset, limit });
      if (page.offset === 0 && page.next === null) return page.text;
      const end = page.next ?? page.total;
      const on = page.next === null ? "" : `; go on with offset ${page.next}`;
      return `${page.text}\n[characters ${page.offset} to ${end} of ${number(page.total)}${on}]`;
    },
  },
  scratchpad: {
    label: "Scratchpad",
    description:
      "Your own notes. They stay in view when older messages are removed: write down what you will need later " +
      "(decisions, findings, what is left to do), in few words.",
    parameters: {
      type: "object",
      properties: {
        op: { type: "string", enum: ["read", "overwrite", "insert", "str_replace"] },
        text: text("overwrite: all of the notes; insert: what is put in"),
        line: count("insert: after this line, 0 is before the first; at the end unless given"),
        oldText: text("str_replace: what is replaced; it stands there exactly once"),
        newText: text("str_replace: what takes its place"),
      },
      required: ["op"],
    },
    run: async (session, given: { op: string }) => {
      const edit = [given as protocol.ScratchpadOperation];
      const reads = given.op === "read";
      const notes = await (reads ? session.request("getScratchpad", {}) : session.request("editScratchpad", { operations: edit }));
      return notes.text === "" ? "The notes are empty." : notes.text;
    },
  },
  pin: {
    label: "Pin",
    description:
      "Keep what was read or said of a file, or all results of a tool, in the conversation as it is, " +
      "so that it is not taken out to save space. Pin little: what is pinned takes up room.",
    parameters: {
      type: "object",
      properties: {
        path: text("A file, or a glob such as src/*.py"),
        tool: text("A tool's name: all its results"),
        off: { type: "boolean", description: "Take this pin off" },
      },
    },
    run: async (session, { path, tool, off }: keeping.Kept & { off?: boolean }) => {
      return await (off === true ? keeping.unpin : keeping.pin)(session, { path, tool }, path ?? `tool ${tool}`);
    },
  },
};

export function offer(pi: Api, bridge: Bridge): void {
  for (const [name, { label, description, parameters, run }] of Object.entries(TOOLS)) {
    pi.registerTool?.({
      name,
      label,
      description,
      parameters,
      execute: async (_id, given, _signal, _update, context) => {
        const answer = await said(bridge, context, given, run);
        if (answer.type === "warning") throw new Error(answer.text);
        return { content: [{ type: "text", text: answer.text }], details: {} };
      },
    });
  }
}
