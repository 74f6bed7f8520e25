import assert from "node:assert/strict";
import { test } from "node:test";
import * as mapping from "../src/mapping.ts";
import type { TurnEnd } from "../src/pi.ts";
import { assistant, manager, result, USAGE } from "./events.ts";

const { totalTokens: _, ...PARTS } = USAGE;

test("a turn's end before 0.87: ids are found in the branch, what stands between is passed over", () => {
  const [message, first, second] = [assistant("x"), result("c1"), result("c2")];
  const user = { role: "user", content: "go" };
  const branch = manager([user, message, first, { type: "label" }, second, { type: "custom" }]);
  assert.deepEqual(mapping.turnEnd({ message, toolResults: [first, second] }, branch, 7), {
    message,
    toolResults: [first, second],
    usage: USAGE,
    at: 7,
    entryIds: { message: "e1", toolResults: ["e2", "e4"] },
  });
});

test("a message that is in no entry has no id, and of equal ones the very object counts", () => {
  const message = assistant("x");
  assert.equal(mapping.entryIds({ message, toolResults: [] }, manager([assistant("x")])), undefined);
  assert.deepEqual(mapping.entryIds({ message, toolResults: [result("c1")] }, manager([message])), {
    message: "e0",
    toolResults: [null],
  });
});

test("a turn's end of 0.87: its own ids, and nothing of the preview that comes with it", () => {
  const message = assistant("x");
  const event: TurnEnd = {
    message,
    toolResults: [result("c1")],
    messageEntryId: "8c2b0e34",
    toolResultEntryIds: ["92d1ec4e"],
    entries: [],
    outcome: "completed",
    ...{ context: { llmMessages: ["much"] }, turnIndex: 3 },
  };
  const params = mapping.turnEnd(event, manager([]), 7);
  assert.deepEqual(params.entryIds, { message: "8c2b0e34", toolResults: ["92d1ec4e"] });
  assert.deepEqual(Object.keys(params), ["message", "toolResults", "usage", "at", "entryIds"]);
  const lacking = { ...event, toolResultEntryIds: [] }; // pi left one out: whose is not known
  assert.deepEqual(mapping.entryIds(lacking, manager([])), { message: "8c2b0e34", toolResults: undefined });
});

test("usage: only a reading that says something", () => {
  const cases: [object, object | undefined][] = [
    [{}, USAGE],
    [{ stopReason: "aborted" }, undefined],
    [{ stopReason: "error", errorMessage: "prompt is too long" }, undefined],
    [{ usage: undefined }, undefined],
    [{ usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 } }, undefined],
    [{ usage: { ...USAGE, input: Number.NaN } }, undefined],
    [{ usage: { ...USAGE, totalTokens: 0 } }, PARTS],
    [{ usage: { ...USAGE, cost: { total: 1 }, reasoning: 3 } }, USAGE],
  ];
  for (const [more, expected] of cases) assert.deepEqual(mapping.usage(assistant("x", more)), expected);
  assert.equal(mapping.total(USAGE), 1000);
  assert.equal(mapping.total(PARTS), 1000);
});

test("a preparation: Sets become arrays, the messages stay as they are, the signal is left out", () => {
  const messages = [{ role: "user", content: "x" }];
  const event = {
    preparation: {
      firstKeptEntryId: "47ca37ed",
      messagesToSummarize: messages,
      turnPrefixMessages: [],
      isSplitTurn: false,
      tokensBefore: 19_938,
      previousSummary: undefined,
      fileOps: { read: new Set(["a.txt", "b.txt"]), written: new Set<string>(), edited: new Set(["out.txt"]) },
      settings: { enabled: true, reserveTokens: 6000, keepRecentTokens: 2500 },
    },
    branchEntries: manager(messages).getBranch(),
    customInstructions: "focus",
    signal: new AbortController().signal,
  };
  const params = mapping.beforeCompact(event, 1000, 5000);
  const { fileOps, messagesToSummarize } = params.preparation as typeof event.preparation;
  assert.deepEqual(fileOps as object, { read: ["a.txt", "b.txt"], written: [], edited: ["out.txt"] });
  assert.equal(messagesToSummarize, messages);
  assert.equal("signal" in params, false);
  assert.deepEqual(JSON.parse(JSON.stringify(params)).preparation.fileOps.read, ["a.txt", "b.txt"]);
});

test("a model: what pi does not know of it is not made up, but for the window", () => {
  const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 };
  const given = { id: "m", provider: "p", contextWindow: 200_000, maxTokens: 8_000, cost, name: "M" };
  assert.deepEqual(mapping.model(given), {
    id: "m",
    provider: "p",
    contextWindow: 200_000,
    maxOutputTokens: 8_000,
    cacheTtlMs: undefined,
    prices: cost,
  });
  assert.equal(mapping.model({ id: "m", contextWindow: 0 }).contextWindow, 128_000);
  const untold = mapping.model({ id: "m", cost: { ...cost, cacheRead: 0 } }).prices;
  assert.deepEqual(JSON.parse(JSON.stringify(untold)), { input: 1, output: 2, cacheWrite: 1.25 });
  assert.equal(mapping.model(undefined).id, "unknown");
});

test("a summary's entry goes without its details", () => {
  const entry = { id: "e1", parentId: null, type: "compaction", summary: "## Goal", tokensBefore: 9 };
  assert.deepEqual(mapping.summarised({ ...entry, details: { much: 1 } }), entry);
});

test("how long a prompt is cached: as pi asks for it, and as long as it is kept warm", () => {
  const known = { id: "m", promptCache: { short: 300, long: 7_200 } };
  const ttl = (model: object, retention: "short" | "long", idle = false) =>
    mapping.model({ id: "m", ...model }, { retention, idle }).cacheTtlMs;
  assert.deepEqual([ttl({}, "short"), ttl({}, "short", true), ttl({}, "long")], [undefined, undefined, 3_600_000]);
  assert.deepEqual([ttl(known, "short"), ttl(known, "long")], [300_000, 7_200_000]);
  assert.deepEqual([ttl(known, "short", true), ttl(known, "long", true)], [1_800_000, 7_200_000]);
});
