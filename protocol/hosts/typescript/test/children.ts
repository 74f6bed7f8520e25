// Processes to be spawned in the sidecar's place, written out as scripts, and the real one.

import assert from "node:assert/strict";
import type { Sidecar, SidecarOptions } from "../src/index.ts";
import { commandWords, startSidecar } from "../src/index.ts";

/** The real sidecar: `CTXMGR_COMMAND`, else `ctxmgr` on the path. */
export const REAL: readonly string[] = commandWords(process.env.CTXMGR_COMMAND ?? "") ?? ["ctxmgr"];

/** That a list holds the messages that were given, and is an array of its own. */
export function asGiven(list: readonly object[], given: readonly object[]): void {
  assert.notEqual(list, given);
  assert.equal(list.length, given.length);
  list.forEach((message, at) => assert.equal(message, given[at]));
}

export const MODEL = { id: "m", contextWindow: 200_000 };

// Answers by `answers[method](params)`, undefined is no answer; says on stderr what it hears, a line each.
const PEER = `
const write = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
};
const fail = (code) => { throw { code, message: "as told" }; };
const whole = ({ messages, append }) => ({ base: "b", report: {}, unchanged: true });
const answers = {
  initialize: () => ({ protocolVersion: "1.0" }),
  session_start: () => ({ restored: false, status: { zone: "green" } }),
  context: whole,
  turn_end: () => ({ commands: [], status: { zone: "green" } }),
  model_select: () => ({ status: { zone: "green" } }),
  session_shutdown: () => null,
  shutdown: () => null,
  exit: () => process.exit(0),
};
const hear = (message) => {
  process.stderr.write(JSON.stringify(message) + "\\n");
  const { id, method, params } = message;
  try {
    const result = answers[method]?.(params, id);
    if (id !== undefined && result !== undefined) write({ id, result });
  } catch (error) {
    write({ id, error });
  }
};
let held = Buffer.alloc(0);
process.stdin.on("data", (bytes) => {
  held = Buffer.concat([held, bytes]);
  for (;;) {
    const head = held.indexOf("\\r\\n\\r\\n");
    if (head < 0) return;
    const end = head + 4 + Number(/content-length: (\\d+)/i.exec(held.toString("latin1", 0, head))[1]);
    if (held.length < end) return;
    const body = held.toString("utf8", head + 4, end);
    held = held.subarray(end);
    hear(JSON.parse(body));
  }
});
`;

/** A command for a process that runs this script. */
export const script = (body: string): string[] => [process.execPath, "-e", body];

/** A well-behaved peer, but for what `body` changes. */
export const peer = (body = ""): string[] => script(PEER + body);

/** All that children said on stderr, by lines. */
export class Said {
  #text = "";
  #watchers: (() => void)[] = [];

  readonly listen = (text: string): void => {
    this.#text += text;
    for (const watcher of this.#watchers.splice(0)) watcher();
  };

  get messages(): any[] {
    return this.#text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  of(method: string): any[] {
    return this.messages.filter((message) => message.method === method);
  }

  /** Resolves once so many messages of a method were heard. */
  async until(method: string, count: number): Promise<any[]> {
    const alive = setInterval(() => undefined, 1_000); // a sidecar keeps no process alive
    while (this.of(method).length < count) await new Promise<void>((resolve) => this.#watchers.push(resolve));
    clearInterval(alive);
    return this.of(method);
  }
}

/** Runs `body` with a sidecar that is gone afterwards, whatever came. */
export async function using(options: SidecarOptions, body: (sidecar: Sidecar) => Promise<void>): Promise<void> {
  const sidecar = startSidecar(options);
  try {
    await body(sidecar);
  } finally {
    await sidecar.dispose();
  }
}
