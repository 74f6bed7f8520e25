/**
 * Turns ctxmgr's `complete` into one call of pi's own model: keys, headers and proxies stay pi's.
 *
 * Nothing of such a call is ever read again: it asks for no cache, whose writing costs more than input. One that has an
 * `instruction` goes behind the request that pi sent last (`last-request`), which its provider reads from the cache.
 *
 * Late versions have `modelRegistry.complete`, which finds the key by itself; before, the key comes from the registry
 * and the call from the model library that pi lends.
 */

import type { protocol } from "../../typescript/src/index.ts";
import type { LastRequest } from "./last-request.ts";
import type { Spending } from "./spending.ts";
import type { AssistantMessage, Context, Json, Lent, Model } from "./pi.ts";

/** Never rejects: what went wrong is an answer with `stopReason` "error", which ctxmgr does not take for a summary. */
export async function complete(
  asked: protocol.CompleteParams,
  context: Context | undefined,
  lent: Lent,
  spending: Spending,
  signal: AbortSignal,
): Promise<protocol.CompleteResult> {
  try {
    const model = context?.model;
    if (context === undefined || model === undefined) return refused("no model is selected");
    const request = {
      systemPrompt: asked.system,
      messages: [{ role: "user", content: [{ type: "text", text: asked.prompt }], timestamp: Date.now() }],
    };
    const maxTokens = Math.max(1, Math.min(asked.maxTokens, model.maxTokens || asked.maxTokens));
    const reply = await called(context, lent, model, request, { maxTokens, cacheRetention: "none", signal });
    spending.add(reply.usage);
    return answer(reply);
  } catch (fault) {
    return refused(fault instanceof Error ? fault.message : String(fault));
  }
}

/** As `complete`; without a call where the last request cannot be gone on with, which ctxmgr makes up for. */
export async function completeOnContext(
  asked: protocol.CompleteParams,
  context: Context | undefined,
  lent: Lent,
  spending: Spending,
  last: LastRequest,
  signal: AbortSignal,
): Promise<protocol.CompleteResult> {
  try {
    const model = context?.model;
    if (context === undefined || model === undefined) return refused("no model is selected");
    const since = last.of(model);
    if (since === undefined) return refused("this model has been sent no request");
    let isGoneOn = false;
    const onPayload = (fresh: unknown): Json => {
      const whole = last.goneOn(fresh);
      isGoneOn = true;
      return whole;
    };
    const text = asked.instruction ?? "";
    const request = { messages: [...since, { role: "user", content: [{ type: "text", text }], timestamp: Date.now() }] };
    const maxTokens = Math.max(1, Math.min(asked.maxTokens, model.maxTokens || asked.maxTokens));
    const options = { maxTokens, cacheRetention: "none", signal, onPayload };
    const reply = await called(context, lent, model, request, options);
    spending.add(reply.usage);
    return isGoneOn ? answer(reply) : refused(reply.errorMessage ?? "this pi does not let a request be gone on with");
  } catch (fault) {
    return refused(fault instanceof Error ? fault.message : String(fault));
  }
}

async function called(
  context: Context,
  lent: Lent,
  model: Model,
  request: Json,
  options: Json,
): Promise<AssistantMessage> {
  const registry = context.modelRegistry;
  if (registry.complete !== undefined) return await registry.complete(model, request, options);
  const { completeSimple } = await lent.models();
  const found = await registry.getApiKeyAndHeaders?.(model);
  if (found === undefined || completeSimple === undefined) throw new Error("this pi lends no model to extensions");
  if (!found.ok) throw new Error(found.error ?? "no key for the model");
  return await completeSimple(model, request, { ...options, apiKey: found.apiKey, headers: found.headers });
}

function answer(reply: AssistantMessage): protocol.CompleteResult {
  const blocks = Array.isArray(reply["content"]) ? (reply["content"] as Json[]) : [];
  const text = blocks.map((block) => (block["type"] === "text" ? String(block["text"]) : "")).join("");
  return { text, stopReason: reply.stopReason ?? "stop", usage: reply.usage, errorMessage: reply.errorMessage };
}

function refused(errorMessage: string): protocol.CompleteResult {
  return { text: "", stopReason: "error", errorMessage };
}
