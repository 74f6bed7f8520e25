/**
 * The cache marks of a request of Anthropic's, set where ctxmgr's report has them.
 *
 * 1. pi marks the system prompt and the newest message by itself: its marks stay, and ours are as they are.
 * 2. pi's messages are not the provider's: a result is found by the id of its call, a reply by that of its last
 *    call. What is not found so bears no mark.
 * 3. Never more than four in a request, the places farthest on in the list first; none where pi sets none.
 */

import type { Json, Message } from "./pi.ts";

const MOST_MARKS = 4;

/** The request with marks on these messages of pi's list; undefined where it stays as it is. */
export function withMarks(payload: unknown, named: readonly Message[]): Json | undefined {
  if (!isJson(payload) || !Array.isArray(payload["messages"])) return undefined;
  const marks = [payload["system"], payload["tools"], ...payload["messages"].map(content)].flatMap(marksOf);
  const mark = marks.at(-1);
  let room = MOST_MARKS - marks.length;
  const messages: unknown[] = [...payload["messages"]];
  let isChanged = false;
  for (const wanted of named.toReversed().map(sought)) {
    const isWanted = (block: unknown): boolean => isJson(block) && wanted?.id !== undefined && block[wanted.name] === wanted.id;
    const place = messages.findLastIndex((one) => blocks(one).some(isWanted));
    if (place < 0 || mark === undefined || room < 1 || marksOf(content(messages[place])).length > 0) continue;
    const held = content(messages[place]) as unknown[];
    const marked = held.map((block) => (isWanted(block) ? { ...(block as Json), cache_control: mark } : block));
    messages[place] = { ...(messages[place] as Json), content: marked };
    room -= 1;
    isChanged = true;
  }
  return isChanged ? { ...payload, messages } : undefined;
}

/** By what the provider's block of a message is found (rule 2). */
function sought(message: Message): { name: string; id: unknown } | undefined {
  if (message.role === "toolResult") return { name: "tool_use_id", id: message["toolCallId"] };
  if (message.role !== "assistant") return undefined;
  return { name: "id", id: blocks(message).findLast((block) => block["type"] === "toolCall")?.["id"] };
}

/** The marks in a list of blocks, those within results too. */
function marksOf(held: unknown): Json[] {
  if (!Array.isArray(held)) return [];
  return held.filter(isJson).flatMap((block) => [
    ...marksOf(block["content"]),
    ...(isJson(block["cache_control"]) ? [block["cache_control"]] : []),
  ]);
}

function content(message: unknown): unknown {
  return isJson(message) ? message["content"] : undefined;
}

function blocks(message: unknown): Json[] {
  const held = content(message);
  return Array.isArray(held) ? held.filter(isJson) : [];
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
