// What the host waits for while ctxmgr comes up, and what it is told when it does not.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../src/index.ts";
import { asGiven, MODEL, peer, Said, script, using } from "./children.ts";
import { StandingClock } from "./clock.ts";

const LIST = [{ role: "user", content: "Fix it." }];

test("a process that hangs at its start is not waited for", async () => {
  const faults: Fault[] = [];
  const clock = new StandingClock();
  const options = { command: script("process.stdin.resume()"), clock, onFault: (fault: Fault) => faults.push(fault) };
  await using(options, async (sidecar) => {
    const opened = sidecar.session<object>({ sessionId: "s", model: MODEL });
    await clock.pass(5_000);
    const session = await opened;
    assert.deepEqual([sidecar.state, session.restored], ["starting", undefined]);
    asGiven(await session.context(LIST), LIST); // the clock stands
    assert.equal(await session.turnEnd({ message: LIST[0]! }), undefined);
    assert.equal(sidecar.lastFault?.message, "ctxmgr is starting");
    const asked = assert.rejects(session.request("getStatus", {}), { kind: "timeout", method: "initialize" });
    clock.advance(5_000); // that much is left of the ten seconds that the greeting may take
    await asked;
    asGiven(await session.context(LIST), LIST);
    assert.equal(sidecar.lastFault?.method, "initialize");
    assert.deepEqual(faults.map(({ kind }) => kind), ["starting"]);
  });
});

test("a session that is not up in time is told of later", async () => {
  const said = new Said();
  const clock = new StandingClock();
  const slow = `
    let starts = 0;
    answers.session_start = () => (starts++ ? { restored: false } : undefined);`;
  await using({ command: peer(slow), clock, sessionMs: 700, onStderr: said.listen }, async (sidecar) => {
    const opened = sidecar.session<object>({ sessionId: "s", model: MODEL });
    await said.until("session_start", 1);
    await clock.pass(700);
    const session = await opened;
    asGiven(await session.context(LIST), LIST);
    assert.equal(sidecar.lastFault?.message, "the session is starting");
    clock.advance(9_300); // it is given up, ten seconds after it was asked for
    await said.until("$/cancelRequest", 1);
    asGiven(await session.context(LIST), LIST);
    assert.deepEqual([session.restored, sidecar.lastFault], [false, undefined]);
  });
});

test("who asks by name while a session is being started hears what came of it", async () => {
  const said = new Said();
  const refuses = `
    let starts = 0;
    answers.session_start = (_, id) => { starts++ ? setImmediate(() => write({ id, error: { code: -32803 } })) : fail(-32803) };`;
  await using({ command: peer(refuses), onStderr: said.listen }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    const list = session.context(LIST); // starts it again
    await assert.rejects(session.request("getStatus", {}), { kind: "error", code: -32803, method: "session_start" });
    asGiven(await list, LIST);
    assert.equal(said.of("session_start").length, 2);
  });
});
