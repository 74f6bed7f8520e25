// Requests of providers, cut down, and what is sent once more behind them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { completeOnContext } from "../src/completing.ts";
import { LastRequest } from "../src/last-request.ts";
import type { Json } from "../src/pi.ts";
import { Spending } from "../src/spending.ts";
import { assistant, context, result } from "./events.ts";

const MODEL = { id: "m", provider: "p", maxTokens: 4_000 };
const INSTRUCTION = "Sum it up.";
const ASKED = { sessionId: "s", purpose: "history", system: "", prompt: "", maxTokens: 9_000, instruction: INSTRUCTION } as const;
const LENT = { program: async () => ({}), models: async () => ({}) };
const SIGNAL = new AbortController().signal;
const sentBy = (last: LastRequest, payload: unknown): void => {
  last.listed();
  last.sent(payload, MODEL);
};
const said = (content: string): Json => ({ role: "user", content });

const CACHED = { ...said("go"), cache_control: { type: "ephemeral" } };
const SHAPES: [string, Json, Json, Json][] = [
  [
    "Anthropic's",
    { model: "m", system: [{ text: "s" }], tools: [1], max_tokens: 8_000, messages: [CACHED] },
    { model: "m", max_tokens: 4_000, messages: [said("since")] },
    { model: "m", system: [{ text: "s" }], tools: [1], max_tokens: 4_000, messages: [CACHED, said("since")] },
  ],
  [
    "Anthropic's, thinking",
    { max_tokens: 8_000, thinking: { budget_tokens: 5_000 }, messages: [said("go")] },
    { max_tokens: 4_000, messages: [said("since")] },
    { max_tokens: 8_000, thinking: { budget_tokens: 5_000 }, messages: [said("go"), said("since")] },
  ],
  [
    "chat completions",
    { tools: [1], messages: [{ role: "system", content: "s" }, said("go")] },
    { tools: [], messages: [{ role: "developer", content: "" }, said("since")] },
    { tools: [1], messages: [{ role: "system", content: "s" }, said("go"), said("since")] },
  ],
  ["responses", { input: [said("go")], prompt_cache_key: "k" }, { input: [said("since")] }, { input: [said("go"), said("since")], prompt_cache_key: "k" }],
  [
    "Google's",
    { contents: [said("go")], config: { tools: [1], abortSignal: "old" } },
    { contents: [said("since")], config: { abortSignal: "new" } },
    { contents: [said("go"), said("since")], config: { tools: [1], abortSignal: "new" } },
  ],
];

for (const [name, sent, fresh, whole] of SHAPES)
  test(`a request is gone on with: ${name}`, () => {
    const last = new LastRequest();
    sentBy(last, sent);
    const before = structuredClone(sent);
    assert.deepEqual(last.goneOn(fresh), whole);
    assert.deepEqual(sent, before);
  });

test("what is not known is not gone on with", () => {
  const last = new LastRequest();
  assert.throws(() => last.goneOn({ messages: [] }), /no request/);
  sentBy(last, { messages: [said("go")] });
  for (const other of [{ input: [] }, "messages", undefined]) assert.throws(() => last.goneOn(other));
  sentBy(last, "a text");
  assert.equal(last.of(MODEL), undefined);
});

test("it is of the model that was asked last, with what came since", () => {
  const last = new LastRequest();
  assert.equal(last.of(MODEL), undefined);
  sentBy(last, { messages: [] });
  last.answered(assistant("one"), result("c1"));
  assert.deepEqual(last.of({ ...MODEL }), [assistant("one"), result("c1")]);
  assert.equal(last.of({ ...MODEL, id: "other" }), undefined);
  assert.equal(last.of({ ...MODEL, provider: "other" }), undefined);
  sentBy(last, { messages: [] });
  assert.deepEqual(last.of(MODEL), []);
  last.forget();
  assert.equal(last.of(MODEL), undefined);
});

/** A registry that sends what `onPayload` makes of its own request, as pi's library does. */
function registry(sent: unknown[], isAsked = true): Json {
  return {
    complete: async (_: object, request: { messages: Json[] }, options: { onPayload(payload: unknown): unknown }) => {
      const payload = { messages: request.messages.map(({ role }) => ({ role })) };
      sent.push(isAsked ? options.onPayload(payload) : payload);
      return assistant("a summary");
    },
  };
}

test("a call at the end of the list sends the last request, what came since, and the instruction", async () => {
  const sent: unknown[] = [];
  const last = new LastRequest();
  sentBy(last, { tools: [1], messages: [said("go")] });
  last.answered(assistant("one"), result("c1"));
  const spending = new Spending();
  const here = context({ model: MODEL, modelRegistry: registry(sent) });
  const answer = await completeOnContext(ASKED, here, LENT, spending, last, SIGNAL);
  assert.deepEqual([answer.text, answer.stopReason], ["a summary", "stop"]);
  const since = [{ role: "assistant" }, { role: "toolResult" }, { role: "user" }];
  assert.deepEqual(sent, [{ tools: [1], messages: [said("go"), ...since] }]);
  assert.deepEqual(spending.take(), { usage: answer.usage });
});

test("what cannot be gone on with is refused, and without a call where that is known before", async () => {
  const sent: unknown[] = [];
  const last = new LastRequest();
  const here = context({ model: MODEL, modelRegistry: registry(sent, false) });
  const asked = async (): Promise<string> => {
    const { stopReason, errorMessage } = await completeOnContext(ASKED, here, LENT, new Spending(), last, SIGNAL);
    assert.equal(stopReason, "error");
    return errorMessage ?? "";
  };
  assert.match(await asked(), /no request/);
  assert.deepEqual(sent, []);
  sentBy(last, { messages: [] });
  assert.match(await asked(), /does not let/);
  assert.equal((await completeOnContext(ASKED, undefined, LENT, new Spending(), last, SIGNAL)).stopReason, "error");
});

test("a request that follows no list, such as one that keeps a cache warm, is not taken for the last", () => {
  const last = new LastRequest();
  sentBy(last, { max_tokens: 8_000, messages: [said("go")] });
  last.answered(assistant("one"));
  last.sent({ max_tokens: 1, messages: [said("go")] }, MODEL);
  assert.deepEqual(last.of(MODEL), [assistant("one")]);
  assert.equal(last.goneOn({ max_tokens: 4_000, messages: [] })["max_tokens"], 4_000);
});
