/**
 * Turns ctxmgr's `complete` into one call of pi's own model: keys, headers and proxies stay pi's.
 *
 * Nothing of such a call is ever read again: it asks for no cache, whose writing costs more than input.
 *
 * Late versions have `modelRegistry.complete`, which finds the key by itself; before, the key comes from the registry
 * and the call from the model library that pi lends.
 */

import type { protocol } from "../../typescript/src/index.ts";
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
