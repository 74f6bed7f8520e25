/**
 * Carries out the compactions that ctxmgr asks for, at the one moment when pi takes them without harm.
 *
 * 1. `ctx.compact()` during a run aborts it, and pi never takes it up again. So: a `compaction` draft in the answer to
 *    `turn_end` where there are drafts (0.87 on); else `ctx.compact()` when the run is over.
 * 2. A draft's summary is written by ctxmgr. It is used where ctxmgr is to write them, or where pi's own model wrote
 *    it: a summary by no model does not silently take the place of one by the host's.
 * 3. pi fires no `session_compact` for a draft, and no `session_compact_failed` before 0.84.3: then it is told here.
 * 4. One at a time. What pi does by itself (threshold, overflow, /compact) takes the place of what is pending.
 * 5. A prompt waits for a compaction that runs; before 0.87 pi would run both over one another.
 */

import type { protocol, SessionParams } from "../../typescript/src/index.ts";
import { BOUND, within } from "./bounded.ts";
import { failed, summarised, total, usage } from "./mapping.ts";
import type { AssistantMessage, Context, Entry, Json, TurnEnd } from "./pi.ts";

/** What of ctxmgr's session is needed here; nothing rejects but `write`. */
export interface Teller {
  /** The verb `compact`. */
  write(params: SessionParams<"compact">, signal: AbortSignal | undefined): Promise<protocol.Compaction | undefined>;
  compacted(params: SessionParams<"session_compact">): Promise<unknown>;
  failed(params: SessionParams<"session_compact_failed">): Promise<unknown>;
  /** What was paid for summaries, told once. */
  spent(): { usage?: Json };
}

export interface Wishes {
  by: "host" | "ctxmgr";
  /** pi's own compaction, as its settings have it. */
  host: { enabled: boolean; reserveTokens: number };
}

interface Pending {
  asked: protocol.RequestCompactionParams;
  /** A draft was tried, and came to nothing: a model is not paid twice. */
  tried: boolean;
}

export class Compactions {
  private pending: Pending | undefined;
  private running: Promise<void> | undefined;
  private drafted: string | undefined; // the summary of a draft that ctxmgr has not heard the end of
  private heardFailure = false;
  private runs = 0;
  private last: AssistantMessage | undefined;
  private readonly teller: Teller;
  private readonly wishes: (context: Context) => Wishes;
  private readonly later: (run: () => void) => void;

  constructor(teller: Teller, wishes: (context: Context) => Wishes, later = afterATick) {
    this.teller = teller;
    this.wishes = wishes;
    this.later = later;
  }

  /** ctxmgr asks. Accepted means queued. */
  asked(asked: protocol.RequestCompactionParams): protocol.RequestCompactionResult {
    if (this.running !== undefined) return { accepted: false, reason: "a compaction is running" };
    this.pending = { asked, tried: false };
    return { accepted: true };
  }

  /** pi compacted, by whoever's wish. */
  done(): void {
    this.pending = undefined;
    this.drafted = undefined;
  }

  /** pi said that one failed (0.84.3 on). */
  hostFailed(): void {
    this.heardFailure = true;
    this.pending = undefined;
  }

  runBegan(): void {
    this.runs += 1;
  }

  /** The drafts to answer `turn_end` with, undefined where there is nothing to say. */
  async turnEnded(event: TurnEnd, context: Context): Promise<{ entries: Json[] } | undefined> {
    this.last = event.message;
    const pending = this.pending;
    if (pending === undefined || pending.tried || failed(event.message)) return undefined;
    if (!Array.isArray(event.entries)) return undefined; // a pi without drafts
    if (event.entries.some((entry) => entry["type"] === "compaction")) return undefined; // another extension's
    pending.tried = true;
    const written = await this.written(pending, context);
    if (written === undefined || this.pending !== pending) return undefined;
    const { summary, firstKeptEntryId, details } = written;
    this.pending = undefined;
    this.drafted = summary;
    return { entries: [...event.entries, { type: "compaction", summary, firstKeptEntryId, details, ...this.teller.spent() }] };
  }

  /** Undefined leaves it pending: pi's own way is taken when the run is over. */
  private async written({ asked }: Pending, context: Context): Promise<protocol.Compaction | undefined> {
    const entries = context.sessionManager.getBranch();
    const leafId = context.sessionManager.getLeafId();
    const fits = entries.some((entry) => entry.id === asked.compaction?.firstKeptEntryId);
    const params = { entries, leafId, deadlineMs: BOUND.summary };
    try {
      const made = fits ? asked.compaction : await this.teller.write(params, context.signal);
      return made !== undefined && (this.wishes(context).by === "ctxmgr" || byModel(made)) ? made : undefined; // rule 2
    } catch {
      return undefined;
    }
  }

