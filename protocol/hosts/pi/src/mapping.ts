/**
 * Turns pi's events into the params of ctxmgr's methods. Pure; knows no client.
 *
 * 1. Only what is needed travels: `turn_end` carries a whole preview of the next request (0.87 and later), which
 *    ctxmgr has from `context`.
 * 2. What JSON has no word for is spelled out (Sets as arrays) or left out (signals, numbers that are none).
 * 3. pi's list of models has 0 where nobody knows what reading a cache costs, which would be told as free: left out.
 */

import type { protocol, SessionParams } from "../../typescript/src/index.ts";
import type { Caching } from "./settings.ts";
import type { AssistantMessage, BeforeCompact, Entry, Json, Model, SessionManager, TurnEnd, Usage } from "./pi.ts";

const WINDOW = 128_000; // tokens; what pi takes a model's window for where none is told
const UNKNOWN_MODEL: Model = { id: "unknown" }; // until the user has chosen one
const CHARACTERS_PER_TOKEN = 4; // pi's weigher

const LONG_CACHE_MS = 3_600_000; // what `PI_CACHE_RETENTION=long` asks providers for, where pi's list does not say
const WARMED_MS = 1_800_000; // so long pi warms a cache while nothing runs

export function model(given: Model = UNKNOWN_MODEL, caching: Caching = { retention: "short", idle: false }): protocol.Model {
  const { id, provider, contextWindow = 0, maxTokens = 0, cost } = given;
  return {
    id,
    provider,
    contextWindow: contextWindow >= 1 ? contextWindow : WINDOW,
    maxOutputTokens: maxTokens >= 1 ? maxTokens : undefined,
    cacheTtlMs: cacheTtl(given, caching),
    prices: cost && { input: cost.input, output: cost.output, cacheRead: cost.cacheRead || undefined, cacheWrite: cost.cacheWrite },
  };
}

/** How long a prompt's prefix is kept; undefined leaves it to the policy. pi warms only where it knows how long. */
function cacheTtl({ promptCache }: Model, { retention, idle }: Caching): number | undefined {
  const seconds = promptCache?.[retention];
  if (seconds === undefined) return retention === "long" ? LONG_CACHE_MS : undefined;
  return Math.round(Math.max(seconds * 1_000, idle ? WARMED_MS : 0));
}

/** Tokens that every request carries besides the messages, as far as an extension can see them. */
export function overhead(systemPrompt: string | undefined): number | undefined {
  return systemPrompt === undefined ? undefined : Math.ceil(systemPrompt.length / CHARACTERS_PER_TOKEN);
}

export function turnEnd(event: TurnEnd, manager: SessionManager, at: number): SessionParams<"turn_end"> {
  const { message, toolResults } = event;
  return { message, toolResults, usage: usage(message), at, entryIds: entryIds(event, manager) };
}

/** The provider's reading; an attempt that failed or was broken off has none. */
export function usage(message: AssistantMessage): Usage | undefined {
  const given = message.usage;
  if (given === undefined || failed(message)) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, totalTokens } = given;
  const counts = [input, output, cacheRead, cacheWrite, totalTokens ?? 0];
  if (!counts.every((one) => Number.isFinite(one) && one >= 0) || counts.every((one) => one === 0)) return undefined;
  return { input, output, cacheRead, cacheWrite, ...(totalTokens && { totalTokens }) };
}

export function failed(message: AssistantMessage): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}

/** Tokens of a reading as pi compares them with the window. */
export function total({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0, totalTokens }: Usage): number {
  return totalTokens || input + output + cacheRead + cacheWrite;
}

/**
 * The entries that hold a turn's messages. 0.87 and later name them; before, they are the newest of the branch,
 * where pi has put the very same objects.
 */
export function entryIds(event: TurnEnd, manager: SessionManager): protocol.EntryIds | undefined {
  const { message, toolResults, messageEntryId, toolResultEntryIds } = event;
  if (messageEntryId !== undefined) {
    const whole = toolResultEntryIds?.length === toolResults.length; // pi leaves out what it cannot find
    return { message: messageEntryId, toolResults: whole ? toolResultEntryIds : undefined };
  }
  const found = held(manager, new Set<unknown>([message, ...toolResults]));
  if (found.size === 0) return undefined;
  return { message: found.get(message), toolResults: toolResults.map((one) => found.get(one) ?? null) };
}

/** The entries of these messages among the newest; labels and the like may stand between. */
function held(manager: SessionManager, wanted: ReadonlySet<unknown>): Map<unknown, string> {
  const found = new Map<unknown, string>();
  let id = manager.getLeafId();
  for (let steps = 2 * wanted.size + 8; id !== null && found.size < wanted.size && steps > 0; steps -= 1) {
    const entry: Entry | undefined = manager.getEntry(id);
    if (entry === undefined) break;
    if (entry.message !== undefined && wanted.has(entry.message)) found.set(entry.message, entry.id);
    id = entry.parentId;
  }
  return found;
}

export function beforeCompact(event: BeforeCompact, deadlineMs: number, at: number): SessionParams<"session_before_compact"> {
  const { branchEntries, customInstructions, reason } = event;
  const preparation = plain(event.preparation) as protocol.HostPreparation;
  return { preparation, branchEntries, customInstructions, reason, deadlineMs, at };
}

export function beforeTree(preparation: Json, deadlineMs: number): SessionParams<"session_before_tree"> {
  return { preparation: plain(preparation) as protocol.TreePreparation, deadlineMs };
}

/** A compaction or branch summary without its `details`, which can be large and are nothing to ctxmgr. */
export function summarised(entry: Entry): Omit<Entry, "details"> & { summary: string } {
  const { details: _, ...rest } = entry;
  return { ...rest, summary: entry.summary ?? "" };
}

/** Sets become arrays, signals are left out, wherever pi has them (`preparation.fileOps.read`). */
export function plain(given: unknown): unknown {
  if (given instanceof Set) return [...given];
  if (given instanceof AbortSignal) return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given; // lists hold messages: plain
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, plain(value)]));
}
