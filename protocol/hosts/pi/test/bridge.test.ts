// A start that fails, with real processes: what the user is told, and when.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Bridge } from "../src/bridge.ts";
import { register } from "../src/commands.ts";
import type { Context } from "../src/pi.ts";
import { context } from "./events.ts";

const LENT = { program: async () => ({}), models: async () => ({}) };
const PATIENT_MS = 60_000;

/** What the user is told at the start and by /ctx-status right after it, with these settings in pi's file. */
async function told(settings: object, variable = ""): Promise<{ start: string[]; status: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "ctxmgr-pi-"));
  const before = { ...process.env };
  const bridge = new Bridge(LENT);
  const commands = new Map<string, (args: string, context: Context) => Promise<void>>();
  register({ on: () => undefined, registerCommand: (name, { handler }) => commands.set(name, handler) }, bridge);
  try {
    mkdirSync(join(folder, "agent"));
    writeFileSync(join(folder, "agent", "settings.json"), JSON.stringify(settings));
    Object.assign(process.env, { PI_CODING_AGENT_DIR: join(folder, "agent"), CTXMGR_COMMAND: variable });
    const here = context({ cwd: folder });
    await bridge.told(here, PATIENT_MS, () => bridge.begin(here));
    const start = here.notified.splice(0);
    await commands.get("ctx-status")?.("", here);
    return { start, status: [...here.notified] };
  } finally {
    await bridge.end();
    for (const name of ["PI_CODING_AGENT_DIR", "CTXMGR_COMMAND"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(folder, { recursive: true });
  }
}

test("right after a failed start the status tells the cause", async () => {
  const command = [process.execPath, "-e", "process.exit(3)"];
  const { start, status } = await told({ contextPruning: { command } });
  const line = `ctxmgr does not answer (${process.execPath} exited with code 3): pi goes on without it. See /ctx-status`;
  assert.deepEqual([start, status], [[line], [`ctxmgr: ${process.execPath} exited with code 3`]]);
});

test("a command that cannot be read is said, and the variable stands in", async () => {
  const variable = JSON.stringify([process.execPath, "-e", "process.exit(4)"]);
  const { start, status } = await told({ contextPruning: { command: 5 } }, variable);
  assert.deepEqual(start, [
    "ctxmgr: contextPruning.command in pi's settings cannot be read, and is passed over",
    `ctxmgr does not answer (${process.execPath} exited with code 4): pi goes on without it. See /ctx-status`,
  ]);
  assert.deepEqual(status, [`ctxmgr: ${process.execPath} exited with code 4`]);
});

test("a command as one text is run", async () => {
  const { start, status } = await told({ contextPruning: { command: "/nowhere/ctxmgr --quick" } });
  assert.deepEqual(start, ["ctxmgr is not to be found: pi goes on without it. pip install ctxmgr-sidecar"]);
  assert.deepEqual(status, ["ctxmgr: /nowhere/ctxmgr cannot be started: no such program, ENOENT"]);
});
