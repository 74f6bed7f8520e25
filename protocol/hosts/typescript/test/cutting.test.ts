// What is left of a list that does not fit, in each message format.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newest } from "../src/cutting.ts";

const u = (text = "ask") => ({ role: "user", content: text });
const a = (text = "answer") => ({ role: "assistant", content: text });
const say = (...blocks: object[]) => ({ role: "assistant", content: blocks });
const fits = (list: unknown[], room: number): unknown[] => newest(list, list.map(() => 1), room);

/** A step of two calls, and its results, as each format has it. */
const STEPS: Record<string, (id: string) => object[]> = {
  pi: (id) => [
    say({ type: "toolCall", id: `${id}1` }, { type: "toolCall", id: `${id}2` }),
    ...[1, 2].map((one) => ({ role: "toolResult", toolCallId: `${id}${one}` })),
  ],
  openai: (id) => [
    { role: "assistant", tool_calls: [{ id: `${id}1` }, { id: `${id}2` }] },
    ...[1, 2].map((one) => ({ role: "tool", tool_call_id: `${id}${one}` })),
  ],
  anthropic: (id) => [
    say({ type: "thinking" }, { type: "tool_use", id }),
    { role: "user", content: [{ type: "tool_result", tool_use_id: id }, { type: "text" }] },
  ],
  responses: (id) => [
    { type: "reasoning" },
    { role: "assistant", type: "message", content: [{ type: "output_text" }] },
    { type: "function_call", call_id: id },
    { type: "function_call_output", call_id: id },
  ],
};

for (const [format, step] of Object.entries(STEPS)) {
  test(`a turn that is too long by itself is cut to whole steps: ${format}`, () => {
    const head = [{ role: "system", content: "be brief" }, u("old"), a()];
    const steps = ["a", "b", "c", "a"].map(step); // ids may come again
    const [, , , last] = steps;
    const list = [...head, u(), ...steps.flat()];
    const long = last!.length;
    const kept = (count: number): unknown[] => [head[0], list[3], ...steps.slice(4 - count).flat()];
    assert.deepEqual(fits(list, list.length), list);
    assert.deepEqual(fits(list, list.length - 1), kept(4)); // a turn less
    assert.deepEqual(fits(list, 2 + 4 * long), kept(4));
    for (const room of [1 + 4 * long, 2 + 3 * long]) assert.deepEqual(fits(list, room), kept(3));
    for (const room of [2 + 2 * long - 1, 2 + long, 0]) assert.deepEqual(fits(list, room), kept(1));
    const left = fits(list, 2 + long) as object[];
    assert.ok(left.every((message) => list.includes(message as any))); // the very objects
  });
}

test("a step whose results come late is not parted from what follows", () => {
  const late = [
    { type: "function_call", call_id: "c1" },
    { type: "function_call", call_id: "c2" },
    { type: "function_call_output", call_id: "c1" },
    { type: "reasoning" }, // the model went on
    { type: "function_call_output", call_id: "c2" },
  ];
  const next = [{ type: "message", role: "assistant", content: [] }];
  assert.deepEqual(fits([u(), ...late, ...next], 3), [u(), ...next]);
  assert.deepEqual(fits([u(), ...late], 3), [u(), ...late]);
});

test("a result without a call, and messages that are none, hold nothing up", () => {
  const odd = [{ role: "toolResult", toolCallId: "nowhere" }, null, 7, { type: "function_call_output" }];
  assert.deepEqual(fits([u(), a("one"), ...odd, a("two")], 2), [u(), a("two")]);
  assert.deepEqual(fits([null, 7], 1), [null, 7]);
});

test("without a message of the user, what the list begins with stays", () => {
  const packet = { role: "custom", customType: "ctxmgr.packet" };
  const result = { role: "toolResult" };
  assert.deepEqual(fits([packet, a("one"), result, a("two"), result], 3), [packet, a("two"), result]);
  assert.deepEqual(fits([a("one"), result, a("two"), result], 3), [a("two"), result]);
});

test("nothing to leave out: one question that is too long", () => {
  assert.deepEqual(fits([u("old"), a(), u("long")], 0), [u("long")]);
  assert.deepEqual(fits([u()], 0), [u()]);
  assert.deepEqual(fits([], 0), []);
});
