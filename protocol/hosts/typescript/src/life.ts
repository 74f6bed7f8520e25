// Tells a process that hangs from one that is late.
//
// 1. One late call says little: on a loaded machine everything is late. It is cancelled, which asks for an answer as
//    cheap as there is; that one, and any other byte, is a sign of life.
// 2. Who gives no sign of life for `hangMs` after a call was late hangs.
// 3. Who is alive, and leaves so many calls in a row without their answer, is of no use.
// 4. From a late call to the next sign of life a process is in doubt: nobody should wait for it.

import type { SidecarFault } from "./fault.ts";
import type { Clock } from "./interface.ts";

const LATE_CALLS = 5; // in a row; with those of `context` ten seconds in which the host had to do without

export class Life {
  readonly #clock: Clock;
  readonly #hangMs: number;
  readonly #hangs: (fault: SidecarFault) => void;
  #late = 0;
  #doubt: (() => void) | undefined; // takes back the end of our patience

  constructor(clock: Clock, hangMs: number, hangs: (fault: SidecarFault) => void) {
    this.#clock = clock;
    this.#hangMs = hangMs;
    this.#hangs = hangs;
  }

  get doubted(): boolean {
    return this.#doubt !== undefined;
  }

  /** The process wrote something. */
  sign(): void {
    this.#doubt?.();
    this.#doubt = undefined;
  }

  /** A call was answered, be it with an error. */
  answered(): void {
    this.#late = 0;
  }

  /** A call that should be short was not answered in time. */
  late(fault: SidecarFault): void {
    if (++this.#late >= LATE_CALLS) this.#hangs(fault);
    else this.#doubt ??= this.#clock.after(this.#hangMs, () => this.#hangs(fault));
  }
}
