/**
 * What fills the window, by kind: a bar, and each kind with its tokens and its share. Pure.
 *
 * 1. Weights are ctxmgr's own, of the list that was sent; what it put in counts as its packet.
 * 2. A kind has a letter by its place, the heaviest first; what is left free is dots.
 */

import type { protocol } from "../../typescript/src/index.ts";
import type { Message } from "./pi.ts";
import { number } from "./showing.ts";

const CELLS = 40; // of the bar
const KINDS_SHOWN = 8; // the heaviest; the others are one
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const KINDS: Record<string, string> = {
  user: "user",
  assistant: "replies and calls",
  bashExecution: "user's commands",
  custom: "extensions",
  branchSummary: "summaries",
  compactionSummary: "summaries",
};

/** The kinds of the messages of the last request, in its order, and what it carried besides them. */
export interface Seen {
  kinds: string[];
  overheadTokens: number;
}

export function seen(messages: Message[], overheadTokens = 0): Seen {
  return { kinds: messages.map(kind), overheadTokens };
}

function kind({ role, toolName }: Message): string {
  return role === "toolResult" ? `${String(toolName)} results` : (KINDS[role] ?? role);
}

export function filling(given: Seen | undefined, verdicts: protocol.Verdict[], windowTokens: number): string {
  if (given === undefined) return "Nothing was asked of the model yet.";
  const weights = heaviest(weighed(given, verdicts));
  const used = weights.reduce((sum, [, tokens]) => sum + tokens, 0);
  const whole = Math.max(used, windowTokens);
  const named = weights.map(([name, tokens], at) => `${LETTERS[at]} ${name} ${number(tokens)} (${percent(tokens / whole)})`);
  const share = percent(used / windowTokens);
  return [
    `The last request: about ${number(used)} of ${number(windowTokens)} tokens (${share})`,
    `[${bar(weights.map(([, tokens]) => tokens / whole))}]`,
    named.join(", "),
  ].join("\n");
}

function weighed({ kinds, overheadTokens }: Seen, verdicts: protocol.Verdict[]): Map<string, number> {
  const sums = new Map<string, number>();
  const add = (name: string, tokens: number) => sums.set(name, (sums.get(name) ?? 0) + tokens);
  add("system prompt", overheadTokens);
  for (const { index, after } of verdicts) add(index === null ? "packet" : (kinds[index] ?? "other"), after);
  return sums;
}

function heaviest(sums: Map<string, number>): [string, number][] {
  const sorted = [...sums].filter(([, tokens]) => tokens > 0).sort(([, one], [, other]) => other - one);
  const others = sorted.slice(KINDS_SHOWN).reduce((sum, [, tokens]) => sum + tokens, 0);
  return [...sorted.slice(0, KINDS_SHOWN), ...(others > 0 ? [["other", others] as [string, number]] : [])];
}

/** Shares of one, one after the other: the ends are rounded, not the lengths, so that nothing is lost or added. */
function bar(shares: number[]): string {
  let cells = "";
  let end = 0;
  for (const [at, share] of shares.entries()) {
    end += share;
    cells = cells.padEnd(Math.round(CELLS * end), LETTERS[at]);
  }
  return cells.padEnd(CELLS, "·");
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
