/** The slash commands: what the user asks by name, and how it is answered. */

import { said } from "./asking.ts";
import type { Ask } from "./asking.ts";
import type { Bridge } from "./bridge.ts";
import { filling } from "./filling.ts";
import * as keeping from "./keeping.ts";
import type { Api, Context } from "./pi.ts";
import * as show from "./showing.ts";

const COMMANDS: Record<string, { description: string; run: Ask<string> }> = {
  ctx: {
    description: "What is in the context window, by kind",
    run: async (session, _, { seen }) => {
      const { contextWindow } = await session.request("getStatus", {});
      return filling(seen, (await session.request("explain", {})).verdicts, contextWindow);
    },
  },
  "ctx-status": {
    description: "How full the context window is, and what ctxmgr does about it",
    run: async (session) => show.status(await session.request("getStatus", {}), session.restored),
  },
  pin: {
    description: "Keep something as it is: /pin src/a.py, /pin tool bash, /pin #12 (by its number in /ctx-explain)",
    run: async (session, args) => {
      if (args !== "") return await keeping.pin(session, await keeping.wanted(session, args), args);
      const { pins } = await session.request("getStatus", {});
      return `${show.plural(pins, "pin")}. Keep something as it is: /pin src/a.py, /pin tool bash, /pin #12`;
    },
  },
  unpin: {
    description: "Take a pin off: /unpin src/a.py",
    run: async (session, args) => {
      if (args === "") return "Take a pin off: /unpin src/a.py, /unpin tool bash, /unpin #12";
      return await keeping.unpin(session, await keeping.wanted(session, args), args);
    },
  },
  undo: {
    description: "Bring back what left last, and pin it; /undo 3: what left at epoch 3",
    run: keeping.undo,
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
      if (args !== "") await session.request("setPolicy", { policy: show.setting(args) });
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
      const { text, type } = await said(bridge, context, args.trim(), run);
      context.ui.notify(text, type);
    };
    pi.registerCommand(name, { description, handler });
  }
}
