// The newest part of a list: what goes out where ctxmgr does not answer and the whole does not fit.
//
// Rules:
// 1. Prompts at the front stay. Of the rest as many of the newest whole turns as fit.
// 2. Where not even the newest turn fits: what it begins with, and as many of its newest whole steps as fit, at least
//    one. A model that sees its newest results goes on; a request that is too long is refused.
// 3. A step begins where the model speaks after somebody else, and parts no call from its result: providers refuse
//    either without the other.

/** `sizes`: what each message takes up of `room`. The very objects, all of them where nothing can be left out. */
export function newest<M>(list: readonly M[], sizes: readonly number[], room: number): M[] {
  const past = list.findIndex((message) => !isPrompt(message));
  const first = past < 0 ? list.length : past;
  const behind = [0]; // what all from a message on take up, the last message first
  for (const size of sizes.toReversed()) behind.push(behind.at(-1)! + size);
  const left = room - (behind[list.length]! - behind[list.length - first]!);
  const fitting = (starts: readonly number[], into: number): number | undefined =>
    starts.find((at) => behind[list.length - at]! <= into);

  const turns = [...list.keys()].slice(first).filter((at) => opensTurn(list[at]));
  const whole = fitting(turns, left);
  if (whole !== undefined) return [...list.slice(0, first), ...list.slice(whole)];
  const turn = turns.at(-1) ?? first;
  const steps = stepStarts(list, turn);
  const start = steps[0] ?? list.length;
  const opening = behind[list.length - turn]! - behind[list.length - start]!;
  const step = fitting(steps, left - opening) ?? steps.at(-1) ?? start;
  return [...list.slice(0, first), ...list.slice(turn, start), ...list.slice(step)];
}

/** Rule 3, from `turn` on. Ids may come again in a later step: a result belongs to the nearest call before it. */
function stepStarts(list: readonly unknown[], turn: number): number[] {
  const called = new Set(list.slice(turn).flatMap(calls));
  const open = new Set<unknown>(); // results seen whose call is still to come, further to the front
  const starts: number[] = [];
  for (let at = list.length - 1; at >= turn; at--) {
    for (const id of results(list[at])) if (called.has(id)) open.add(id);
    for (const id of calls(list[at])) open.delete(id);
    const speaks = ofModel(list[at]) && (at === turn || !ofModel(list[at - 1]));
    if (speaks && open.size === 0) starts.push(at);
  }
  return starts.reverse();
}

function isPrompt(message: any): boolean {
  return message?.role === "system" || message?.role === "developer";
}

/** A message of the user that is no tool's result (Anthropic's results lie in such messages). */
function opensTurn(message: any): boolean {
  return message?.role === "user" && !blocks(message).some((block) => block?.type === "tool_result");
}

/** An assistant's message, or an item of the Responses API that the model made. */
function ofModel(message: any): boolean {
  if (message?.role !== undefined) return message.role === "assistant";
  return typeof message?.type === "string" && !message.type.endsWith("_output");
}

function calls(message: any): unknown[] {
  const called = blocks(message).filter((block) => block?.type === "toolCall" || block?.type === "tool_use");
  const listed = Array.isArray(message?.tool_calls) ? message.tool_calls : [];
  const own = isItem(message, "_call") ? [message.call_id] : [];
  return [...called, ...listed].map((one) => one?.id).concat(own);
}

function results(message: any): unknown[] {
  const inside = blocks(message).filter((block) => block?.type === "tool_result");
  const own = isItem(message, "_output") ? message.call_id : (message?.toolCallId ?? message?.tool_call_id);
  return inside.map((block) => block.tool_use_id).concat(own ?? []);
}

function isItem(message: any, end: string): boolean {
  return typeof message?.type === "string" && message.type.endsWith(end);
}

function blocks(message: any): any[] {
  return Array.isArray(message?.content) ? message.content : [];
}
