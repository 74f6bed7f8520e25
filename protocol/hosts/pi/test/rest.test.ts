import assert from "node:assert/strict";
import { test } from "node:test";
import { within } from "../src/bounded.ts";
import { complete } from "../src/completing.ts";
import { filling, seen } from "../src/filling.ts";
import * as show from "../src/showing.ts";
import { Spending } from "../src/spending.ts";
import { atLeast, settles } from "../src/version.ts";
import { assistant, context } from "./events.ts";

const ASKED = { sessionId: "s", purpose: "history", system: "sum up", prompt: "all of it", maxTokens: 9_000 } as const;
const LENT = { program: async () => ({}), models: async () => ({}) };
const SIGNAL = new AbortController().signal;

test("a wait ends at its bound, and what fails later harms nobody", async () => {
  assert.equal(await within(1_000, Promise.resolve(3)), 3);
  assert.equal(await within(5, new Promise(() => undefined)), undefined);
  let fail: (fault: Error) => void = () => undefined;
  assert.equal(await within(5, new Promise((_, reject) => (fail = reject))), undefined);
  fail(new Error("late"));
  await assert.rejects(within(1_000, Promise.reject(new Error("now"))), /now/);
});

test("complete, late versions: by the registry, never more than the model writes", async () => {
  const calls: unknown[] = [];
  const registry = {
    complete: async (...call: unknown[]) => {
      calls.push(call);
      return assistant("a summary");
    },
  };
  const model = { id: "m", maxTokens: 4_000 };
  const spending = new Spending();
  const answer = await complete(ASKED, context({ model, modelRegistry: registry }), LENT, spending, SIGNAL);
  assert.deepEqual([answer.text, answer.stopReason], ["a summary", "stop"]);
  const [[, request, options]] = calls as [[unknown, { systemPrompt: string }, object]];
  assert.equal(request.systemPrompt, "sum up");
  assert.deepEqual(options, { maxTokens: 4_000, cacheRetention: "none", signal: SIGNAL });
  assert.deepEqual(spending.take(), { usage: answer.usage });
});

test("complete, before: the registry's key and pi's own library", async () => {
  const options: object[] = [];
  const completeSimple = async (_: object, __: object, given: object) => {
    options.push(given);
    return assistant("half", { stopReason: "length" });
  };
  const modelRegistry = { getApiKeyAndHeaders: async () => ({ ok: true, apiKey: "k", headers: { a: "b" } }) };
  const lent = { ...LENT, models: async () => ({ completeSimple }) };
  const answer = await complete(ASKED, context({ modelRegistry }), lent, new Spending(), SIGNAL);
  assert.deepEqual([answer.text, answer.stopReason], ["half", "length"]);
  assert.deepEqual(options, [{ maxTokens: 9_000, cacheRetention: "none", signal: SIGNAL, apiKey: "k", headers: { a: "b" } }]);
});

test("complete never rejects", async () => {
  const cases: [Parameters<typeof complete>[1], RegExp][] = [
    [undefined, /no model/],
    [context({ model: undefined }), /no model/],
    [context(), /lends no model/],
    [context({ modelRegistry: { complete: () => Promise.reject(new Error("429")) } }), /429/],
  ];
  for (const [given, why] of cases) {
    const answer = await complete(ASKED, given, LENT, new Spending(), SIGNAL);
    assert.equal(answer.stopReason, "error");
    assert.match(answer.errorMessage ?? "", why);
  }
});

test("what summaries cost is told once, with the next one", () => {
  const spending = new Spending();
  assert.deepEqual(spending.take(), {});
  const paid = (input: number, total: number) => ({ input, cacheRead: 1, totalTokens: input + 1, cost: { input: total, total } });
  spending.add(paid(10, 0.5));
  spending.add(undefined);
  spending.add(paid(20, 0.25));
  assert.deepEqual(spending.take(), {
    usage: { input: 30, cacheRead: 2, totalTokens: 32, cost: { input: 0.75, total: 0.75 } },
  });
  assert.deepEqual(spending.take(), {});
});

test("versions: agent_settled is there from 0.80.4 on", async () => {
  const of = (VERSION?: string) => settles({ ...LENT, program: async () => ({ VERSION }) });
  for (const version of ["0.74.2", "0.80.3"]) assert.equal(await of(version), false, version);
  for (const version of ["0.80.4", "0.87.1", "1.5.2"]) assert.equal(await of(version), true, version);
  assert.equal(await of(undefined), false);
  assert.equal(await settles({ ...LENT, program: () => Promise.reject(new Error("no such module")) }), false);
  assert.equal(atLeast("1.0.0-beta.1", [0, 80, 4]), true);
});

