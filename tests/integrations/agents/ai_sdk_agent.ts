// An agent of the AI SDK, 6 or 7, with its list kept small.
//
//     node ai_sdk_agent.js URL anthropic|openai STATE PROMPT...
//
// Each prompt goes on from the one before; with `anthropic` by an agent, with `openai` streamed. Prints what
// `counting.py` counts: of each list how many messages were kept as the very objects that were given, how many were put,
// and how many were left out or changed; and how many turns ctxmgr heard of.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent, type LanguageModel, type ModelMessage } from "ai";
import { aiSdkContext, type StepOptions } from "ctxmgr-client/ai-sdk";

const PICTURE = Uint8Array.from(Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010806000000", "hex"));
const [url, kind, state, ...prompts] = process.argv.slice(2) as [string, string, string, ...string[]];

/** The text of a file: some 900 tokens, of names of its own. */
function textOf(doc: string): string {
  const name = doc.split("/").at(-1)!.split(".")[0];
  const lines = Array.from({ length: 44 }, (_, line) => `def ${name}_step_${line}(order): return ${name}_table[order] + ${line}`);
  return lines.join("\n");
}

const tools = {
  look_up: tool({
    description: "Shows a file.",
    inputSchema: jsonSchema<{ doc: string }>({ type: "object", properties: { doc: { type: "string" } }, required: ["doc"] }),
    execute: async ({ doc }) => textOf(doc),
  }),
};
const model: LanguageModel =
  kind === "anthropic"
    ? createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })("claude-sonnet-4-5")
    : createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, apiKey: "none", includeUsage: true })("gpt-4o");

const context = aiSdkContext({
  policy: { preset: "balanced" },
  contextWindow: 16_000,
  tools: [{ name: "look_up", reads: "doc" }],
  ...(state === "none" ? { command: ["/no/such/program"] } : { stateDir: state }),
});
const conversation = context.of("conversation-1");

const rows: [kept: number, put: number, left: number][] = [];
let [whole, sent]: [ModelMessage[], ModelMessage[]] = [[], []];
type Options = StepOptions<ModelMessage> & { initialMessages?: ModelMessage[] };

async function prepareStep(options: Options) {
  const made = await conversation.prepareStep(options);
  const carried = options.stepNumber > 0 && options.initialMessages !== undefined; // AI SDK 7 begins with what was sent
  whole = carried ? [...whole, ...options.messages.slice(sent.length)] : options.messages;
  sent = made?.messages ?? options.messages;
  const kept = sent.filter((one) => whole.includes(one)).length;
  rows.push([kept, sent.length - kept, whole.length - kept]);
  return made;
}

/** The messages of a whole run. In AI SDK 7 `response` has those of its last step. */
type Run = { response: Response | PromiseLike<Response>; responseMessages?: ModelMessage[] | PromiseLike<ModelMessage[]> };
type Response = { messages: ModelMessage[] };
const madeIn = async (run: Run) => (await run.responseMessages) ?? (await run.response).messages;

const settings = { model, tools, stopWhen: stepCountIs(200), prepareStep, onStepFinish: conversation.onStepFinish };
const agent = new ToolLoopAgent({ ...settings, instructions: "Be short." });
const history: ModelMessage[] = [];
let answer = "";
for (const prompt of prompts) {
  const text = { type: "text" as const, text: prompt };
  const picture = { type: "file" as const, data: PICTURE, mediaType: "image/png" };
  history.push({ role: "user", content: prompt === prompts[0] ? [text, picture] : prompt });
  if (kind === "anthropic") {
    const done = await agent.generate({ messages: history });
    history.push(...(await madeIn(done)));
    answer = done.text;
  } else {
    const done = streamText({ ...settings, system: "Be short.", messages: history });
    await done.consumeStream();
    history.push(...(await madeIn(done)));
    answer = await done.text;
  }
}
const session = await context.sidecar.session({ sessionId: "conversation-1", model: { id: "any", contextWindow: 16_000 } });
const fault = context.sidecar.lastFault;
const usages = (await session.status())?.seq ?? 0;
console.log(JSON.stringify({ rows, usages, answer, fault: fault ? `${fault.kind}: ${fault.message}` : "" }));
await context.dispose();
