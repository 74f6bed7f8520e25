// The AI SDK's messages into blocks and back, and a conversation's steps, with a process in ctxmgr's place. The real
// `ai`, in both versions, is in tests/integrations.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aiSdkContext, type Step } from "../src/ai-sdk/steps.ts";
import { fitted, type Json } from "../src/ai-sdk/messages.ts";
import { peer, Said } from "./children.ts";

const OPTIONS = { anthropic: { cacheControl: { type: "ephemeral" } } };
const call = (id: string, more: Json = {}): Json => ({ type: "tool-call", toolCallId: id, toolName: "read", input: { path: "a.py" }, ...more });
const result = (id: string, output: Json, more: Json = {}): Json => ({ type: "tool-result", toolCallId: id, toolName: "read", output, ...more });
const text = (value: string): Json => ({ type: "text", value });
const LOOKING: Json[] = [
  { role: "user", content: "look", providerOptions: OPTIONS },
  { role: "assistant", content: [{ type: "text", text: "I look." }, call("c1", { providerOptions: OPTIONS }), call("c2")] },
  { role: "tool", content: [result("c1", text("long"), { providerOptions: OPTIONS }), result("c2", { type: "error-text", value: "gone" })] },
];

/** What `fitted` makes of a list where ctxmgr answers by `answer`, and what ctxmgr was given. */
async function made(messages: Json[], answer = (given: Json[]): Json[] => given): Promise<[sent: Json[], given: Json[]]> {
  let heard: Json[] = [];
  const sent = await fitted(messages, async (given) => answer(structuredClone((heard = given))));
  return [sent, heard];
}

const blocksOf = async (message: Json): Promise<Json[]> =>
  (await made([message]))[1][0]!.content.map(({ ctxmgr: _, ...block }: Json) => block);

test("what is kept are the very messages that were given, and what has no place is put", async () => {
  const [sent] = await made(LOOKING, (given) => [{ role: "user", content: "packet" }, ...given.slice(1)]);
  assert.deepEqual(sent[0], { role: "user", content: "packet" });
  assert.deepEqual([sent[1] === LOOKING[1], sent[2] === LOOKING[2], sent.length], [true, true, 3]);
});

test("a shortened result is a copy with its ids and options, and its neighbours are the very parts", async () => {
  const [sent] = await made(LOOKING, (given) => {
    given[2]!.content[0].content = "short";
    return given;
  });
  const before = LOOKING[2]!.content;
  assert.deepEqual(sent[2], { role: "tool", content: [{ ...before[0], output: text("short") }, before[1]] });
  assert.equal(sent[2]!.content[1], before[1]);
  assert.equal(before[0].output.value, "long"); // the history is not changed
});

test("a shortened error is one still", async () => {
  const [sent] = await made(LOOKING, (given) => {
    given[2]!.content[1].content = "short";
    return given;
  });
  assert.deepEqual(sent[2]!.content[1].output, { type: "error-text", value: "short" });
});

test("a call leaves with its result, or has other arguments", async () => {
  const [sent] = await made(LOOKING, (given) => {
    given[1]!.content.pop();
    given[1]!.content[1].input = { path: "(left out)" };
    given[2]!.content.pop();
    return given;
  });
  const [said, first] = LOOKING[1]!.content;
  assert.deepEqual(sent[1]!.content, [said, { ...first, input: { path: "(left out)" } }]);
  assert.deepEqual(sent[2]!.content, [LOOKING[2]!.content[0]]);
});

test("a picture in a result gives way to a text, and what stands beside it stays", async () => {
  const picture = { type: "image-data", data: "iVBO", mediaType: "image/png", providerOptions: OPTIONS };
  const output = { type: "content", value: [{ type: "text", text: "seen" }, picture] };
  const [sent, given] = await made([{ role: "tool", content: [result("c1", output)] }], (list) => {
    list[0]!.content[0].content[1] = { type: "text", text: "[a picture]" };
    return list;
  });
  assert.deepEqual(given[0]!.content[0].content[1], { type: "image", source: { type: "base64", data: "iVBO" }, ctxmgr: 1 });
  assert.deepEqual(sent[0]!.content[0].output.value, [output.value[0], { type: "text", text: "[a picture]" }]);
});

