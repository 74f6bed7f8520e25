// Requests of Anthropic's, cut down, and the marks that are set in them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withMarks } from "../src/marks.ts";
import type { Json, Message } from "../src/pi.ts";

const MARK = { type: "ephemeral", ttl: "1h" };
const marked = (block: Json): Json => ({ ...block, cache_control: MARK });
const text = (words: string): Json => ({ type: "text", text: words });
const call = (id: string): Json => ({ type: "tool_use", id, name: "read", input: {} });
const came = (id: string): Json => ({ type: "tool_result", tool_use_id: id, content: "out" });
const result = (id: string): Message => ({ role: "toolResult", toolCallId: id }) as Message;
const reply = (...ids: string[]): Message =>
  ({ role: "assistant", content: ids.map((id) => ({ type: "toolCall", id })) }) as unknown as Message;

/** Two steps; pi's marks on the prompt and on the end. */
const payload = (...more: Json[]): Json => ({
  model: "m",
  system: [marked(text("s"))],
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "s" }, call("a"), call("b")] },
    { role: "user", content: [came("a"), came("b")] },
    { role: "assistant", content: [call("c")] },
    ...more,
    { role: "user", content: [marked(came("c"))] },
  ],
});
const places = (made: Json | undefined): unknown[] =>
  ((made?.["messages"] ?? []) as Json[])
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []))
    .filter((block) => block["cache_control"] !== undefined)
    .map((block) => block["tool_use_id"] ?? block["id"]);

test("a result is marked by its call's id, and a reply by its last call's", () => {
  const made = withMarks(payload(), [result("b")]);
  const messages = payload()["messages"] as Json[];
  messages[2] = { role: "user", content: [came("a"), marked(came("b"))] };
  assert.deepEqual(made, { ...payload(), messages });
  assert.deepEqual(places(withMarks(payload(), [reply("a", "b")])), ["b", "c"]);
});

test("there are never more than four, and the farthest on come first", () => {
  const made = withMarks(payload(), [result("a"), reply("a", "b"), reply("c")]);
  assert.deepEqual(places(made), ["b", "c", "c"]); // and one on the prompt
  const full = payload({ role: "user", content: [marked(text("x")), marked(text("y"))] });
  assert.equal(withMarks(full, [result("b")]), undefined);
});

test("where pi marks nothing, nothing is marked, and what it marked is not marked twice", () => {
  const bare = JSON.parse(JSON.stringify(payload()).replaceAll(/,"cache_control":\{[^}]*\}/g, "")) as Json;
  assert.equal(withMarks(bare, [result("b")]), undefined);
  assert.equal(withMarks(payload(), [result("c")]), undefined);
});

test("what is not found stays, and so does what is no request of this shape", () => {
  const user = { role: "user", content: "go" } as unknown as Message;
  for (const named of [[], [user], [result("z")], [reply()]]) assert.equal(withMarks(payload(), named), undefined);
  for (const odd of [undefined, "text", [], {}, { messages: "x" }, { input: [] }]) assert.equal(withMarks(odd, [result("b")]), undefined);
  assert.equal(withMarks({ messages: [null, { role: "user" }] }, [result("b")]), undefined);
});