  /** Rule 3: whether the draft has become an entry is seen in the branch. */
  async settleDraft(context: Context): Promise<void> {
    const summary = this.drafted;
    if (summary === undefined) return;
    this.drafted = undefined;
    const entry = newest(context.sessionManager.getBranch(), summary);
    if (entry === undefined) await this.teller.failed({ reason: "draft", errorMessage: "pi did not take it" });
    else await this.teller.compacted({ compactionEntry: summarised(entry), fromExtension: true });
  }

  /**
   * The run is over. Where pi does not wait for its listeners to be idle, the compaction is waited for: pi's word that
   * all is settled then comes after it, and no prompt comes between. Else it is begun as soon as pi is idle.
   * Without a screen or a client pi is about to end, and nobody would use the summary: a next prompt runs it.
   */
  async runEnded(context: Context, settled: boolean): Promise<void> {
    if (!context.hasUI) return;
    const runs = this.runs;
    const due = (): boolean => this.runs === runs && this.due(context, settled);
    if (!due()) return;
    await new Promise((resolve) => setImmediate(resolve)); // 0.74 is idle a few steps after `agent_end`
    if (due() && context.isIdle()) await within(BOUND.compaction, this.compact(context));
    else this.later(guarded(() => this.whenIdle(context, due, IDLE_TICKS)));
  }

  private whenIdle(context: Context, due: () => boolean, left: number): void {
    if (!due()) return;
    if (context.isIdle()) void this.compact(context);
    else if (left > 0) this.later(guarded(() => this.whenIdle(context, due, left - 1)));
  }

  /** Before a prompt: one that is due is run now, one that runs is waited for (rule 5). */
  async beforePrompt(context: Context): Promise<void> {
    if (this.running === undefined && this.due(context, false) && context.isIdle()) void this.compact(context);
    if (this.running !== undefined) await within(BOUND.compaction, this.running);
  }

  private due(context: Context, settled: boolean): boolean {
    if (this.pending === undefined || this.running !== undefined || context.hasPendingMessages()) return false;
    if (this.last === undefined || failed(this.last)) return false; // pi retries, or recovers from the overflow
    return settled || !hostWill(this.last, context, this.wishes(context));
  }

  private compact(context: Context): Promise<void> {
    const host = this.wishes(context).by === "host"; // ctxmgr knows what its own policy asks
    const customInstructions = host ? this.pending?.asked.customInstructions : undefined;
    this.pending = undefined;
    this.heardFailure = false;
    const ended = new Promise<void>((resolve) => {
      const onError = (error: Error): void => resolve(this.compactFailed(error));
      context.compact({ customInstructions, onComplete: () => resolve(), onError });
    });
    this.running = ended
      .catch(() => undefined) // a context that is no longer in force throws
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  private async compactFailed(error: Error): Promise<void> {
    if (this.heardFailure) return;
    await this.teller.failed({ reason: "manual", errorMessage: error.message });
  }
}

const IDLE_TICK_MS = 20;
const IDLE_TICKS = 250; // five seconds for the listeners of other extensions

function afterATick(run: () => void): void {
  setTimeout(run, IDLE_TICK_MS);
}

/** pi's own threshold, which it looks at after `agent_end`. */
function hostWill(message: AssistantMessage, context: Context, wishes: Wishes): boolean {
  const reading = usage(message);
  const window = context.model?.contextWindow ?? 0;
  return wishes.host.enabled && reading !== undefined && total(reading) > window - wishes.host.reserveTokens;
}

function byModel({ details }: protocol.Compaction): boolean {
  const { strategy, fallback } = (details.ctxmgr ?? {}) as { strategy?: string; fallback?: unknown };
  return strategy !== undefined && strategy !== "extractive" && fallback === undefined;
}

function newest(branch: Entry[], summary: string): Entry | undefined {
  return branch.findLast((entry) => entry.type === "compaction" && entry.summary === summary);
}

/** A context of pi throws once its session is replaced: then there is nothing left to do. */
function guarded(run: () => void): () => void {
  return () => {
    try {
      run();
    } catch {
      return;
    }
  };
}
