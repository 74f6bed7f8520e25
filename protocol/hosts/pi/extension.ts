// What pi loads. It lends its own modules to what it compiles itself, and to nothing else: so this file is TypeScript
// and has the imports, and the rest is built. Before 0.74 the modules had another name.

import ctxmgr from "./dist/hosts/pi/src/index.js";

export default (pi: never) =>
  ctxmgr(pi, {
    program: () => import("@earendil-works/pi-coding-agent").catch(() => import("@mariozechner/pi-coding-agent")),
    models: () => import("@earendil-works/pi-ai").catch(() => import("@mariozechner/pi-ai")),
  });
