/**
 * What pi's model was paid for summaries, until pi is told with the next one that it gets: so its totals are whole.
 *
 * A call that failed was paid too, and one that was made ahead counts when its summary is used. pi takes `usage` of a
 * compaction or a branch summary from 0.86 on, and passes it over before.
 */

import type { Json, Usage } from "./pi.ts";

export class Spending {
  private sum: Json | undefined;

  /** Of one call, as pi's model library reports it: tokens, and `cost` in dollars. */
  add(usage: Usage | undefined): void {
    if (usage !== undefined) this.sum = added(this.sum ?? {}, usage as Json);
  }

  /** `{ usage }` for what pi is given now, and nothing left; `{}` where nothing was paid. */
  take(): { usage?: Json } {
    const usage = this.sum;
    this.sum = undefined;
    return usage === undefined ? {} : { usage };
  }
}

/** Numbers by name, also those of members. */
function added(one: Json, other: Json): Json {
  const sum: Json = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const before = sum[name];
    if (typeof value === "number") sum[name] = (typeof before === "number" ? before : 0) + value;
    else if (typeof value === "object" && value !== null) sum[name] = added((before ?? {}) as Json, value as Json);
  }
  return sum;
}
