// When to try again, in milliseconds: later each time, and not for ever.

import type { RestartLimits } from "./interface.ts";

const USUAL: RestartLimits = { limit: 5, withinMs: 300_000, firstDelayMs: 250, longestDelayMs: 10_000 };

export class Restarts {
  readonly limits: RestartLimits;
  #at: number[] = [];

  constructor(limits: Partial<RestartLimits> = {}) {
    this.limits = { ...USUAL, ...limits };
  }

  /** How long to wait for the next, which counts from now on; undefined when there were enough. */
  delay(now: number): number | undefined {
    const { limit, withinMs, firstDelayMs, longestDelayMs } = this.limits;
    this.#at = this.#at.filter((at) => at > now - withinMs);
    if (this.#at.length >= limit) return undefined;
    this.#at.push(now);
    return Math.min(firstDelayMs * 2 ** (this.#at.length - 1), longestDelayMs);
  }
}
