// Cache marks on a list of Anthropic's format, where a report says that they belong.
//
// Rules:
// 1. A mark stands on the last block of a message that can bear one: no thinking, no text that is empty or white.
// 2. All marks of the list are alike: as the newest that the host set itself, within a result too, so that its
//    lifetime stays.
// 3. Never more than four in a request, those outside of the list counted: the ones farthest on in the list stay.
// 4. No other message keeps one. Without a place to mark the list is as it was: its marks are the host's.

const MOST_MARKS = 4;
const OWN_MARKS = 2; // of system prompt and tools, where the host does not say
const THINKING: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

type Members = Record<string, unknown>;

export interface MarkOptions {
  /** Marks of the request outside of the list. Default: 2. */
  readonly ownMarks?: number;
  /** What to set as `cache_control`. Default: as the host's newest mark, else `{ type: "ephemeral" }`. */
  readonly mark?: object;
}

/** The list to send, with marks on the messages at `breakpoints` (`report.cacheBreakpoints`). Messages that change are
 *  new objects; those that were given are left as they are. */
export function withCacheMarks<M extends object>(
  messages: readonly M[],
  breakpoints: readonly number[] | null | undefined,
  { ownMarks = OWN_MARKS, mark }: MarkOptions = {},
): M[] {
  if (!breakpoints?.length) return [...messages];
  const room = Math.max(0, MOST_MARKS - ownMarks);
  const sorted = [...new Set(breakpoints)].sort((one, other) => one - other);
  const places = new Set(sorted.slice(Math.max(0, sorted.length - room)));
  const set = mark ?? newest(messages) ?? { type: "ephemeral" };
  return messages.map((one, place) => marked(one, places.has(place) ? set : undefined));
}

/** The message with this mark alone; undefined: with none. */
function marked<M extends object>(message: M, mark: object | undefined): M {
  const held = (message as Members)["content"];
  const content = typeof held === "string" && mark !== undefined ? [{ type: "text", text: held }] : held;
  if (!Array.isArray(content)) return message;
  const blocks: unknown[] = content.map(bare);
  const place = mark === undefined ? -1 : blocks.findLastIndex(mayBear);
  if (place >= 0) blocks[place] = { ...(blocks[place] as Members), cache_control: mark };
  else if (content !== held || blocks.every((one, at) => one === content[at])) return message;
  return { ...message, content: blocks };
}

/** Without marks, those within a result too; the very block where it has none. */
function bare(block: unknown): unknown {
  if (!isMembers(block)) return block;
  const held = block["content"];
  const inner = Array.isArray(held) ? held.map(bare) : undefined;
  const changed = inner !== undefined && inner.some((one, at) => one !== (held as unknown[])[at]);
  if (!("cache_control" in block) && !changed) return block;
  const { cache_control: _, ...rest } = block;
  return changed ? { ...rest, content: inner } : rest;
}

/** Rule 1. */
export function mayBear(block: unknown): boolean {
  if (!isMembers(block) || typeof block["type"] !== "string" || THINKING.has(block["type"])) return false;
  return block["type"] !== "text" || (typeof block["text"] === "string" && block["text"].trim() !== "");
}

/** Rule 2. */
function newest(messages: readonly object[]): object | undefined {
  return first(messages.toReversed(), newestOf);
}

/** Of what a message or a result holds; a result's own mark stands behind those within it. */
function newestOf(holder: unknown): object | undefined {
  const content = isMembers(holder) ? holder["content"] : undefined;
  if (!Array.isArray(content)) return undefined;
  return first(content.toReversed(), (block) => {
    const own = isMembers(block) ? block["cache_control"] : undefined;
    return isMembers(own) ? own : newestOf(block);
  });
}

function first<T>(all: readonly T[], look: (one: T) => object | undefined): object | undefined {
  for (const one of all) {
    const found = look(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
