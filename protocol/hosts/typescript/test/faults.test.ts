// Processes that fail in every way there is: the host's call goes on, and the host hears why, once.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault, SidecarOptions } from "../src/index.ts";
import { startSidecar } from "../src/index.ts";
import { StandingClock } from "./clock.ts";
import { asGiven, MODEL, peer, Said, script, using } from "./children.ts";

const SOON = { initialize: 200, session_start: 200, context: 100, turn_end: 100, getStatus: 100 };
const PATIENT = { context: 20_000 }; // where something else is to end the wait
const NEVER = { limit: 0 };
const LIST = [{ role: "user", content: "Fix it." }];
const TURN = { message: { role: "assistant", content: [] }, toolResults: [] };

// name, process, kind of fault
const BAD: [string, string[], Fault["kind"]][] = [
  ["missing", ["/nowhere/ctxmgr"], "missing"],
  ["no program", [process.cwd()], "missing"],
  ["exits at once", script("process.exit(3)"), "exited"],
  ["says JSON before it ends", script(`console.error(JSON.stringify(["x".repeat(900) + "Fix it"])); process.exitCode = 1`), "exited"],
  ["says why it ends", script("console.error('one\\nno module named ctxmgr\\n'); process.exitCode = 1"), "exited"],
  ["exits after the greeting", peer("answers.session_start = () => process.exit(3)"), "exited"],
  ["never answers", script("process.stdin.resume()"), "timeout"],
  ["never answers context", peer("answers.context = () => undefined"), "timeout"],
  ["never reads", script("setInterval(() => undefined, 1000)"), "timeout"],
  ["writes no protocol", script("console.log('hello'); process.stdin.resume()"), "garbage"],
  ["writes half a header", peer("answers.context = () => process.stdout.write('Content-Length: x\\r\\n\\r\\n')"), "garbage"],
  ["writes no JSON", peer("answers.context = () => void process.stdout.write('Content-Length: 3\\r\\n\\r\\n{]}')"), "garbage"],
  ["answers another shape", peer("answers.context = () => 42"), "garbage"],
  ["greets with another shape", peer("answers.initialize = () => 'hello'"), "garbage"],
  ["refuses", peer("answers.context = () => fail(-32603)"), "error"],
  ["refuses the greeting", peer("answers.initialize = () => fail(-32602)"), "error"],
  ["refuses the session", peer("answers.session_start = () => fail(-32803)"), "error"],
  ["closes its output", peer("answers.context = () => void require('node:fs').closeSync(1)"), "exited"],
  ["closes its input", peer("answers.context = () => void process.stdin.destroy()"), "exited"],
  ["dies in the middle of a call", peer("answers.context = () => process.kill(process.pid, 'SIGKILL')"), "exited"],
];

const MESSAGES: Record<string, RegExp> = {
  missing: /^\/nowhere\/ctxmgr cannot be started: no such program, ENOENT$/,
  "exits at once": /exited with code 3$/,
  "says JSON before it ends": /exited with code 1$/,
  "says why it ends": /exited with code 1: no module named ctxmgr$/,
  "no program": / cannot be started: EACCES$/,
  "closes its output": /closed its output$/,
  "dies in the middle of a call": /was killed by SIGKILL$|closed its output$/,
};

for (const [name, command, kind] of BAD) {
  test(`a process that ${name}`, async () => {
    const faults: Fault[] = [];
    const timeoutsMs = kind === "timeout" ? SOON : PATIENT;
    const options: SidecarOptions = { command, timeoutsMs, restart: NEVER, onFault: (fault) => faults.push(fault) };
    await using(options, async (sidecar) => {
      const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
      asGiven(await session.context(LIST), LIST);
      assert.equal(sidecar.lastFault?.kind === "gaveUp" ? faults[0]?.kind : sidecar.lastFault?.kind, kind);
      assert.equal(session.lastReport, undefined);
      const longer = [...LIST, { role: "user", content: "And this." }];
      asGiven(await session.context(longer), longer);
      assert.deepEqual(faults.map((fault) => fault.kind).filter((one) => one !== "gaveUp"), [kind]);
      if (name in MESSAGES) assert.match(faults[0]!.message, MESSAGES[name]!);
      assert.ok(faults.every((fault) => !fault.message.includes("Fix it")));
    });
  });
}

