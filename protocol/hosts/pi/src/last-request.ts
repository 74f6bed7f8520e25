/**
 * The request that pi sent last, to be sent once more with a message at its end.
 *
 * 1. It is taken as the provider got it, whatever pi and other extensions had made of it: so the provider's cache
 *    has it, prompt and tools included.
 * 2. What came since is written by pi's own library in the shape of that provider, and stands behind it, unmarked:
 *    it is written to no cache, for nothing of it is read again.
 * 3. A request that follows no list is none of the session: pi keeps a cache warm with a copy of the last one.
 * 4. Where pi hands out no request, where it was another model's, or where its shape is not known, nothing is sent.
 */

import type { Json, Message, Model } from "./pi.ts";

const LISTS = ["messages", "input", "contents"]; // Anthropic, chat completions, Bedrock and Mistral; OpenAI's responses; Google
const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
const THINKING = ["thinking", "reasoning", "reasoning_effort"]; // it counts as output, so the session's own limit stays
const PROMPTS: unknown[] = ["system", "developer"];

export class LastRequest {
  private payload: Json | undefined;
  private model: Model | undefined;
  private since: Message[] = [];
  /** The next request is of the session's list. */
  isAwaited = false;

  /** pi has made the list of its next request. */
  listed(): void {
    this.isAwaited = true;
  }

  /** pi sends a request (rule 3). */
  sent(payload: unknown, model: Model | undefined): void {
    if (!this.isAwaited) return;
    this.isAwaited = false;
    this.payload = isJson(payload) ? payload : undefined;
    this.model = model;
    this.since = [];
  }

  /** What came of it. */
  answered(...messages: Message[]): void {
    this.since.push(...messages);
  }

  /** The next list is another one. */
  forget(): void {
    this.payload = this.model = undefined;
    this.since = [];
    this.isAwaited = false;
  }

  /** What came since, where this model was asked last; undefined where it was not (rule 4). */
  of(model: Model): Message[] | undefined {
    if (this.payload === undefined || this.model?.id !== model.id || this.model.provider !== model.provider) return undefined;
    return [...this.since];
  }

  /** The request that pi's library made of what came since, with all of the last one before it. Throws (rule 4). */
  goneOn(fresh: unknown): Json {
    const { payload } = this;
    if (payload === undefined || !isJson(fresh)) throw new Error("there is no request to go on with");
    const name = LISTS.find((one) => Array.isArray(payload[one]) && Array.isArray(fresh[one]));
    if (name === undefined) throw new Error("requests of this provider cannot be gone on with");
    const newer = (fresh[name] as unknown[]).filter((one) => !isJson(one) || !PROMPTS.includes(one["role"]));
    return { ...payload, ...limits(payload, fresh), ...config(payload, fresh), [name]: [...(payload[name] as unknown[]), ...newer] };
  }
}

/** The shorter limit of an answer. */
function limits(payload: Json, fresh: Json): Json {
  if (THINKING.some((name) => payload[name] !== undefined)) return {};
  const both = LIMITS.filter((name) => typeof payload[name] === "number" && typeof fresh[name] === "number");
  return Object.fromEntries(both.map((name) => [name, Math.min(payload[name] as number, fresh[name] as number)]));
}

/** Google's library takes the signal that ends a call with the request: that of the last one is over. */
function config(payload: Json, fresh: Json): Json {
  if (!isJson(payload["config"])) return {};
  const { abortSignal: _, ...rest } = payload["config"];
  const signal = isJson(fresh["config"]) ? fresh["config"]["abortSignal"] : undefined;
  return { config: { ...rest, ...(signal === undefined ? {} : { abortSignal: signal }) } };
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
