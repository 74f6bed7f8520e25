// A client of the ctxmgr sidecar: `startSidecar(options)`, `sidecar.session(...)`, `session.context(messages)`.

export type * from "./interface.ts";
export type * as protocol from "../../../ctxmgr.ts";
export { SidecarFault } from "./fault.ts";
export { commandWords } from "./given.ts";
export { withCacheMarks } from "./marks.ts";
export type { MarkOptions } from "./marks.ts";
export { startSidecar } from "./sidecar.ts";
