// When the host is told of trouble: once when it begins, whatever else goes wrong meanwhile, and once when it is over:
// lists are answered again, and nothing is left of it.

import { SidecarFault } from "./fault.ts";

const OF_THE_PROCESS: ReadonlySet<string | undefined> = new Set([undefined, "initialize"]); // faults of no session

interface Noted {
  readonly fault: SidecarFault;
  readonly sessionId: string;
}

export class Stretch {
  readonly #begins: (fault: SidecarFault) => void;
  readonly #over: () => void;
  #noted: Noted[] = []; // one by session, kind and method, the newest last
  #on = false;

  constructor(begins: (fault: SidecarFault) => void, over: () => void) {
    this.#begins = begins;
    this.#over = over;
  }

  get last(): SidecarFault | undefined {
    return this.#noted.at(-1)?.fault;
  }

  note(fault: SidecarFault, session = ""): void {
    if (fault.kind === "starting" && this.last) return; // why it has to start tells more
    const { kind, method } = fault;
    const sessionId = OF_THE_PROCESS.has(method) ? "" : session;
    const other = (one: Noted): boolean => one.sessionId !== sessionId || one.fault.kind !== kind || one.fault.method !== method;
    this.#noted = [...this.#noted.filter(other), { fault, sessionId }];
    if (this.#on) return;
    this.#on = true;
    this.#begins(fault);
  }

  /** A method's answer was good: its faults are over, and those of the process. Only a list that was answered ends what
   *  the host was told of: a process that starts and falls over again is one trouble. */
  works(method: string, session = ""): void {
    const sessionId = OF_THE_PROCESS.has(method) ? "" : session;
    const left = ({ fault, sessionId: of }: Noted): boolean =>
      fault.method !== undefined && (fault.method !== method || (of !== sessionId && of !== ""));
    this.#noted = this.#noted.filter(left);
    if (!this.#on || method !== "context" || this.#noted.length > 0) return;
    this.#on = false;
    this.#over();
  }

  /** A session that has ended is no trouble any more. */
  forget(sessionId: string): void {
    this.#noted = this.#noted.filter((one) => one.sessionId !== sessionId);
  }
}
