// Messages of the AI SDK into those of Anthropic's API, a part a block, and back.
//
// Rules:
// 1. Each message and block bears its place (`PLACE`), which stays in what ctxmgr shortens: so the original of a changed
//    one is known, and what has none is new (a packet).
// 2. What is kept are the very messages and parts that were given; a changed one is a copy with its ids and options.
// 3. Parts about approval are none that a model is sent. A message of nothing else stays with the one before it.

import { same } from "../lists.ts";

const PLACE = "ctxmgr"; // a member that no provider is ever sent
const FILES = ["image", "data", "url"]; // where a part has its picture or document

export type Json = Record<string, any>;

/** The list that `context` makes of one, in the SDK's messages. */
export async function fitted<M extends object>(messages: M[], context: (given: Json[]) => Promise<Json[]>): Promise<M[]> {
  const groups: M[][] = [];
  const given: Json[] = [];
  for (const message of messages as (M & Json)[]) {
    const one = asAnthropic(message);
    const bare = message.role === "tool" && one.content.length === 0 && groups.length > 0; // rule 3
    if (bare) groups.at(-1)!.push(message);
    else given.push({ ...one, [PLACE]: groups.push([message]) - 1 });
  }
  const sent = await context(given);
  return sent.flatMap((one): M[] => {
    const place = one[PLACE];
    if (place === undefined) return [{ role: "user", content: one.content } as unknown as M];
    const [message, ...beside] = groups[place]!;
    return [same(one, given[place]) ? message! : (changed(message!, one, given[place]!) as M), ...beside];
  });
}

/** A message as Anthropic's API has it, its blocks with their places. */
export function asAnthropic({ role, content }: Json): Json {
  const blocks = (): Json[] =>
    content.flatMap((part: Json, at: number) => (isApproval(part) ? [] : [{ ...block(part, role), [PLACE]: at }]));
  return { role: role === "tool" ? "user" : role, content: typeof content === "string" ? content : blocks() };
}

const isApproval = ({ type }: Json): boolean => type === "tool-approval-request" || type === "tool-approval-response";

function block(part: Json, role = ""): Json {
  if (part.type === "text") return { type: "text", text: part.text };
  // counts as signed, so that nothing beside it is changed
  if (part.type === "reasoning") return { type: "thinking", thinking: part.text, signature: "kept" };
  if (part.type === "tool-call" && !part.providerExecuted) {
    return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input ?? {} };
  }
  if (part.type === "tool-result" && role === "tool") {
    const is_error = part.output.type.startsWith("error") || part.output.type === "execution-denied";
    return { type: "tool_result", tool_use_id: part.toolCallId, is_error, content: shown(part.output) };
  }
  const found = FILES.map((name) => part[name]).find((one) => one !== undefined);
  return found === undefined ? { type: "other", text: JSON.stringify(part) } : file(part, found);
}

function shown({ type, value, reason }: Json): string | Json[] {
  if (type === "content") return value.map((part: Json, at: number) => ({ ...block(part), [PLACE]: at }));
  if (type === "execution-denied") return reason ?? "Tool call execution denied.";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function file({ type, mediaType }: Json, found: any): Json {
  const data = found?.data ?? found?.url ?? found?.text ?? found; // AI SDK 7 says which it is
  const kind = type.startsWith("image") || mediaType?.startsWith("image") ? "image" : "document";
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  if (bytes instanceof Uint8Array) return { type: kind, source: { type: "base64", data: Buffer.from(bytes).toString("base64") } };
  const link = data instanceof URL || /^https?:/.test(data);
  return { type: kind, source: { type: found?.type === "text" ? "text" : link ? "url" : "base64", data: String(data) } };
}

/** The message as it came back changed. Parts that were left alone are the very ones. */
function changed(message: Json, now: Json, before: Json): Json {
  if (!Array.isArray(now.content) || !Array.isArray(message.content)) return { ...message, content: now.content };
  const calls = new Set(now.content.map(({ id }: Json) => id));
  const approvals = message.content.filter((part) => isApproval(part) && (!part.toolCallId || calls.has(part.toolCallId)));
  return { ...message, content: [...partsOf(message.content, now.content, before.content), ...approvals] };
}

function partsOf(parts: Json[], now: Json[], before: Json[]): Json[] {
  return now.map((one) => {
    const part = parts[one[PLACE]];
    const old = before.find((other) => other[PLACE] === one[PLACE]);
    if (part === undefined || old === undefined) return { type: "text", text: one.text };
    if (same(one, old)) return part;
    if (one.type === "tool_use") return { ...part, input: one.input };
    if (one.type === "tool_result") return { ...part, output: output(part.output, one, old) };
    return part.type === "text" ? { ...part, text: one.text } : { type: "text", text: one.text };
  });
}

function output({ value, providerOptions }: Json, { content, is_error }: Json, old: Json): Json {
  const more = providerOptions === undefined ? {} : { providerOptions };
  if (typeof content === "string") return { type: is_error ? "error-text" : "text", value: content, ...more };
  return { type: "content", value: partsOf(value, content, old.content), ...more };
}