test("a list is an array of the caller's own, whatever is done to it", async () => {
  const said = new Said();
  await using({ command: peer(), onStderr: said.listen }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    const messages: object[] = [...LIST];
    const sent = await session.context(messages);
    sent.push({ role: "user", content: "For this call alone." });
    assert.deepEqual(messages, LIST);
    sent.length = 0;
    messages.push({ role: "assistant", content: "Done." });
    asGiven(await session.context(messages), messages);
    const [, second] = await said.until("context", 2);
    assert.deepEqual(second.params.append, { after: 1, base: "b", messages: messages.slice(1) });
  });
});

test("the folder that is not there is named, not the program", async () => {
  await using({ command: [process.execPath], cwd: "/nowhere" }, async (sidecar) => {
    await sidecar.session({ sessionId: "s", model: MODEL });
    assert.equal(sidecar.lastFault?.message, `${process.execPath} cannot be started: no folder /nowhere, ENOENT`);
  });
});

test("what is told to a dead process is undefined, what is asked by name rejects", async () => {
  await using({ command: ["/nowhere/ctxmgr"] }, async (sidecar) => {
    const session = await sidecar.session({ sessionId: "s", model: MODEL });
    assert.equal(sidecar.state, "failed");
    assert.equal(session.restored, undefined);
    const told = [
      session.turnEnd(TURN as any),
      session.modelSelect(MODEL),
      session.sessionCompact({ compactionEntry: { summary: "all" } } as any),
      session.sessionCompactFailed({ reason: "failed" }),
      session.sessionTree({ newLeafId: null } as any),
      session.beforeCompact({ preparation: {} } as any),
      session.beforeTree({ preparation: {} } as any),
      session.status(),
    ];
    assert.deepEqual(await Promise.all(told), told.map(() => undefined));
    const missing = { name: "SidecarFault", kind: "missing" };
    await assert.rejects(session.request("getLedger", {}), missing);
    await assert.rejects(sidecar.request("rpc.discover" as any, {}), missing);
    await session.end();
  });
});

test("the last projection goes on when the process dies", async () => {
  const dies = `
    answers.context = ({ messages, append }) => {
      if (append) process.exit(1);
      return { base: "b", report: {}, edits: [{ put: { role: "custom", content: "packet" } }, { keep: [2, 3] }] };
    };`;
  await using({ command: peer(dies), restart: NEVER }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    const list: object[] = [1, 2, 3].map((number) => ({ role: "user", content: `ask ${number}` }));
    const first = await session.context(list);
    assert.deepEqual(first, [{ role: "custom", content: "packet" }, list[2]]);
    list.push({ role: "user", content: "ask 4" });
    const second = await session.context(list);
    assert.deepEqual([second.length, second[1] === list[2], second[2] === list[3]], [3, true, true]);
    assert.deepEqual(second[0], first[0]);
  });
});

test("a process that dies while megabytes are on their way to it", async () => {
  const dies = "answers.session_start = () => (process.stdin.on('data', () => process.exit(1)), { restored: false })";
  await using({ command: peer(dies), restart: NEVER }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    const list = [{ role: "user", content: "x".repeat(8_000_000) }];
    asGiven(await session.context(list), list);
    assert.equal(sidecar.state, "failed");
  });
});

test("nonsense for an answer to turn_end is a fault, and nothing is thrown", async () => {
  const answers = ["5", "null", "{}", "{ commands: 5 }", "{ commands: [null] }", "{ commands: [{ method: 'x' }] }"];
  const command = peer(`const odd = [${answers}]; answers.turn_end = () => odd.shift()`);
  const faults: Fault[] = [];
  let asked = 0;
  const onRequestCompaction = (): { accepted: boolean } => ({ accepted: asked++ > 0 });
  await using({ command, onFault: (fault) => faults.push(fault), onRequestCompaction }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    for (const answer of answers) {
      assert.equal(await session.turnEnd(TURN as any), undefined, answer);
      assert.deepEqual([sidecar.lastFault?.kind, sidecar.lastFault?.method], ["garbage", "turn_end"], answer);
    }
    assert.deepEqual([faults.length, asked, sidecar.state], [1, 0, "ready"]);
  });
});

test("a list that cannot be sent costs only itself", async () => {
  await using({ command: peer() }, async (sidecar) => {
    const session = await sidecar.session<any>({ sessionId: "s", model: MODEL });
    const round: any = { role: "user" };
    round.content = round;
    for (const odd of [{ role: "user", content: 1n }, round, null]) {
      const list = [odd];
      asGiven(await session.context(list), list);
    }
    asGiven(await session.context(LIST), LIST);
    assert.equal(sidecar.lastFault, undefined);
    assert.equal(sidecar.state, "ready");
  });
});

