// A clock that stands until it is moved.

import type { Clock } from "../src/index.ts";

interface Wait {
  readonly at: number;
  readonly milliseconds: number;
  readonly run: () => void;
}

export class StandingClock implements Clock {
  #now = 0;
  #waits: Wait[] = [];
  #watchers: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): () => void {
    const wait = { at: this.#now + milliseconds, milliseconds, run };
    this.#waits.push(wait);
    for (const watcher of this.#watchers.splice(0)) watcher();
    return () => void (this.#waits = this.#waits.filter((one) => one !== wait));
  }

  /** Resolves once somebody waits for so long, and moves the clock there. */
  async pass(milliseconds: number): Promise<void> {
    while (!this.#waits.some((wait) => wait.milliseconds === milliseconds)) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
    this.advance(milliseconds);
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#waits.filter((wait) => wait.at <= this.#now);
    this.#waits = this.#waits.filter((wait) => wait.at > this.#now);
    for (const wait of due) wait.run();
  }
}
