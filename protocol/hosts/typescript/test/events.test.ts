// Events: what one process has not answered is told to the next one, in order and once.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault, Session, Sidecar } from "../src/index.ts";
import { asGiven, MODEL, peer, Said, using } from "./children.ts";
import { StandingClock } from "./clock.ts";

const LIST = [{ role: "user", content: "Fix it." }];
const [SHORT_MS, OTHER_MS, HANG_MS, DELAY_MS, PROBE_MS] = [2_000, 5_000, 15_000, 250, 7_000];
const turn = (text: string) => ({ message: { role: "assistant", content: text } });

interface Given {
  sidecar: Sidecar;
  session: Session<object>;
  clock: StandingClock;
  said: Said;
  /** What was told by `turn_end`, to all processes. */
  turns(): string[];
  heard: (Fault["kind"] | "over")[];
}

async function served(body: string, run: (given: Given) => Promise<void>): Promise<void> {
  const [clock, said] = [new StandingClock(), new Said()];
  const heard: Given["heard"] = [];
  const told = { onFault: ({ kind }: Fault) => void heard.push(kind), onRecovery: () => void heard.push("over") };
  const alive = setInterval(() => undefined, 1_000); // a sidecar keeps no process alive
  const options = { command: peer(body), clock, probeMs: PROBE_MS, onStderr: said.listen, ...told };
  try {
    await using(options, async (sidecar) => {
      const session = await sidecar.session<object>({ sessionId: "s", model: MODEL });
      const turns = (): string[] => said.of("turn_end").map(({ params }) => params.message.content);
      await run({ sidecar, session, clock, said, turns, heard });
    });
  } finally {
    clearInterval(alive);
  }
}

/** A file that is there from the second process on. */
const FIRST = `
const { existsSync, writeFileSync } = require("node:fs");
const flag = process.env.CTXMGR_FLAG;
const first = !existsSync(flag);
writeFileSync(flag, "");`;

async function flagged(run: () => Promise<void>): Promise<void> {
  const { mkdtempSync, rmSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const folder = mkdtempSync(join(tmpdir(), "ctxmgr-"));
  process.env.CTXMGR_FLAG = join(folder, "flag");
  try {
    await run();
  } finally {
    delete process.env.CTXMGR_FLAG;
    rmSync(folder, { recursive: true });
  }
}

test("what was said to a process that hangs is told to the next one", async () => {
  const hangs = `${FIRST}
    if (first) for (const one of ["turn_end", "context", "session_compact"]) answers[one] = () => undefined;
    else answers.session_compact = () => ({ status: { zone: "green" } });`;
  await flagged(() =>
    served(hangs, async ({ sidecar, session, clock, said, turns, heard }) => {
      const one = session.turnEnd(turn("one"));
      await clock.pass(OTHER_MS);
      assert.equal(await one, undefined);
      asGiven(await session.context(LIST), LIST); // nobody waits for one in doubt
      assert.equal(await session.sessionCompact({ compactionEntry: { summary: "All is well." } }), undefined);
      assert.equal(await session.turnEnd(turn("two")), undefined);
      await said.until("turn_end", 2);
      const before = said.messages.length;
      const gone = assert.rejects(sidecar.request("getStatus", { sessionId: "s" }));
      await said.until("getStatus", 1);
      clock.advance(HANG_MS);
      await gone;
      await clock.pass(DELAY_MS);
      await said.until("turn_end", 4);
      asGiven(await session.context(LIST), LIST);
      const events = ["session_start", "turn_end", "session_compact", "context"];
      const then = said.messages.slice(before).map(({ method }) => method);
      assert.deepEqual(then.filter((method) => events.includes(method)), [
        "session_start",
        "turn_end",
        "session_compact",
        "turn_end",
        "context",
      ]);
      assert.deepEqual(turns(), ["one", "two", "one", "two"]);
      assert.deepEqual(heard, ["timeout", "over"]);
      assert.equal(sidecar.lastFault, undefined);
    }),
  );
});

test("a late answer is an answer: nothing is taken back, and nothing told twice", async () => {
  const late = `
    let asked;
    answers.turn_end = (_, id) => void (asked = id);
    answers.getStatus = () => {
      write({ id: asked, result: { commands: [], status: { zone: "red" } } });
      return { zone: "green" };
    };`;
  await served(late, async ({ sidecar, session, clock, said, turns, heard }) => {
    const one = session.turnEnd(turn("one"));
    await clock.pass(OTHER_MS);
    assert.equal(await one, undefined);
    assert.equal((await session.status())?.zone, "green");
    assert.equal(sidecar.lastFault, undefined);
    assert.equal(said.of("$/cancelRequest").length, 0);
    await session.context(LIST);
    assert.deepEqual(turns(), ["one"]);
    assert.deepEqual(heard, ["timeout", "over"]);
  });
});

test("what is refused is not told again, and what ends each process is let go", async () => {
  await served("answers.turn_end = () => fail(-32602)", async ({ session, turns }) => {
    assert.equal(await session.turnEnd(turn("one")), undefined);
    await session.context(LIST);
    assert.deepEqual(turns(), ["one"]);
  });
  await served("answers.turn_end = () => process.exit(1)", async ({ sidecar, session, clock, turns, heard }) => {
    assert.equal(await session.turnEnd(turn("one")), undefined);
    for (const delay of [250, 500, 1_000]) await clock.pass(delay);
    await sidecar.request("context", { sessionId: "s", messages: LIST });
    asGiven(await session.context(LIST), LIST);
    assert.deepEqual(turns(), ["one", "one", "one"]);
    assert.deepEqual(heard, ["exited", "over"]);
  });
});

test("what may take long is waited for while the process lives", async () => {
  const dies = "let probes = 0; answers.getStatus = () => (probes++ < 2 ? { zone: 'green' } : undefined)";
  await served(dies, async ({ sidecar, session, clock, said }) => {
    const compaction = session.beforeCompact({ preparation: {} as any });
    for (const count of [1, 2, 3]) {
      await clock.pass(PROBE_MS); // from one probe to the next
      await said.until("getStatus", count);
    }
    clock.advance(OTHER_MS); // the third is late
    assert.equal(await compaction, undefined);
    assert.equal(sidecar.lastFault?.kind, "timeout");
    assert.equal(await session.beforeCompact({ preparation: {} as any }), undefined); // at once: it is in doubt
    assert.equal(said.of("session_before_compact").length, 1);
  });
});

test("a list waits no longer than its bound for what is told before it", async () => {
  await served("answers.context = () => undefined", async ({ session, clock }) => {
    const list = session.context(LIST);
    await clock.pass(SHORT_MS);
    asGiven(await list, LIST);
  });
});