test("a setting as it is typed", () => {
  assert.deepEqual(show.setting("preset tools"), { preset: "tools" });
  assert.deepEqual(show.setting(" zones.red 0.6 "), { zones: { red: 0.6 } });
  assert.deepEqual(show.setting('{"protectedTools": ["bash"]}'), { protectedTools: ["bash"] });
  assert.deepEqual(show.setting('prunableTools ["read", "grep"]'), { prunableTools: ["read", "grep"] });
  assert.throws(() => show.setting("{broken"), SyntaxError);
});

test("an epoch in one line, and what it saves where prices are known", () => {
  assert.equal(show.epoch({ before: 41_200, after: 17_900 }, 1.5), "ctxmgr: 41k -> 18k tokens, saves $0.03 a call");
  assert.equal(show.epoch({ before: 9_000, after: 900 }, 0.1), "ctxmgr: 9k -> 900 tokens, saves $0.0008 a call");
  for (const price of [undefined, 0]) {
    assert.equal(show.epoch({ before: 9_000, after: 2_000 }, price), "ctxmgr: 9k -> 2k tokens");
  }
});

test("what pruning has saved: off where it is off, and what the last request left out", () => {
  const sums = { enabled: true, scanned: 9, pruned: 0, protected: 9, prunable: 0, resultsPruned: 0, tokensPruned: 0 };
  const given = { ...sums, resultsDistilled: 0, turnsDropped: 0, seq: 1 };
  const report = { rawTokens: 5_000, tokens: 2_000, turnsDropped: 0, messagesDropped: 7 } as any;
  assert.deepEqual(show.stats(given, "balanced", report).split("\n").filter((_, at) => at % 3 === 0), [
    "Pruning is on.",
    "The last request: 5,000 -> 2,000 tokens, 7 messages left out",
  ]);
  assert.match(show.stats(given, "turns", { ...report, messagesDropped: null, turnsDropped: 1 }), /1 turn left out$/);
  assert.match(show.stats(given, "off"), /^Pruning is off\./);
  assert.match(show.stats({ ...given, enabled: false }, "balanced"), /^Pruning is off\./);
});

test("what fills the window: a bar of 40 cells, the heaviest kinds first, the rest as one", () => {
  const verdict = (index: number | null, after: number) => {
    return { index, digest: "d", verdict: "kept" as const, rule: "r", before: after, after };
  };
  const roles = ["user", "assistant", "compactionSummary", "branchSummary", "bashExecution", "custom"];
  const messages = [...roles.map((role) => ({ role })), ...["read", "bash", "grep"].map((toolName) => ({ role: "toolResult", toolName }))];
  const verdicts = [...messages.map((_, at) => verdict(at, 10 * at)), verdict(null, 100)];
  assert.deepEqual(filling(seen(messages, 500), verdicts, 1_920).split("\n"), [
    "The last request: about 960 of 1,920 tokens (50 %)",
    `[aaaaaaaaaabbbcddefgh${"·".repeat(20)}]`,
    "a system prompt 500 (26 %), b packet 100 (5 %), c grep results 80 (4 %), d bash results 70 (4 %), " +
      "e read results 60 (3 %), f summaries 50 (3 %), g extensions 50 (3 %), h user's commands 40 (2 %), i other 10 (1 %)",
  ]);
  const [first, bar] = filling(seen([{ role: "user" }], 0), [verdict(0, 3_000)], 1_000).split("\n");
  assert.deepEqual([first, bar], ["The last request: about 3,000 of 1,000 tokens (300 %)", `[${"a".repeat(40)}]`]);
  assert.equal(filling(undefined, [], 1_000), "Nothing was asked of the model yet.");
});

test("verdicts: sums first, then what was not kept, the newest when there are many", () => {
  const same = { digest: "d", rule: "r", before: 10, after: 0 };
  const many = Array.from({ length: 100 }, (_, index) => {
    return { index, verdict: index === 0 ? ("kept" as const) : ("dropped" as const), ...same };
  });
  const lines = show.explained({ verdicts: many, epochs: [] }).split("\n");
  assert.deepEqual(lines.slice(0, 2), ["1 kept: 10 -> 0 tokens", "99 dropped: 990 -> 0 tokens"]);
  assert.equal(lines[2], "(the first 39 of the changed are not shown)");
  assert.equal(lines.at(-1), "  #99 dropped (r): 10 -> 0");
  assert.equal(lines.length, 63);
  const receipt = { opening: "cold", before: 3_814, after: 2_763, arithmetic: "cold: so much", count: 1 };
  const epochs = [1, 2, 3, 4].map((epoch) => ({ epoch, ...receipt }));
  assert.deepEqual(show.explained({ verdicts: [], epochs }).split("\n"), [
    "Epoch 2: 3,814 -> 2,763 tokens, 1 thing left; cold: so much",
    "Epoch 3: 3,814 -> 2,763 tokens, 1 thing left; cold: so much",
    "Epoch 4: 3,814 -> 2,763 tokens, 1 thing left; cold: so much",
  ]);
});
