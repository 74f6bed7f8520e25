// Lists of messages: what is the same, what it weighs, what an answer makes of it, and what to send without one.
//
// Rules:
// 1. A message that is kept is the object that was given, for hosts that remember things by identity.
// 2. What a list weighs is a guess that errs on the heavy side: 4 characters a token, and a quarter more, as ctxmgr
//    starts with.
// 3. Without ctxmgr a list is cut, if it must be, before a message of the user: no call is parted from its result.

import { SidecarFault } from "./fault.ts";
import type { Result } from "./interface.ts";

const CHARACTERS_A_TOKEN = 4;
const HEAVIER = 1.25;
const IMAGE_CHARACTERS = 4_800; // an image's text is no measure of its tokens; pi's estimate
const IMAGES: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);

/** What was sent, as big as it was then, and what was made of it. */
export interface Projection<M> {
  readonly given: readonly M[];
  readonly sizes: readonly number[];
  readonly list: readonly M[];
}

/** Characters of a value as JSON, roughly. */
export function size(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + size(one) + 1, 2);
  const members = value as Record<string, unknown>;
  if (IMAGES.has(members.type)) return IMAGE_CHARACTERS;
  let sum = 2;
  for (const key of Object.keys(members)) sum += key.length + 4 + size(members[key]);
  return sum;
}

export function tokens(sizes: readonly number[]): number {
  return (sizes.reduce((sum, one) => sum + one, 0) / CHARACTERS_A_TOKEN) * HEAVIER;
}

/** Whether two values are the same JSON; the order of members does not count. */
export function same(one: any, other: any): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (typeof one.toJSON === "function") return JSON.stringify(one) === JSON.stringify(other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]));
}

/** Whether `messages` begins with all that was given before. The same object at another size was changed in place. */
export function continues<M>(messages: readonly M[], sizes: readonly number[], before: Projection<M>): boolean {
  if (messages.length < before.given.length) return false;
  return before.given.every((one, at) => before.sizes[at] === sizes[at] && same(one, messages[at]));
}

/** The list that an answer means. Throws garbage where it means none. */
export function projected<M>(messages: M[], answer: Result<"context">): M[] {
  if (answer?.unchanged === true) return messages;
  const list: M[] = [];
  const garbage = new SidecarFault("garbage", "the answer to context means no list", "context");
  for (const edit of (answer?.edits ?? []) as any[]) {
    const [from, to] = Array.isArray(edit?.keep) ? edit.keep : [-1, -1];
    if (0 <= from && from <= to && to <= messages.length) {
      for (const message of messages.slice(from, to)) list.push(message);
    } else if (typeof edit?.put === "object" && edit.put !== null) {
      list.push(edit.put);
    } else {
      throw garbage;
    }
  }
  if (list.length === 0 && messages.length > 0) throw garbage;
  return list;
}

/** `messages` where `list` holds the same objects and no others. */
export function identical<M>(list: M[], messages: M[]): M[] {
  const all = list.length === messages.length && list.every((message, at) => message === messages[at]);
  return all ? messages : list;
}

/** What to send without an answer: the last projection and what came since, or the list as it is, if that fits into
 *  `room` tokens; else as many of the newest turns as fit, and the newest in any case. */
export function unaided<M>(messages: M[], sizes: readonly number[], last: Projection<M> | undefined, room: number): M[] {
  let list = messages;
  if (last && continues(messages, sizes, last)) {
    list = [...last.list, ...messages.slice(last.given.length)];
    if (tokens(list.map(size)) <= room) return list;
  }
  if (tokens(sizes) <= room) return messages;
  return newest(list, room);
}

function newest<M>(list: readonly M[], room: number): M[] {
  const roles = list.map((message) => (message as { role?: unknown } | null)?.role);
  const head = roles.findIndex((role) => role !== "system" && role !== "developer");
  const first = head < 0 ? list.length : head;
  const sizes = list.map(size);
  let left = room - tokens(sizes.slice(0, first));
  let from = list.length;
  for (let at = list.length - 1; at >= first; at--) {
    left -= tokens([sizes[at]!]);
    if (left < 0 && from < list.length) break;
    if (opensTurn(list[at])) from = at;
  }
  return from === list.length ? [...list] : [...list.slice(0, first), ...list.slice(from)];
}

/** A message of the user that is no tool's result (Anthropic's results lie in such messages). */
function opensTurn(message: any): boolean {
  const content = message?.content;
  return message?.role === "user" && !(Array.isArray(content) && content.some((block) => block?.type === "tool_result"));
}
