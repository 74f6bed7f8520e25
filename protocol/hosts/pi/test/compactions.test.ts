import assert from "node:assert/strict";
import { test } from "node:test";
import type { protocol } from "../../typescript/src/index.ts";
import { Compactions } from "../src/compactions.ts";
import type { Context, TurnEnd } from "../src/pi.ts";
import { assistant, context, manager, result } from "./events.ts";

const ASKED = { sessionId: "s", customInstructions: "mind it" } as protocol.RequestCompactionParams;
const made = (how: object): protocol.Compaction => ({
  summary: "## Goal",
  firstKeptEntryId: "e1",
  tokensBefore: 9,
  details: { readFiles: [], modifiedFiles: [], ctxmgr: how } as unknown as protocol.SummaryDetails,
});
const BY_MODEL = made({ strategy: "single-shot" });
const SPENT = { input: 9 };
const BY_NONE = made({ strategy: "extractive" });

interface Scene {
  compactions: Compactions;
  told: [string, object][];
  /** What waits for a tick. */
  waiting: (() => void)[];
}

/** `written`: what ctxmgr writes; a fault when it cannot. */
function scene(written: protocol.Compaction | Error = BY_MODEL, by: "host" | "ctxmgr" = "host"): Scene {
  const told: [string, object][] = [];
  const teller = {
    write: async (params: object) => {
      told.push(["write", params]);
      if (written instanceof Error) throw written;
      return written;
    },
    compacted: async (params: object) => void told.push(["compacted", params]),
    failed: async (params: object) => void told.push(["failed", params]),
    spent: () => ({ usage: SPENT }),
  };
  const waiting: (() => void)[] = [];
  const wishes = () => ({ by, host: { enabled: true, reserveTokens: 10_000 } });
  return { compactions: new Compactions(teller, wishes, (run) => void waiting.push(run)), told, waiting };
}

const old = (more: object = {}): TurnEnd => ({ message: assistant("done", more), toolResults: [] });
const drafty = (): TurnEnd => ({ ...old(), toolResults: [result("c1")], messageEntryId: "e1", entries: [] });
const verbs = ({ told }: Scene): string[] => told.map(([verb]) => verb);

test("without drafts: queued at the turn's end, run when the run is over, once", async () => {
  const one = scene();
  const pi = context();
  assert.deepEqual(one.compactions.asked(ASKED), { accepted: true });
  assert.equal(await one.compactions.turnEnded(old(), pi), undefined);
  await one.compactions.runEnded(pi, false);
  await one.compactions.runEnded(pi, false);
  assert.deepEqual(pi.compacted, [{ customInstructions: "mind it" }]);
  assert.deepEqual(verbs(one), []); // pi fires session_compact by itself
});

test("it is left alone while pi retries, has more to do, is about to compact, or is about to end", async () => {
  const high = { usage: { input: 95_000, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 95_000 } };
  const cases: [string, TurnEnd, Partial<Context>, boolean, number][] = [
    ["ready", old(), {}, false, 1],
    ["failed", old({ stopReason: "error" }), {}, false, 0],
    ["aborted", old({ stopReason: "aborted" }), {}, true, 0],
    ["queued messages", old(), { hasPendingMessages: () => true }, false, 0],
    ["over pi's threshold", old(high), {}, false, 0],
    ["over it, and all is settled", old(high), {}, true, 1],
    ["nobody watches", old(), { hasUI: false }, true, 0],
  ];
  for (const [name, event, more, settled, times] of cases) {
    const { compactions } = scene();
    const pi = context(more);
    compactions.asked(ASKED);
    await compactions.turnEnded(event, pi);
    await compactions.runEnded(pi, settled);
    assert.equal(pi.compacted.length, times, name);
  }
});

test("where pi waits for its listeners it is begun as soon as pi is idle, unless a new run begins", async () => {
  for (const begins of [false, true]) {
    const { compactions, waiting } = scene();
    let idle = false;
    const pi = context({ isIdle: () => idle });
    compactions.asked(ASKED);
    await compactions.turnEnded(old(), pi);
    await compactions.runEnded(pi, false);
    waiting.shift()?.();
    assert.deepEqual([pi.compacted.length, waiting.length], [0, 1]);
    idle = true;
    if (begins) compactions.runBegan();
    waiting.shift()?.();
    assert.deepEqual([pi.compacted.length, waiting.length], [begins ? 0 : 1, 0]);
  }
});

test("a prompt waits for the compaction that runs, and runs one that is due", async () => {
  const { compactions } = scene();
  const pi = context({ hasUI: false });
  compactions.asked(ASKED);
  await compactions.turnEnded(old(), pi);
  await compactions.runEnded(pi, true);
  assert.equal(pi.compacted.length, 0);
  await compactions.beforePrompt(pi);
  assert.equal(pi.compacted.length, 1);
  assert.deepEqual(compactions.asked(ASKED), { accepted: true }); // it is over
});