test("pictures and documents in each way of giving them", async () => {
  const bytes = Uint8Array.from([1, 2, 3]);
  const source = (found: Json): unknown => found.source;
  const parts = [
    { type: "image", image: bytes },
    { type: "image", image: bytes.buffer },
    { type: "image", image: new URL("https://a.test/b.png") },
    { type: "file", data: "AQID", mediaType: "image/png" },
    { type: "file", data: { type: "data", data: bytes }, mediaType: "application/pdf" },
    { type: "file", data: { type: "url", url: new URL("https://a.test/b.pdf") }, mediaType: "application/pdf" },
    { type: "file", data: { type: "text", text: "told" }, mediaType: "text/plain" },
  ];
  const found = await blocksOf({ role: "user", content: parts });
  assert.deepEqual(found.map(({ type }) => type), ["image", "image", "image", "image", "document", "document", "document"]);
  const base64 = { type: "base64", data: "AQID" };
  const page = { type: "url", data: "https://a.test/b.pdf" };
  const drawn = { type: "url", data: "https://a.test/b.png" };
  assert.deepEqual(found.map(source), [base64, base64, drawn, base64, base64, page, { type: "text", data: "told" }]);
});

test("outputs as the model is told them", async () => {
  const outputs = [
    text("plain"),
    { type: "json", value: { a: 1 } },
    { type: "error-json", value: ["b"] },
    { type: "execution-denied", reason: "no" },
    { type: "execution-denied" },
  ];
  const found = await blocksOf({ role: "tool", content: outputs.map((output, at) => result(`c${at}`, output)) });
  assert.deepEqual(
    found.map(({ content, is_error }) => [content, is_error]),
    [["plain", false], ['{"a":1}', false], ['["b"]', true], ["no", true], ["Tool call execution denied.", true]],
  );
});

test("thoughts count as signed, and what the provider ran is no pair", async () => {
  const ran = call("s1", { providerExecuted: true });
  const found = await blocksOf({ role: "assistant", content: [{ type: "reasoning", text: "hm" }, ran, result("s1", text("found"))] });
  assert.deepEqual(found[0], { type: "thinking", thinking: "hm", signature: "kept" });
  assert.deepEqual(found.slice(1).map(({ type }) => type), ["other", "other"]);
});

test("approvals stay with the call that they are of", async () => {
  const asked = { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" };
  const other = { type: "tool-approval-request", approvalId: "a2", toolCallId: "c2" };
  const answered = { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] };
  const list = [LOOKING[0]!, { role: "assistant", content: [call("c1"), call("c2"), asked, other] }, answered, LOOKING[2]!];
  const [all, given] = await made(list);
  assert.equal(given.length, 3);
  assert.ok(all.length === 4 && all.every((one, at) => one === list[at]));
  const [fewer] = await made(list, ([first, second, third]) => [first!, { ...second, content: [second!.content[0]] }, third!]);
  assert.deepEqual(fewer[1]!.content, [call("c1"), asked]);
  assert.equal(fewer[2], answered);
  assert.deepEqual((await made(list, (every) => [every[0]!]))[0], [LOOKING[0]]);
});

const step = (number: number, usage: Json = { inputTokens: 900, outputTokens: 10 }): Step => ({
  usage: usage as Step["usage"],
  response: { messages: [{ role: "assistant", content: `step ${number}` }, { role: "tool", content: [] }] },
});
// keeps the newest message, and says that the others left
const CUTTING = `answers.context = ({ messages, append }) => {
  held = append ? held.slice(0, append.after).concat(append.messages) : messages;
  return { base: String(held.length), report: {}, edits: [
    { put: { role: "user", content: "packet" } }, { keep: [held.length - 1, held.length] },
  ] };
};`.replaceAll("held", "list");

