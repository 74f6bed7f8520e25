// Which faults the host is told of: one a kind, until what failed works again.

import { SidecarFault } from "./fault.ts";

export class Stretch {
  readonly #tell: (fault: SidecarFault) => void;
  readonly #faults = new Map<string, SidecarFault>(); // by kind and method, the newest last

  constructor(tell: (fault: SidecarFault) => void) {
    this.#tell = tell;
  }

  get last(): SidecarFault | undefined {
    return [...this.#faults.values()].at(-1);
  }

  note(fault: SidecarFault): void {
    if (fault.kind === "starting" && this.last) return; // why it has to start tells more
    const told = [...this.#faults.values()].some((one) => one.kind === fault.kind);
    const key = `${fault.kind} ${fault.method ?? ""}`;
    this.#faults.delete(key);
    this.#faults.set(key, fault);
    if (!told) this.#tell(fault);
  }

  /** A method's answer was good: its faults are over, and those of the process. */
  works(method: string): void {
    for (const [key, fault] of this.#faults) {
      if (fault.method === undefined || fault.method === method) this.#faults.delete(key);
    }
  }
}
