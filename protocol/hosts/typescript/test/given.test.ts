import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine, commandWords, greeting, hearing, reserve } from "../src/given.ts";

test("a command as one text", () => {
  const cases: [string, string[] | undefined][] = [
    ["", undefined],
    ["  ", undefined],
    ["ctxmgr", ["ctxmgr"]],
    [" python3  -P -m ctxmgr\n", ["python3", "-P", "-m", "ctxmgr"]],
    ['["/my programs/python3", "-P", "-m", "ctxmgr"]', ["/my programs/python3", "-P", "-m", "ctxmgr"]],
    ["[]", undefined],
    ["[1]", undefined],
    ["[broken", ["[broken"]], // what comes of it is told as a program that is missing
  ];
  for (const [text, expected] of cases) assert.deepEqual(commandWords(text), expected, text);
});

test("what is run: the option, else $CTXMGR_COMMAND, else ctxmgr on the path", () => {
  const before = process.env.CTXMGR_COMMAND;
  try {
    process.env.CTXMGR_COMMAND = '["a b", "c"]';
    assert.deepEqual(commandLine({ stateDir: "/s" }), ["a b", "c", "serve", "--state-dir", "/s"]);
    assert.deepEqual(commandLine({ command: ["own"], args: ["--x"] }), ["own", "serve", "--x"]);
    process.env.CTXMGR_COMMAND = "";
    assert.deepEqual(commandLine({}), ["ctxmgr", "serve"]);
  } finally {
    if (before === undefined) delete process.env.CTXMGR_COMMAND;
    else process.env.CTXMGR_COMMAND = before;
  }
});

test("the reserve is the policy's", () => {
  const of = (policy?: any): number => reserve({ policy }, "m");
  assert.deepEqual([of(), of({}), of({ reserve: 4_000 })], [16_384, 16_384, 4_000]);
  assert.deepEqual([of({ reserve: 4_000, models: { m: { reserve: 9_000 } } }), of({ models: { n: {} } })], [9_000, 16_384]);
});

test("telemetry is asked for and heard where there is a callback, and what it throws is passed over", () => {
  const heard: string[] = [];
  const event = { name: "ctxmgr.list", attributes: { "ctxmgr.list.tokens_in": 7 } };
  const onTelemetry = ({ name }: { name: string }): void => {
    heard.push(name);
    throw new Error("the host's own");
  };
  assert.equal(greeting({ onTelemetry }).capabilities?.telemetry, true);
  assert.equal("telemetry" in (greeting({}).capabilities ?? {}), false);
  hearing({ onTelemetry }).get("telemetry/event")?.(event);
  assert.deepEqual(heard, ["ctxmgr.list"]);
  assert.equal(hearing({}).size, 0);
});
