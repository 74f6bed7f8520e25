// Cache marks: where a report says, and nowhere that a provider would refuse.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withCacheMarks } from "../src/index.ts";

const MARK = { cache_control: { type: "ephemeral" } };
const HOUR = { cache_control: { type: "ephemeral", ttl: "1h" } };
const THINKING = { type: "thinking", thinking: "hm", signature: "s" };
const text = (words: string, more: object = {}): object => ({ type: "text", text: words, ...more });
const said = (...content: object[]): any => ({ role: "assistant", content });
const users = (): any[] => [0, 1, 2, 3, 4, 5].map((number) => ({ role: "user", content: `${number}` }));
const places = (list: object[]): number[] =>
  list.flatMap((one, place) => (JSON.stringify(one).includes("cache_control") ? [place] : []));

test("the named messages bear a mark, and what was given is left as it is", () => {
  const given = users();
  const made = withCacheMarks(given, [2, 5]);
  assert.deepEqual(made[2], { role: "user", content: [text("2", MARK)] });
  assert.deepEqual(places(made), [2, 5]);
  assert.equal(made[0], given[0]);
  assert.deepEqual(given, users());
});

test("there are never more than four, with those outside of the list", () => {
  const wanted = [[1, 2, 3, 5], [2, 3, 5], [3, 5], [5], [], []];
  for (const [ownMarks, expected] of wanted.entries()) {
    assert.deepEqual(places(withCacheMarks(users(), [0, 1, 2, 3, 5], { ownMarks })), expected);
  }
});

test("the last block that can bear one does", () => {
  const call = { type: "tool_use", id: "t" };
  for (const [content, expected] of [
    [[text("a"), THINKING], [text("a", MARK), THINKING]],
    [[text("a"), text(" ")], [text("a", MARK), text(" ")]],
    [[THINKING], [THINKING]],
    [[text("")], [text("")]],
    [[text("a"), call], [text("a"), { ...call, ...MARK }]],
  ] as [object[], object[]][]) {
    assert.deepEqual(withCacheMarks([said(...content)], [0])[0].content, expected);
  }
  assert.equal(withCacheMarks([{ role: "user", content: "" }], [0])[0]!.content, "");
});

test("a mark within a result keeps its lifetime too", () => {
  const result = { type: "tool_result", tool_use_id: "t", content: [text("out", HOUR), text("more")] };
  const made: any[] = withCacheMarks([{ role: "user", content: [result] }, { role: "user", content: "b" }], [1]);
  assert.deepEqual(made[0].content, [{ ...result, content: [text("out"), text("more")] }]);
  assert.deepEqual(made[1].content, [text("b", HOUR)]);
});

test("marks of the host move and keep their lifetime", () => {
  const result = { type: "tool_result", tool_use_id: "t", content: [text("out", MARK)], ...HOUR };
  const made = withCacheMarks([said(text("a", MARK)), { role: "user", content: [result] }, ...users()], [0, 7]);
  assert.deepEqual(made[0].content, [text("a", HOUR)]);
  assert.deepEqual(made[1].content, [{ type: "tool_result", tool_use_id: "t", content: [text("out")] }]);
  assert.deepEqual(made[7].content, [text("5", HOUR)]);
});

test("without a place to mark the list is as it was", () => {
  const given = [said(text("a", MARK)), ...users()];
  for (const none of [undefined, []]) assert.deepEqual(withCacheMarks(given, none), given);
});
