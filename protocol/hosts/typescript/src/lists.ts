// Lists of messages: what is the same, what it weighs, what an answer makes of it, and what to send without one.
//
// Rules:
// 1. A message that is kept is the object that was given, for hosts that remember things by identity.
// 2. What a list weighs is a guess that errs on the heavy side: 4 characters a token, and a quarter more, as ctxmgr
//    starts with.
// 3. An answer is taken only where it means a list that can be: messages of the host's in their order, each once, and
//    new ones that are messages. A provider would refuse any other.
// 4. Without an answer the last projection and what came since goes on while that fits; else the host's own list goes out,
//    untouched: what leaves is never a client's to decide (docs/guide/without-an-answer.md).

import { SidecarFault } from "./fault.ts";
import type { Result } from "./interface.ts";

const CHARACTERS_A_TOKEN = 4;
const HEAVIER = 1.25;
const IMAGE_CHARACTERS = 4_800; // an image's text is no measure of its tokens; pi's estimate
const IMAGES: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);

/** What was sent, as big as it was then, what was made of it, and its weight in tokens, where ctxmgr told it. */
export interface Projection<M> {
  readonly given: readonly M[];
  readonly sizes: readonly number[];
  readonly list: readonly M[];
  readonly tokens?: number;
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

/** The list that an answer means (rule 3). Throws garbage where it means none. */
export function projected<M>(messages: M[], answer: Result<"context">): M[] {
  if (answer?.unchanged === true) return messages;
  const list: M[] = [];
  let kept = 0; // all before it is kept or left out
  const edits: any = answer?.edits;
  for (const edit of Array.isArray(edits) ? edits : []) {
    if (isRange(edit?.keep, kept, messages.length)) {
      for (const message of messages.slice(...(edit.keep as [number, number]))) list.push(message);
      kept = edit.keep[1];
    } else if (isMessage(edit?.put)) {
      list.push(edit.put as M);
    } else {
      throw garbage();
    }
  }
  if (list.length === 0 && messages.length > 0) throw garbage();
  return list;
}

function garbage(): SidecarFault {
  return new SidecarFault("garbage", "the answer to context is not a valid list", "context");
}

/** Whether it is `[from, to]`, whole numbers that rise from `low` to `high`. */
function isRange(keep: unknown, low: number, high: number): boolean {
  if (!Array.isArray(keep) || keep.length !== 2 || !keep.every(Number.isInteger)) return false;
  return low <= keep[0] && keep[0] <= keep[1] && keep[1] <= high;
}

/** Whether it can be a message: of every format each has a role, or as an item a type. */
function isMessage(put: any): boolean {
  if (typeof put !== "object" || put === null || Array.isArray(put)) return false;
  return typeof put.role === "string" || typeof put.type === "string";
}

/** What to send without an answer (rule 4); `room` in tokens. */
export function unaided<M>(messages: M[], sizes: readonly number[], last: Projection<M> | undefined, room: number): M[] {
  if (!last || !continues(messages, sizes, last)) return messages;
  const since = sizes.slice(last.given.length);
  const weight = (last.tokens || tokens(last.list.map(size))) + tokens(since);
  return weight <= room ? [...last.list, ...messages.slice(last.given.length)] : messages;
}