test("a step begins with the whole list where the SDK hands on what was sent", async () => {
  const said = new Said();
  const context = aiSdkContext({ command: peer(`let list;${CUTTING}`), onStderr: said.listen });
  const { prepareStep } = context.of("s");
  const history = [LOOKING[0]!, { role: "assistant", content: "one" }, { role: "user", content: "go on" }];
  const first = await prepareStep({ model: "m", steps: [], stepNumber: 0, messages: history });
  assert.deepEqual(first?.messages, [{ role: "user", content: "packet" }, history[2]]);
  const carried = [...first!.messages, { role: "assistant", content: "two" }];
  const second = await prepareStep({ model: "m", steps: [], stepNumber: 1, messages: carried });
  assert.deepEqual(second?.messages[1], carried.at(-1));
  const whole = [...history, carried.at(-1)!]; // as AI SDK 6 has it
  const third = await prepareStep({ model: "m", steps: [], stepNumber: 2, messages: whole });
  await prepareStep({ model: "m", steps: [], stepNumber: 0, messages: third!.messages }); // another run: it says what it has
  await context.dispose();
  const lengths = said.of("context").map(({ params }) => params.messages?.length ?? params.append.after + params.append.messages.length);
  assert.deepEqual(lengths, [3, 4, 4, 2]);
});

test("usage of each step is told once, by either setting, and a new model too", async () => {
  const said = new Said();
  const context = aiSdkContext({ command: peer(), onStderr: said.listen, contextWindow: 9_000 });
  const { prepareStep, onStepFinish } = context.of("s");
  const details = { cacheReadTokens: 300, cacheWriteTokens: 500 };
  const steps = [step(1, { inputTokens: 900, outputTokens: 10, totalTokens: 910, inputTokenDetails: details }), step(2)];
  await prepareStep({ model: { modelId: "one" }, steps: [], stepNumber: 0, messages: LOOKING });
  await onStepFinish(steps[0]!);
  await prepareStep({ model: "two", steps, stepNumber: 1, messages: LOOKING });
  await onStepFinish(steps[1]!);
  await onStepFinish(step(3, { inputTokens: undefined })); // nothing was counted
  await context.end("s");
  await context.dispose();
  const turns = said.of("turn_end").map(({ params }) => [params.message.content, params.usage]);
  assert.deepEqual(turns, [
    ["step 1", { input: 100, output: 10, cacheRead: 300, cacheWrite: 500, totalTokens: 910 }],
    ["step 2", { input: 900, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 910 }],
  ]);
  const [started] = said.of("session_start");
  assert.deepEqual(started.params.model, { id: "one", contextWindow: 9_000 });
  assert.deepEqual(said.of("model_select").map(({ params }) => params.model), [{ id: "two", contextWindow: 9_000 }]);
  assert.deepEqual([said.of("session_shutdown").length, said.of("initialize")[0].params.messageFormat], [1, "anthropic"]);
});

test("without a sidecar a step goes on with the list that it had, and so does one that cannot be read", async () => {
  const context = aiSdkContext({ command: ["/no/such/program"] });
  const { prepareStep, onStepFinish } = context.of("s");
  const made = await prepareStep({ model: "m", steps: [], stepNumber: 0, messages: LOOKING });
  assert.ok(made!.messages.length === 3 && made!.messages.every((one, at) => one === LOOKING[at]));
  assert.equal(await prepareStep({ model: "m", steps: [], stepNumber: 0, messages: [{ role: "user" }] }), undefined);
  await onStepFinish(step(1));
  assert.equal(context.sidecar.lastFault?.kind, "missing");
  await context.dispose();
});

test("what is spread into settings are the two functions", async () => {
  const context = aiSdkContext({ command: ["/no/such/program"] });
  assert.deepEqual(Object.keys({ ...context.of("s") }), ["prepareStep", "onStepFinish"]);
  assert.equal(context.of("s"), context.of("s"));
  await context.dispose();
});
