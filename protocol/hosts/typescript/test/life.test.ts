// A process that is late, and one that hangs, on a clock that stands until it is moved.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault, Session, Sidecar } from "../src/index.ts";
import { SidecarFault } from "../src/index.ts";
import { Life } from "../src/life.ts";
import { asGiven, MODEL, peer, Said, using } from "./children.ts";
import { StandingClock } from "./clock.ts";

const LIST = [{ role: "user", content: "Fix it." }];
const LATE = new SidecarFault("timeout", "late");
const [SHORT_MS, OTHER_MS, HANG_MS] = [2_000, 5_000, 15_000]; // of context, of getStatus, of the process

function life(): { clock: StandingClock; one: Life; ended: Fault[] } {
  const [clock, ended] = [new StandingClock(), [] as Fault[]];
  return { clock, one: new Life(clock, HANG_MS, (fault) => ended.push(fault)), ended };
}

test("who is late is in doubt until there is a sign of life", () => {
  const { clock, one, ended } = life();
  assert.equal(one.doubted, false);
  one.late(LATE);
  assert.equal(one.doubted, true);
  clock.advance(HANG_MS - 1);
  one.sign();
  clock.advance(HANG_MS);
  assert.deepEqual([one.doubted, ended], [false, []]);
});

test("who gives no sign hangs, from the first late call on", () => {
  const { clock, one, ended } = life();
  one.late(LATE);
  clock.advance(HANG_MS - 1);
  one.late(LATE);
  assert.deepEqual(ended, []);
  clock.advance(1);
  assert.deepEqual(ended, [LATE]);
});

test("who answers no call is of no use, though it lives", () => {
  const { one, ended } = life();
  for (let call = 0; call < 4; call++) {
    one.late(LATE);
    one.sign();
  }
  assert.deepEqual(ended, []);
  one.answered();
  for (let call = 0; call < 5; call++) {
    assert.deepEqual(ended, []);
    one.late(LATE);
    one.sign();
  }
  assert.deepEqual(ended, [LATE]);
});

async function served(
  body: string,
  run: (given: { sidecar: Sidecar; session: Session<object>; clock: StandingClock; said: Said }) => Promise<void>,
): Promise<void> {
  const [clock, said] = [new StandingClock(), new Said()];
  await using({ command: peer(body), clock, onStderr: said.listen, restart: { limit: 0 } }, async (sidecar) => {
    const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
    await run({ sidecar, session, clock, said });
  });
}

test("a late answer costs its own call: it is cancelled, and the next one is asked for", async () => {
  const slow = `
    let late; // the first list is answered when it is cancelled, as ctxmgr does
    answers.context = (params, id) => (late === undefined ? void (late = id) : whole(params));
    answers["$/cancelRequest"] = ({ id }) => write({ id, error: { code: -32800, message: "cancelled" } });`;
  await served(slow, async ({ sidecar, session, clock, said }) => {
    const first = session.context(LIST);
    await clock.pass(SHORT_MS);
    asGiven(await first, LIST);
    assert.equal(sidecar.lastFault?.kind, "timeout");
    const [cancel] = await said.until("$/cancelRequest", 1);
    assert.equal(cancel.params.id, said.of("context")[0].id);
    while (said.of("context").length < 2) {
      asGiven(await session.context(LIST), LIST); // not sent while the answer to the cancelling is on its way
      await new Promise(setImmediate);
    }
    assert.equal(sidecar.lastFault, undefined);
  });
});

test("a process that was late for once is kept", async () => {
  const once = `
    let lists = 0;
    answers.context = (params) => (lists++ === 0 ? undefined : whole(params));
    answers.getStatus = () => ({ zone: "green" });`;
  await served(once, async ({ sidecar, session, clock, said }) => {
    const first = session.context(LIST);
    await clock.pass(SHORT_MS);
    await first;
    asGiven(await session.context(LIST), LIST); // in doubt: not sent
    assert.deepEqual(await session.status(), { zone: "green" }); // a sign of life
    await said.until("getStatus", 1);
    assert.equal(said.of("context").length, 1);
    asGiven(await session.context(LIST), LIST);
    await said.until("context", 2);
    assert.deepEqual([sidecar.lastFault, session.lastReport], [undefined, {}]);
    clock.advance(HANG_MS);
    assert.deepEqual(await session.status(), { zone: "green" });
    assert.equal(sidecar.state, "ready");
  });
});

test("while a process is in doubt no list waits for it, and then it is replaced", async () => {
  await served("answers.context = () => undefined", async ({ sidecar, session, clock, said }) => {
    const first = session.context(LIST);
    await clock.pass(SHORT_MS);
    await first;
    for (let call = 0; call < 9; call++) asGiven(await session.context(LIST), LIST);
    const asked = sidecar.request("getStatus", { sessionId: "s" });
    await said.until("getStatus", 1);
    assert.equal(said.of("context").length, 1);
    assert.equal(sidecar.state, "ready");
    clock.advance(HANG_MS);
    await assert.rejects(asked);
    await assert.rejects(sidecar.request("getStatus", { sessionId: "s" }), { kind: /timeout|gaveUp/ });
    assert.equal(sidecar.state, "failed");
  });
});

test("so is one that lives, and answers none of five calls", async () => {
  const busy = "answers.getStatus = () => void write({ method: '$/progress', params: { token: 'x', value: {} } });";
  await served(busy, async ({ sidecar, clock }) => {
    for (let call = 0; call < 5; call++) {
      assert.equal(sidecar.state, "ready");
      const asked = sidecar.request("getStatus", { sessionId: "s" });
      await Promise.all([clock.pass(OTHER_MS), assert.rejects(asked, { kind: "timeout" })]);
    }
    await assert.rejects(sidecar.request("getStatus", { sessionId: "s" }), { kind: /timeout|gaveUp/ });
    assert.equal(sidecar.state, "failed");
  });
});

test("what may wait for a model casts no doubt", async () => {
  await served("answers.context = whole", async ({ sidecar, session, clock, said }) => {
    const compaction = session.beforeCompact({ preparation: {} as any, deadlineMs: 1_000 });
    await clock.pass(6_000);
    assert.equal(await compaction, undefined);
    clock.advance(HANG_MS);
    asGiven(await session.context(LIST), LIST);
    await said.until("context", 1);
    assert.deepEqual([sidecar.state, session.lastReport], ["ready", {}]);
  });
});