test("one at a time; what pi did by itself takes the place of what was asked", async () => {
  const { compactions } = scene();
  let end: () => void = () => undefined;
  const pi = context({ compact: (options) => (end = () => options?.onComplete?.({})) });
  compactions.asked(ASKED);
  await compactions.turnEnded(old(), pi);
  const running = compactions.runEnded(pi, true);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(compactions.asked(ASKED).accepted, false);
  end();
  await running;
  compactions.asked(ASKED);
  compactions.done();
  const next = context();
  await compactions.runEnded(next, true);
  assert.equal(next.compacted.length, 0);
});

test("a failure is told once: by pi where it says so, else here", async () => {
  for (const says of [false, true]) {
    const one = scene();
    const pi = context({}, new Error("Nothing to compact (session too small)"));
    one.compactions.asked(ASKED);
    await one.compactions.turnEnded(old(), pi);
    const running = one.compactions.runEnded(pi, true);
    await new Promise((resolve) => setImmediate(resolve));
    if (says) one.compactions.hostFailed();
    await running;
    assert.deepEqual(verbs(one), says ? [] : ["failed"]);
  }
});

test("with drafts: the compaction is in the answer to turn_end, and its entry is told", async () => {
  const one = scene();
  const branch = [{ role: "user", content: "go" }, assistant("x")];
  const pi = context({ sessionManager: manager(branch) });
  one.compactions.asked(ASKED);
  const { summary, firstKeptEntryId, details } = BY_MODEL;
  assert.deepEqual(await one.compactions.turnEnded(drafty(), pi), {
    entries: [{ type: "compaction", summary, firstKeptEntryId, details, usage: SPENT }],
  });
  const after = manager([...branch, { type: "compaction", summary, details: {} }]);
  await one.compactions.settleDraft(context({ sessionManager: after }));
  await one.compactions.settleDraft(context({ sessionManager: after }));
  assert.deepEqual(verbs(one), ["write", "compacted"]);
  const entry = (one.told[1]?.[1] as { compactionEntry: object }).compactionEntry;
  assert.deepEqual(entry, { id: "e2", parentId: "e1", timestamp: "2026-01-01T00:00:00Z", type: "compaction", summary });
  await one.compactions.runEnded(pi, true);
  assert.equal(pi.compacted.length, 0);
});

test("a draft that pi did not take is a failure", async () => {
  const one = scene();
  one.compactions.asked(ASKED);
  await one.compactions.turnEnded(drafty(), context());
  await one.compactions.settleDraft(context());
  assert.deepEqual(verbs(one), ["write", "failed"]);
});

test("what no model wrote is pi's to write, unless ctxmgr is to; a model is asked once", async () => {
  const cases: [protocol.Compaction | Error, "host" | "ctxmgr", boolean][] = [
    [BY_MODEL, "host", true],
    [BY_NONE, "host", false],
    [made({ strategy: "single-shot", fallback: { reason: "no sections" } }), "host", false],
    [BY_NONE, "ctxmgr", true],
    [new Error("late"), "ctxmgr", false],
  ];
  for (const [written, by, drafted] of cases) {
    const one = scene(written, by);
    const pi = context();
    one.compactions.asked(ASKED);
    assert.equal((await one.compactions.turnEnded(drafty(), pi)) !== undefined, drafted);
    await one.compactions.turnEnded(drafty(), pi);
    assert.deepEqual(verbs(one), ["write"]);
    await one.compactions.runEnded(pi, true);
    assert.equal(pi.compacted.length, drafted ? 0 : 1);
  }
});

test("one that was written ahead is used as it is, while its first kept entry is on the branch", async () => {
  for (const [branch, calls] of [[[assistant("a"), assistant("b")], []], [[], ["write"]]] as const) {
    const one = scene();
    one.compactions.asked({ ...ASKED, compaction: BY_MODEL });
    const answer = await one.compactions.turnEnded(drafty(), context({ sessionManager: manager([...branch]) }));
    assert.equal(answer?.entries.length, 1);
    assert.deepEqual(verbs(one), calls);
  }
});

test("another extension's compaction goes before ours; its other drafts stay", async () => {
  const { compactions } = scene();
  compactions.asked(ASKED);
  assert.equal(await compactions.turnEnded({ ...drafty(), entries: [{ type: "compaction" }] }, context()), undefined);
  const answer = await compactions.turnEnded({ ...drafty(), entries: [{ type: "custom" }] }, context());
  assert.deepEqual(answer?.entries.map((entry) => entry["type"]), ["custom", "compaction"]);
});

test("a context that is no longer in force throws, and nothing comes of it", async () => {
  const { compactions } = scene();
  const stale = (): never => {
    throw new Error("This extension ctx is stale");
  };
  compactions.asked(ASKED);
  await compactions.turnEnded(old(), context());
  await compactions.runEnded(context({ compact: stale }), true);
  assert.equal(compactions.asked(ASKED).accepted, true);
});
