/** Turns ctxmgr's answers into text for people. Pure. */

import type { protocol } from "../../typescript/src/index.ts";

const LINES_SHOWN = 60; // of verdicts
const EPOCHS_SHOWN = 3; // the newest

export function status(given: protocol.Status, restored: boolean | undefined): string {
  const { mode, preset, zone, pressure, tokens, contextWindow, packetTokens, weigher, summaries, latch, notes } = given;
  const used = tokens === null ? "not known yet, of" : `${number(tokens)} of`;
  return [
    `Pruning ${mode} (${preset}), zone ${zone}, pressure ${pressure.toFixed(2)}`,
    `Context: ${used} ${number(contextWindow)} tokens; packet ${number(packetTokens)}, weighed by ${weigher}`,
    `Summaries: ${plural(summaries.compaction, "compaction")}, ${plural(summaries.branch, "branch", "branches")}`,
    `Requests for a compaction: ${latch.state}${latch.failures > 0 ? `, ${plural(latch.failures, "failure")}` : ""}`,
    ...(restored === true ? ["The session was known from before."] : []),
    ...notes,
  ].join("\n");
}

/** `report`: of the last request, undefined where there was none or ctxmgr did not answer it. */
export function stats(given: protocol.PruneStats, preset: string, report?: protocol.Report): string {
  const { enabled, scanned, protected: safe, prunable, resultsPruned, tokensPruned, resultsDistilled } = given;
  return [
    `Pruning is ${enabled && preset !== "off" ? "on" : "off"}.`,
    `The last pass over tool output: ${number(scanned)} tokens, ` +
      `of them ${number(safe)} protected, ${number(prunable)} prunable`,
    `So far: ${plural(resultsPruned, "result")} pruned (${number(tokensPruned)} tokens), ` +
      `${number(resultsDistilled)} distilled, ${plural(given.turnsDropped, "turn")} dropped`,
    ...(report === undefined ? [] : [`The last request: ${leftOut(report)}`]),
  ].join("\n");
}

function leftOut({ rawTokens, tokens, messagesDropped, turnsDropped }: protocol.Report): string {
  const what = messagesDropped == null ? plural(turnsDropped, "turn") : plural(messagesDropped, "message");
  return `${number(rawTokens)} -> ${number(tokens)} tokens, ${what} left out`;
}

/** A line for an epoch that opened; what it saves is what reading so much of a cache costs. `price`: dollars a million. */
export function epoch({ before, after }: Pick<protocol.EpochReceipt, "before" | "after">, price: number | undefined): string {
  const saved = ((before - after) * (price ?? 0)) / 1_000_000;
  return `ctxmgr: ${short(before)} -> ${short(after)} tokens${saved > 0 ? `, saves ${dollars(saved)} a call` : ""}`;
}

function short(tokens: number): string {
  return tokens < 1_000 ? `${Math.round(tokens)}` : `${Math.round(tokens / 1_000)}k`;
}

function dollars(given: number): string {
  return given < 0.005 ? `$${given.toPrecision(1)}` : `$${given.toFixed(2)}`;
}

export function policy(given: protocol.PolicyResult): string {
  const thresholds = Object.entries(given.thresholds).map(([name, tokens]) => `${name} ${number(tokens)}`);
  return `${JSON.stringify(given.policy, null, 2)}\nThresholds in tokens: ${thresholds.join(", ")}`;
}

/** `preset tools`, `zones.red 0.6`, `{"prunableTools": ["read"]}`: policy keys with JSON or plain words. */
export function setting(args: string): protocol.PolicyKeys {
  const trimmed = args.trim();
  if (trimmed.startsWith("{")) return JSON.parse(trimmed) as protocol.PolicyKeys;
  const [path = "", ...words] = trimmed.split(/\s+/);
  const keys = path.split(".").reverse();
  return keys.reduce((value: unknown, key) => ({ [key]: value }), valueOf(words.join(" "))) as protocol.PolicyKeys;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a plain word
  }
}

/** The sums, the last epochs with their arithmetic, and all that was not kept, newest last. */
export function explained({ verdicts, epochs }: Pick<protocol.ExplainResult, "verdicts" | "epochs">): string {
  const sums = new Map<string, { count: number; before: number; after: number }>();
  for (const { verdict, before, after } of verdicts) {
    const sum = sums.get(verdict) ?? { count: 0, before: 0, after: 0 };
    sums.set(verdict, { count: sum.count + 1, before: sum.before + before, after: sum.after + after });
  }
  const changed = verdicts.filter(({ verdict }) => verdict !== "kept");
  const hidden = changed.length - LINES_SHOWN;
  return [
    ...[...sums].map(([name, sum]) => `${sum.count} ${name}: ${number(sum.before)} -> ${number(sum.after)} tokens`),
    ...epochs.slice(-EPOCHS_SHOWN).map(receipt),
    ...(hidden > 0 ? [`(the first ${hidden} of the changed are not shown)`] : []),
    ...changed.slice(-LINES_SHOWN).map(line),
  ].join("\n");
}

function receipt({ epoch, before, after, count, arithmetic }: protocol.EpochReceipt): string {
  return `Epoch ${epoch}: ${number(before)} -> ${number(after)} tokens, ${plural(count, "thing")} left; ${arithmetic}`;
}

function line({ index, verdict, rule, before, after }: protocol.Verdict): string {
  return `  ${index === null ? "new" : `#${index}`} ${verdict} (${rule}): ${number(before)} -> ${number(after)}`;
}

export function absent(complaint: string): string {
  return `ctxmgr does not answer; pi goes on without it.${complaint === "" ? "" : `\n${complaint}`}`;
}

export function number(given: number): string {
  return Math.round(given).toLocaleString("en-GB");
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
