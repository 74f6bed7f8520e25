/** The slash commands: what the user asks by name, and how it is answered. */

import { BOUND } from "./bounded.ts";
import type { Bridge } from "./bridge.ts";
import type { Api, Context, Message } from "./pi.ts";
import * as show from "./showing.ts";
import type { Session } from "../../typescript/src/index.ts";

type Run = (session: Session<Message>, args: string) => Promise<string>;

const COMMANDS: Record<string, { description: string; run: Run }> = {
  "ctx-status": {
    description: "How full the context window is, and what ctxmgr does about it",
    run: async (session) => show.status(await session.request("getStatus", {}), session.restored),
  },
  prune: {
    description: "Prune tool output on the next request, whether or not it pays",
    run: async (session) => {
      await session.request("prune", {});
      return "The next request is pruned.";
    },
  },
  "prune-toggle": {
    description: "Switch pruning off or on for this session",
    run: async (session) => {
      const { mode } = await session.request("getStatus", {});
      const { status } = await session.request("setPruning", { enabled: mode !== "on" });
      return `Pruning is ${status.mode}.`;
    },
  },
  "prune-stats": {
    description: "What pruning has saved",
    run: async (session) => {
      const [{ preset }, stats] = [await session.request("getStatus", {}), await session.request("getPruneStats", {})];
      return show.stats(stats, preset, session.lastReport);
    },
  },
  "prune-config": {
    description: "Show the policy, or set it for this session: /prune-config preset tools",
    run: async (session, args) => {
      if (args.trim() !== "") await session.request("setPolicy", { policy: show.setting(args) });
      return show.policy(await session.request("getPolicy", {}));
    },
  },
  "ctx-explain": {
    description: "What became of each message of the last request, and why",
    run: async (session) => show.explained(await session.request("explain", {})),
  },
};

export function register(pi: Api, bridge: Bridge): void {
  for (const [name, { description, run }] of Object.entries(COMMANDS)) {
    const handler = async (args: string, context: Context): Promise<void> => {
      const ask = () => bridge.with((session) => answered(session, args, run));
      const said = await bridge.told(context, BOUND.event, ask);
      context.ui.notify(said?.text ?? show.absent(bridge.trouble), said?.type ?? "warning");
    };
    pi.registerCommand(name, { description, handler });
  }
}

interface Said {
  text: string;
  type: "info" | "warning";
}

async function answered(session: Session<Message>, args: string, run: Run): Promise<Said> {
  try {
    return { text: await run(session, args), type: "info" };
  } catch (fault) {
    return { text: `ctxmgr: ${fault instanceof Error ? fault.message : String(fault)}`, type: "warning" };
  }
}
