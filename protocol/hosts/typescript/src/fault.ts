// A fault as an error, for those who asked by name.

import type { Fault, FaultKind } from "./interface.ts";

export class SidecarFault extends Error implements Fault {
  override readonly name = "SidecarFault";
  readonly kind: FaultKind;
  readonly method?: string;
  readonly code?: number;

  constructor(kind: FaultKind, message: string, method?: string, code?: number) {
    super(message);
    this.kind = kind;
    this.method = method;
    this.code = code;
  }
}