test("a stretch of faults is told once, and over when it works again", async () => {
  const faults: (Fault | "over")[] = [];
  const said = new Said();
  const moody = "let calls = 0; answers.context = (params) => calls++ % 3 < 2 ? fail(-32603) : whole(params)";
  const onFault = (fault: Fault): void => void faults.push(fault);
  const onRecovery = (): void => void faults.push("over");
  const options = { command: peer(moody), onStderr: said.listen, onFault, onRecovery };
  await using(options, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    const states: (string | undefined)[] = [];
    for (let call = 0; call < 6; call++) {
      await session.context(LIST);
      await session.turnEnd(TURN as any); // works all the time, and ends no stretch of another method
      states.push(sidecar.lastFault?.kind);
    }
    assert.deepEqual(states, ["error", "error", undefined, "error", "error", undefined]);
    const told = faults.map((one) => (one === "over" ? one : [one.kind, one.method, one.code]));
    const fault = ["error", "context", -32603];
    assert.deepEqual(told, [fault, "over", fault, "over"]);
    const travelled = said.of("context").map(({ params }) => (params.append ? "new" : "whole"));
    assert.deepEqual(travelled, ["whole", "whole", "whole", "new", "whole", "whole"]);
  });
});

test("a base that is not the state any more sends the whole list", async () => {
  const said = new Said();
  const stale = "answers.context = (params) => params.append ? fail(-32801) : whole(params)";
  await using({ command: peer(stale), onStderr: said.listen }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    await session.context(LIST);
    const longer = [...LIST, { role: "user", content: "And this." }];
    asGiven(await session.context(longer), longer);
    const sent = said.of("context").map(({ params }) => [params.messages?.length, params.append?.messages.length]);
    assert.deepEqual(sent, [[1, undefined], [undefined, 1], [2, undefined]]);
    assert.equal(sidecar.lastFault, undefined);
  });
});

test("a flood on stderr holds nothing up", async () => {
  const MEGABYTE = 1_048_576;
  let bytes = 0;
  const flood = `
    const { writeSync } = require("node:fs");
    answers.context = (params) => {
      const flood = Buffer.alloc(4 * ${MEGABYTE}, "x");
      for (let at = 0; at < flood.length; ) {
        try {
          at += writeSync(2, flood, at);
        } catch (full) {
          if (full.code !== "EAGAIN") throw full;
        }
      }
      return whole(params);
    };`;
  await using({ command: peer(flood), onStderr: (text) => void (bytes += text.length) }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    asGiven(await session.context(LIST), LIST);
    assert.equal(sidecar.lastFault, undefined);
  });
  assert.ok(bytes > 3 * MEGABYTE); // the rest is still on its way
});

test("callbacks that throw hurt nobody", async () => {
  const thrower = (): never => {
    throw new Error("the host's own");
  };
  const asks = "answers.context = (params) => { write({ id: 'ask', method: 'requestCompaction', params: {} }); return whole(params) }";
  const said = new Said();
  const onStderr = (text: string): never => {
    said.listen(text);
    return thrower();
  };
  const options = { command: peer(asks), onStderr, onFault: thrower, onRequestCompaction: thrower };
  await using(options, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    await session.context(LIST);
    const [answer] = await said.until(undefined as any, 1);
    assert.deepEqual(answer.result, { accepted: false, reason: "the host's callback failed" });
    await assert.rejects(session.request("nope" as any, {}, { timeoutMs: 50 }), { kind: "timeout" });
    assert.equal(sidecar.state, "ready");
  });
});

test("after the end nothing is told, and lists go on", async () => {
  const faults: Fault[] = [];
  const sidecar = startSidecar({ command: peer(), onFault: (fault) => faults.push(fault) });
  const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
  await sidecar.dispose();
  asGiven(await session.context(LIST), LIST);
  assert.equal(await session.turnEnd(TURN as any), undefined);
  await assert.rejects(sidecar.request("getStatus", { sessionId: "s" }), { kind: "disposed" });
  assert.deepEqual(faults, []);
});

test("a list that is not answered is told with the whole bound", async () => {
  class Late extends StandingClock {
    override now(): number {
      this.advance(1);
      return super.now();
    }
  }
  const clock = new Late();
  const faults: Fault[] = [];
  const command = peer("answers.context = () => undefined");
  const options = { command, clock, restart: NEVER, onFault: (fault: Fault) => faults.push(fault) };
  await using(options, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    const list = session.context(LIST);
    await clock.pass(2_000);
    asGiven(await list, LIST);
    assert.deepEqual(faults.map((fault) => fault.message), ["no answer to context within 2000 ms"]);
  });
});
