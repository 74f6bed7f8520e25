// A test's own extension: what RPC mode has no command for.
export default function (pi: any): void {
  pi.registerCommand("go", {
    description: "Move to an entry of the session tree",
    handler: async (args: string, context: any) => {
      const { cancelled } = await context.navigateTree(args.trim(), { summarize: false });
      context.ui.notify(`moved to ${context.sessionManager.getLeafId()} ${cancelled}`);
    },
  });
  pi.registerCommand("leave", {
    description: "Move to an entry, with a summary of the branch that is left",
    handler: async (args: string, context: any) => {
      await context.navigateTree(args.trim(), { summarize: true });
      context.ui.notify("left");
    },
  });
  pi.registerCommand("entries", {
    description: "The branch, as JSON",
    handler: async (_: string, context: any) => context.ui.notify(JSON.stringify(context.sessionManager.getBranch())),
  });
}
