// Which pi this is: events that a version lacks are registered without a complaint and never come.

import type { Lent } from "./pi.ts";

const SETTLED_SINCE = [0, 80, 4]; // `agent_settled`

/** Whether `agent_settled` follows `agent_end`; false where pi does not tell its version. */
export async function settles(lent: Lent): Promise<boolean> {
  const { VERSION } = await lent.program().catch(() => ({ VERSION: undefined }));
  return VERSION !== undefined && atLeast(VERSION, SETTLED_SINCE);
}

export function atLeast(version: string, wanted: readonly number[]): boolean {
  const numbers = version.split(/[.-]/).map(Number);
  for (const [place, least] of wanted.entries()) {
    const one = numbers[place] ?? 0;
    if (one !== least) return one > least;
  }
  return true;
}
