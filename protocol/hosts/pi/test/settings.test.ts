import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Json } from "../src/pi.ts";
import { made, read } from "../src/settings.ts";

const DEFAULT = {
  enabled: true,
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  branchReserveTokens: 16_384,
  weigher: "chars4",
};

test("nothing said: pi's own numbers", () => {
  assert.deepEqual(made({}, {}), {
    pruning: undefined,
    command: undefined,
    stateDir: undefined,
    modelTools: false,
    passedOver: [],
    policy: { hostReserve: 16_384, compaction: DEFAULT },
    bare: { hostReserve: 16_384, compaction: DEFAULT },
    by: "host",
    caching: { retention: "short", idle: false },
    compaction: { enabled: true, reserveTokens: 16_384 },
  });
});

test("the project stands over the global file, key by key", () => {
  const global: Json = {
    contextPruning: { enabled: true, preset: "tools", protectedTools: ["bash"] },
    compaction: { enabled: true, reserveTokens: 9_000, keepRecentTokens: 5_000 },
  };
  const project: Json = { contextPruning: { enabled: false, preset: "turns" }, compaction: { enabled: false } };
  const settings = made(global, project);
  assert.equal(settings.pruning, false);
  assert.deepEqual(settings.compaction, { enabled: false, reserveTokens: 9_000 });
  assert.deepEqual(settings.policy, {
    hostReserve: 9_000,
    preset: "turns",
    protectedTools: ["bash"],
    compaction: { ...DEFAULT, enabled: false, reserveTokens: 9_000, keepRecentTokens: 5_000 },
  });
  assert.deepEqual(settings.bare, { hostReserve: 9_000, compaction: settings.policy.compaction });
});

test("a project can start no program, choose no place to write and give the model no tool", () => {
  const theirs = { contextPruning: { command: ["sh", "-c", "boom"], stateDir: "/etc", modelTools: true } };
  assert.deepEqual([made({}, theirs).command, made({}, theirs).stateDir], [undefined, undefined]);
  const own = made({ contextPruning: { command: ["python3", "-P", "-m", "ctxmgr"], stateDir: "/s" } }, theirs);
  assert.deepEqual([own.command, own.stateDir], [["python3", "-P", "-m", "ctxmgr"], "/s"]);
  assert.equal("command" in own.policy, false);
  assert.deepEqual([own.modelTools, "modelTools" in own.policy], [false, false]);
  assert.equal(made(theirs, { contextPruning: { modelTools: false } }).modelTools, true);
});

test("a command is a list of words or one text; what is neither is passed over, and said", () => {
  const cases: [unknown, string[] | undefined, string[]][] = [
    [undefined, undefined, []],
    [null, undefined, []],
    ["python3 -P -m ctxmgr", ["python3", "-P", "-m", "ctxmgr"], []],
    ['["/my tools/python3", "-P", "-m", "ctxmgr"]', ["/my tools/python3", "-P", "-m", "ctxmgr"], []],
    ["", undefined, ["command"]],
    [[], undefined, ["command"]],
    [["python3", 3], undefined, ["command"]],
    [{ program: "python3" }, undefined, ["command"]],
    [5, undefined, ["command"]],
  ];
  for (const [command, expected, passedOver] of cases) {
    const settings = made({ contextPruning: { command } }, {});
    assert.deepEqual([settings.command, settings.passedOver], [expected, passedOver], JSON.stringify(command));
  }
});

test("who writes compactions: a word, or an object with more", () => {
  assert.equal(made({ contextPruning: { compaction: "ctxmgr" } }, {}).by, "ctxmgr");
  const settings = made({ contextPruning: { compaction: { by: "ctxmgr", strategy: "incremental" } } }, {});
  assert.deepEqual(settings.policy.compaction, { ...DEFAULT, by: "ctxmgr", strategy: "incremental" });
});

test("newer versions of pi have numbers of their own for a model", () => {
  const compaction = { reserveTokens: 9_000, modelOverrides: { "p/m": { reserveTokens: 1_000 } } };
  const of = (id: string) => made({ compaction }, {}, { id, provider: "p" }).policy.hostReserve;
  assert.deepEqual([of("m"), of("n")], [1_000, 9_000]);
});

test("values that are none count as absent", () => {
  const global = { compaction: { reserveTokens: "x", keepRecentTokens: -1 }, contextPruning: "on" };
  const settings = made(global, { contextPruning: 3 });
  assert.deepEqual(settings.policy, { hostReserve: 16_384, compaction: DEFAULT });
});

test("pi's own numbers may be fractions, ctxmgr's are whole", () => {
  const compaction = { reserveTokens: 4_000.5, keepRecentTokens: 2_000.4 };
  const settings = made({ compaction, branchSummary: { reserveTokens: 1e300 } }, {});
  assert.deepEqual(settings.bare, {
    hostReserve: 4_001,
    compaction: { ...DEFAULT, reserveTokens: 4_001, keepRecentTokens: 2_000 },
  });
  assert.equal(settings.compaction.reserveTokens, 4_001);
});

test("the files: a broken one is empty, that of a project without trust is not read", () => {
  const folder = mkdtempSync(join(tmpdir(), "ctxmgr-pi-"));
  try {
    const env = { PI_CODING_AGENT_DIR: join(folder, "agent") };
    for (const name of ["agent", ".pi"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "agent", "settings.json"), "{broken");
    writeFileSync(join(folder, ".pi", "settings.json"), '{"contextPruning": {"enabled": false}}');
    assert.equal(read(folder, true, env).pruning, false);
    assert.equal(read(folder, false, env).pruning, undefined);
    writeFileSync(join(folder, "agent", "settings.json"), '{"contextPruning": {"enabled": true}}');
    assert.deepEqual([read(folder, true, env).pruning, read(folder, false, env).pruning], [false, true]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("caches: what pi asks for and whether it warms them, by the user's own file", () => {
  const caching = (own: object, project: object, env = {}) => made(own as any, project as any, undefined, env).caching;
  assert.deepEqual(caching({}, { cacheWarming: "idle" }), { retention: "short", idle: false });
  assert.deepEqual(caching({ cacheWarming: "streaming" }, {}), { retention: "short", idle: false });
  const env = { PI_CACHE_RETENTION: "long" };
  assert.deepEqual(caching({ cacheWarming: "idle" }, {}, env), { retention: "long", idle: true });
});
