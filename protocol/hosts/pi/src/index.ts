/**
 * The extension: pi's events to ctxmgr, ctxmgr's answers to pi.
 *
 * 1. Each event has one listener here, which awaits under a bound, never throws and answers undefined ("as it was")
 *    when anything goes wrong.
 * 2. No widget, and no tool unless the user allows it. One status line, where a cache epoch opened; all other figures are in /prune-stats.
 */

import { BOUND } from "./bounded.ts";
import { Bridge } from "./bridge.ts";
import { register } from "./commands.ts";
import * as mapping from "./mapping.ts";
import type {
  Api,
  BeforeCompact,
  BeforeTree,
  Compacted,
  CompactFailed,
  Context,
  Lent,
  Message,
  Model,
  Tree,
  TurnEnd,
} from "./pi.ts";
import { read } from "./settings.ts";
import { offer } from "./tools.ts";
import { settles } from "./version.ts";

export default async function ctxmgr(pi: Api, lent: Lent): Promise<void> {
  const bridge = new Bridge(lent);
  const { compactions } = bridge;
  const hasSettled = await settles(lent); // else `agent_end` is the last that is heard of a run
  const on = <E>(event: string, ms: number, tell: (event: E, context: Context) => Promise<unknown>): void => {
    pi.on(event, (given: E, context) => bridge.told(context, ms, () => tell(given, context)));
  };

  on("session_start", BOUND.start, (_, context) => bridge.begin(context));
  on("session_shutdown", BOUND.end, () => bridge.end());
  on<{ model?: Model }>("model_select", BOUND.event, (event, context) =>
    bridge.modelSelected(event.model, context),
  );

  on<{ messages: Message[] }>("context", BOUND.context, async ({ messages }, context) => {
    await compactions.settleDraft(context);
    bridge.last.listed();
    const options = { at: Date.now(), overheadTokens: mapping.overhead(context.getSystemPrompt?.()) };
    const list = await bridge.list(messages, options, context);
    const changed = list?.length !== messages.length || list.some((message, at) => message !== messages[at]);
    return list && changed ? { messages: list } : undefined;
  });

  on<{ payload: unknown }>("before_provider_request", BOUND.event, async ({ payload }, context) =>
    bridge.sent(payload, context),
  );

  on<TurnEnd>("turn_end", BOUND.event + BOUND.compaction, async (event, context) => {
    bridge.last.answered(event.message, ...event.toolResults);
    const params = mapping.turnEnd(event, context.sessionManager, Date.now());
    await bridge.with((session) => session.turnEnd(params));
    return await compactions.turnEnded(event, context);
  });

  on("agent_start", BOUND.event, async () => compactions.runBegan());
  on("agent_end", BOUND.event + BOUND.compaction, async (_, context) => {
    await compactions.settleDraft(context);
    if (!hasSettled) await compactions.runEnded(context, false);
  });
  on("agent_settled", BOUND.compaction, (_, context) => compactions.runEnded(context, true));
  on("input", BOUND.compaction, (_, context) => compactions.beforePrompt(context));

  on<BeforeCompact>("session_before_compact", BOUND.compaction, async (event) => {
    const params = mapping.beforeCompact(event, BOUND.summary, Date.now());
    const answer = await bridge.with((session) => session.beforeCompact(params, { signal: event.signal }));
    if (answer?.compaction) return { ...answer, compaction: { ...answer.compaction, ...bridge.spending.take() } };
    return answer?.cancel ? answer : undefined;
  });
  on<Compacted>("session_compact", BOUND.event, async ({ compactionEntry, fromExtension }) => {
    compactions.done();
    bridge.last.forget();
    const params = { compactionEntry: mapping.summarised(compactionEntry), fromExtension };
    await bridge.with((session) => session.sessionCompact(params));
  });
  on<CompactFailed>("session_compact_failed", BOUND.event, async ({ reason, errorMessage }) => {
    compactions.hostFailed();
    await bridge.with((session) => session.sessionCompactFailed({ reason, errorMessage }));
  });

  on<BeforeTree>("session_before_tree", BOUND.compaction, async ({ preparation, signal }) => {
    const params = mapping.beforeTree(preparation, BOUND.summary);
    const answer = await bridge.with((session) => session.beforeTree(params, { signal }));
    if (answer?.summary) return { ...answer, summary: { ...answer.summary, ...bridge.spending.take() } };
    return answer?.cancel ? answer : undefined;
  });
  on<Tree>("session_tree", BOUND.event, async ({ newLeafId, oldLeafId, summaryEntry }, context) => {
    bridge.last.forget();
    const entries = context.sessionManager.getEntries();
    const params = { newLeafId, oldLeafId, summaryEntry: summaryEntry && mapping.summarised(summaryEntry), entries };
    await bridge.with((session) => session.sessionTree(params));
  });

  register(pi, bridge);
  if (read(process.cwd(), false, process.env).modelTools) offer(pi, bridge);
}
