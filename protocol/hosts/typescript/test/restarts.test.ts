// What happens after the process has ended, on a clock that stands until it is moved.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../src/index.ts";
import { Restarts } from "../src/restarts.ts";
import { asGiven, MODEL, peer, Said, script, using } from "./children.ts";
import { StandingClock } from "./clock.ts";

const LIST = [{ role: "user", content: "Fix it." }];
const MORE = [...LIST, { role: "user", content: "And this." }];
const DIES = "answers.getStatus = () => process.exit(9)";

test("each restart waits twice as long as the one before, until there were enough", () => {
  const restarts = new Restarts({ limit: 4, withinMs: 1_000, firstDelayMs: 10, longestDelayMs: 35 });
  const delays = [0, 1, 2, 3, 4, 999, 1_001].map((now) => restarts.delay(now));
  assert.deepEqual(delays, [10, 20, 35, 35, undefined, undefined, 35]);
});

test("a new process hears of the sessions, and gets the whole list", async () => {
  const said = new Said();
  const clock = new StandingClock();
  let tree = [{ id: "e1" }];
  await using({ command: peer(DIES), clock, onStderr: said.listen }, async (sidecar) => {
    const open = { model: MODEL, cwd: "/project" };
    const told = await sidecar.session<object>({ ...open, sessionId: "told", entries: () => tree, leafId: () => "e1" });
    const given = await sidecar.session<object>({ ...open, sessionId: "given", entries: tree });
    const ended = await sidecar.session<object>({ ...open, sessionId: "ended" });
    await ended.end();
    await told.context(LIST);
    await told.modelSelect({ id: "other", contextWindow: 100_000 });
    assert.equal(await told.status(), undefined);
    assert.equal(sidecar.state, "waiting");
    asGiven(await told.context(MORE), MORE);
    tree = [...tree, { id: "e2" }];
    await clock.pass(250);
    assert.equal(sidecar.state, "starting");
    assert.equal(await sidecar.session({ ...open, sessionId: "told" }), told); // ready again
    asGiven(await told.context(MORE), MORE);
    assert.equal(sidecar.lastFault, undefined);
    const started = said.of("session_start").map(({ params }) => params);
    assert.deepEqual(started.slice(3), [
      { sessionId: "told", cwd: "/project", model: { id: "other", contextWindow: 100_000 }, entries: tree, leafId: "e1" },
      { sessionId: "given", cwd: "/project", model: MODEL },
    ]);
    assert.equal(given.restored, false);
    const lists = said.of("context").map(({ params }) => [params.messages?.length, params.append?.after]);
    assert.deepEqual(lists, [[1, undefined], [2, undefined]]);
    assert.equal(said.of("initialize").length, 2);
  });
});

test("restarts are given up, told, and tried again when asked for", async () => {
  const faults: Fault["kind"][] = [];
  const clock = new StandingClock();
  const options = { command: script("process.exit(3)"), clock, restart: { limit: 3, firstDelayMs: 100 } };
  await using({ ...options, onFault: ({ kind }) => faults.push(kind) }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    for (const delay of [100, 200, 400]) {
      assert.equal(sidecar.state, "waiting");
      await clock.pass(delay);
      await assert.rejects(sidecar.request("rpc.discover", {}), { kind: delay === 400 ? "gaveUp" : "exited" });
    }
    assert.equal(sidecar.state, "failed");
    asGiven(await session.context(LIST), LIST);
    assert.deepEqual(faults, ["exited"]);
    assert.match(sidecar.lastFault?.message ?? "", /exited with code 3/);
    sidecar.restart();
    assert.equal(sidecar.state, "starting");
    await assert.rejects(sidecar.request("rpc.discover", {}), { kind: "exited" });
    assert.equal(sidecar.state, "waiting");
  });
});

test("what will not mend itself is not tried again", async () => {
  for (const command of [["/nowhere/ctxmgr"], peer("answers.initialize = () => fail(-32602)")]) {
    await using({ command }, async (sidecar) => {
      await assert.rejects(sidecar.request("rpc.discover", {}));
      assert.equal(sidecar.state, "failed");
    });
  }
});

test("a process that does not answer its greeting in time is replaced", async () => {
  const clock = new StandingClock();
  await using({ command: script("process.stdin.resume()"), clock, sessionMs: 20_000 }, async (sidecar) => {
    const session = sidecar.session<object>({ sessionId: "s", model: MODEL });
    await clock.pass(10_000);
    await session;
    assert.equal(sidecar.state, "waiting");
    assert.equal(sidecar.lastFault?.kind, "timeout");
  });
});

test("a session that the process has forgotten, or refused, is started again by the next call", async () => {
  const said = new Said();
  const moody = `
    let starts = 0;
    answers.session_start = () => (starts++ ? { restored: true } : fail(-32803));
    let lists = 0;
    answers.context = (params) => (lists++ === 1 ? fail(-32001) : whole(params));`;
  await using({ command: peer(moody), onStderr: said.listen }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    assert.deepEqual([session.restored, sidecar.lastFault?.code], [undefined, -32803]);
    for (let call = 0; call < 3; call++) asGiven(await session.context(LIST), LIST);
    assert.deepEqual([session.restored, sidecar.lastFault], [true, undefined]);
    assert.equal(said.of("session_start").length, 3);
    assert.equal(said.of("context").length, 3);
  });
});
