// The events of one session: told in the order in which they come, and held until they are answered.
//
// 1. An event is held until it is answered, however late; what one process has not answered is told to the next one,
//    before anything else. So nothing that was said while a process hung or was gone is lost.
// 2. One that is refused is not told again: it would be refused again. One that comes to a process without its session
//    is. One that `MOST_TELLINGS` processes have not answered is let go: it may be what ends them.
// 3. At most `HELD_CHARACTERS` are held, the oldest leave first.

import { ErrorCode } from "../../../ctxmgr.ts";
import type { SidecarFault } from "./fault.ts";
import type { Asked } from "./interface.ts";
import { size } from "./lists.ts";

const HELD_CHARACTERS = 8_000_000; // some hundred turns
const MOST_TELLINGS = 3;

export interface Event {
  readonly method: Asked;
  readonly params: object;
  readonly characters: number;
  tellings: number;
  /** Of the process that it was told to; undefined where it has to be told. */
  answer: Promise<any> | undefined;
}

/** Asks without a bound: rejects with `SidecarFault` alone. */
export type Asking = (method: Asked, params: object) => Promise<any>;

export class Events {
  readonly #ask: Asking;
  readonly #heard: (event: Event, answer: any) => void;
  readonly #forgotten: () => void;
  #held: Event[] = [];

  /** `heard` is called with each answer, `forgotten` where the process does not know the session. */
  constructor(ask: Asking, heard: (event: Event, answer: any) => void, forgotten: () => void) {
    this.#ask = ask;
    this.#heard = heard;
    this.#forgotten = forgotten;
  }

  /** Told by the next `send`. */
  add(method: Asked, params: object): Event {
    const event: Event = { method, params, characters: size(params), tellings: 0, answer: undefined };
    this.#held.push(event);
    let sum = this.#held.reduce((all, one) => all + one.characters, 0);
    while (this.#held.length > 1 && sum > HELD_CHARACTERS) sum -= this.#held.shift()!.characters;
    return event;
  }

  /** Tells the process all that it was not told yet. Does not wait. */
  send(): void {
    this.#held = this.#held.filter((event) => event.answer || event.tellings < MOST_TELLINGS);
    for (const event of this.#held) {
      if (event.answer) continue;
      event.tellings += 1;
      const answer = this.#ask(event.method, event.params);
      event.answer = answer;
      answer.then(
        (found) => {
          this.#drop(event);
          this.#heard(event, found);
        },
        (fault: SidecarFault) => {
          if (event.answer !== answer) return;
          event.answer = undefined;
          if (fault.code === ErrorCode.UnknownSession) this.#forgotten();
          else if (fault.kind === "error") this.#drop(event);
        },
      );
    }
  }

  clear(): void {
    this.#held = [];
  }

  #drop(event: Event): void {
    this.#held = this.#held.filter((one) => one !== event);
  }
}
