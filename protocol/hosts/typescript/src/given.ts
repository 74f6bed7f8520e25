// What the host gave in its options, as the process and the protocol take it.

import { PROTOCOL_VERSION } from "../../../ctxmgr.ts";
import type { Answering } from "./child.ts";
import type { Params, Result, SidecarOptions } from "./interface.ts";

const RESERVE = 16_384; // tokens, where the policy does not say

export function commandLine({ command, stateDir, args = [] }: SidecarOptions): readonly string[] {
  const program = command ?? commandWords(process.env.CTXMGR_COMMAND ?? "") ?? ["ctxmgr"];
  return [...program, "serve", ...(stateDir === undefined ? [] : ["--state-dir", stateDir]), ...args];
}

/** A command as one text, as in `$CTXMGR_COMMAND`: a JSON list of words, or words between blanks. Undefined where
 *  there is none. */
export function commandWords(text: string): string[] | undefined {
  const isWord = (one: unknown): boolean => typeof one === "string" && one !== "";
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list.length > 0 && list.every(isWord) ? list : undefined;
  } catch {
    // no JSON: words
  }
  return text.trim() === "" ? undefined : text.trim().split(/\s+/);
}

/** Declared is what there is a callback for. */
export function greeting(options: SidecarOptions): Params<"initialize"> {
  const { clientInfo = { name: "ctxmgr-client" }, policy, tools, messageFormat, deliver = "whenIdle" } = options;
  const capabilities = {
    requestCompaction: options.onRequestCompaction ? deliver : false,
    complete: options.onComplete !== undefined,
    ...(options.onComplete && options.onCompleteOnContext ? { completeOnContext: true } : {}),
    embed: options.onEmbed !== undefined,
    retrieve: options.retrieve ?? false,
    edits: true,
    ...(options.onTelemetry ? { telemetry: true } : {}),
  } as const;
  const told = { clientInfo, capabilities, policy, tools, messageFormat };
  return { protocolVersion: PROTOCOL_VERSION, ...told, processId: process.pid };
}

/** Tokens kept free for the reply, by the policy's keys as they were set. */
export function reserve({ policy }: SidecarOptions, modelId: string): number {
  return policy?.models?.[modelId]?.reserve ?? policy?.reserve ?? RESERVE;
}

export function answering(options: SidecarOptions): ReadonlyMap<string, Answering> {
  const { onRequestCompaction, onComplete, onCompleteOnContext, onEmbed } = options;
  const all = new Map<string, Answering>();
  if (onRequestCompaction) all.set("requestCompaction", (params) => compactionAnswer(options, params));
  if (onComplete)
    all.set("complete", (params, signal) =>
      params.instruction !== undefined && onCompleteOnContext ? onCompleteOnContext(params, signal) : onComplete(params, signal),
    );
  if (onEmbed) all.set("embed", onEmbed);
  return all;
}

/** The callbacks by the notification that they hear. */
export function hearing({ onTelemetry }: SidecarOptions): ReadonlyMap<string, (params: Params<"telemetry/event">) => void> {
  return new Map(onTelemetry ? [["telemetry/event", (event) => guarded(() => onTelemetry(event))]] : []);
}

/** A callback that throws has refused. */
export async function compactionAnswer(
  { onRequestCompaction }: SidecarOptions,
  params: Params<"requestCompaction">,
): Promise<Result<"requestCompaction">> {
  try {
    return (await onRequestCompaction?.(params)) ?? { accepted: false, reason: "no answer" };
  } catch {
    return { accepted: false, reason: "the host's callback failed" };
  }
}

/** Runs a callback of the host, whose faults are not ours. */
export function guarded(run: () => void): void {
  try {
    run();
  } catch {
    // told to nobody: there is nobody else to tell
  }
}
