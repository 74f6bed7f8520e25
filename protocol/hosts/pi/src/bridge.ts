/**
 * One pi session and its sidecar: what is kept between pi's events.
 *
 * 1. Nothing here is ever thrown at pi, and nothing waits without a bound: `told` sees to both.
 * 2. Nothing is written to stdout or stderr: the one carries RPC, both carry the screen. What there is to say goes
 *    through pi's own `notify`: trouble once in one line, its end once in another, and the rest into /ctx-status.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSidecar } from "../../typescript/src/index.ts";
import type { ContextOptions, Fault, protocol, Session, Sidecar } from "../../typescript/src/index.ts";
import { BOUND, within } from "./bounded.ts";
import { Compactions } from "./compactions.ts";
import type { Teller } from "./compactions.ts";
import { complete, completeOnContext } from "./completing.ts";
import { LastRequest } from "./last-request.ts";
import * as mapping from "./mapping.ts";
import { withMarks } from "./marks.ts";
import type { Context, Json, Lent, Message, Model } from "./pi.ts";
import { read } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { seen } from "./filling.ts";
import type { Seen } from "./filling.ts";
import { epoch } from "./showing.ts";
import { Spending } from "./spending.ts";

const STDERR_CHARACTERS = 2_000; // of the newest, for /ctx-status
const INVALID_PARAMS = -32602; // JSON-RPC; of `initialize`: a policy key that is none

export class Bridge {
  sidecar: Sidecar | undefined;
  complaint = "";
  readonly spending = new Spending();
  readonly last = new LastRequest();
  readonly compactions: Compactions;
  private starting: Promise<Session<Message> | undefined> | undefined;
  private context: Context | undefined;
  private stderr = "";
  seen: Seen | undefined; // of the last request that ctxmgr answered
  private named: Message[] = []; // of the list to send, those that belong under a cache mark
  private passing: string | undefined; // the state directory of a session that is not kept
  private readonly lent: Lent;

  constructor(lent: Lent) {
    this.lent = lent;
    const teller: Teller = {
      write: async (params, signal) => {
        const options = { timeoutMs: BOUND.compaction, signal };
        return (await this.with((session) => session.request("compact", params, options)))?.compaction;
      },
      compacted: (params) => this.with((session) => session.sessionCompact(params)),
      failed: (params) => this.with((session) => session.sessionCompactFailed(params)),
      spent: () => this.spending.take(),
    };
    this.compactions = new Compactions(teller, (context) => {
      const { by, compaction } = this.readSettings(context);
      return { by, host: compaction };
    });
  }

  /** Rule 1: what `tell` gives, or undefined when it failed or took too long. */
  async told<T>(context: Context, ms: number, tell: () => Promise<T>): Promise<T | undefined> {
    this.context = context;
    try {
      return await within(ms, tell());
    } catch (fault) {
      this.complaint = said(fault);
      return undefined;
    }
  }

  async begin(context: Context): Promise<void> {
    await this.end();
    const settings = this.readSettings(context);
    this.starting = this.start(context, settings).catch((fault: unknown) => {
      this.complaint = said(fault);
      return undefined;
    });
    await this.starting;
  }

  /** The session, once it has begun. */
  async with<T>(ask: (session: Session<Message>) => Promise<T>): Promise<T | undefined> {
    const session = await this.starting;
    return session === undefined ? undefined : await ask(session);
  }

  async end(): Promise<void> {
    const { sidecar, starting, passing } = this;
    this.sidecar = this.starting = this.passing = this.seen = undefined;
    this.named = [];
    this.last.forget();
    if (sidecar === undefined) return;
    await within(BOUND.end / 2, (async () => await (await starting)?.end())());
    await within(BOUND.end, sidecar.dispose());
    if (passing !== undefined) rmSync(passing, { recursive: true, force: true });
  }

  /** The list to send; what an epoch that opened came to is shown when it is known. */
  async list(messages: Message[], options: ContextOptions, context: Context): Promise<Message[] | undefined> {
    return await this.with(async (session) => {
      const list = await session.context(messages, options);
      this.named = (session.lastReport?.cacheBreakpoints ?? []).flatMap((place) => list[place] ?? []);
      if (session.lastReport !== undefined) this.seen = seen(messages, options.overheadTokens);
      if (session.lastReport?.arithmetic) this.showEpoch(session, context).catch(() => undefined);
      return list;
    });
  }

  /** pi sends a request; what it is to be instead, undefined where it stays. */
  sent(payload: unknown, context: Context): Json | undefined {
    const marked = this.last.isAwaited ? withMarks(payload, this.named) : undefined;
    this.named = [];
    this.last.sent(marked ?? payload, context.model);
    return marked;
  }

  private async showEpoch(session: Session<Message>, context: Context): Promise<void> {
    const receipt = (await session.request("explain", {})).epochs.at(-1);
    if (receipt !== undefined) context.ui.setStatus?.("ctxmgr", epoch(receipt, context.model?.cost?.cacheRead));
  }

  /** Where a session that pi does not keep has its state while it lasts. */
  private stateDir({ sessionManager }: Context, settings: Settings): string | undefined {
    const kept = sessionManager.getSessionFile === undefined || sessionManager.getSessionFile() !== undefined;
    if (kept) return settings.stateDir;
    this.passing ??= mkdtempSync(join(tmpdir(), "ctxmgr-"));
    return this.passing;
  }

  readSettings(context: Context): Settings {
    return read(context.cwd, context.isProjectTrusted?.() ?? true, process.env, context.model);
  }

  private async start(context: Context, settings: Settings): Promise<Session<Message> | undefined> {
    for (const key of settings.passedOver) {
      this.warn(`ctxmgr: contextPruning.${key} in pi's settings cannot be read, and is passed over`);
    }
    const stateDir = this.stateDir(context, settings);
    this.sidecar = this.spawn(settings, settings.policy, stateDir);
    let session = await this.open(context, this.sidecar, settings);
    const fault = this.sidecar.lastFault;
    if (fault !== undefined && isRefusedPolicy(fault)) {
      this.warn(`ctxmgr: contextPruning in pi's settings is left out: ${fault.message}`);
      await within(BOUND.end, this.sidecar.dispose());
      this.sidecar = this.spawn(settings, settings.bare, stateDir);
      session = await this.open(context, this.sidecar, settings);
    }
    if (settings.pruning === false) this.switchOff(session);
    return session;
  }

  /** Not waited for: where ctxmgr is not up yet that takes longer than pi's user should wait. It goes out before any list. */
  private switchOff(session: Session<Message>): void {
    session.request("setPruning", { enabled: false }).catch((fault: unknown) => {
      this.complaint = said(fault);
    });
  }

  private open(context: Context, sidecar: Sidecar, settings: Settings): Promise<Session<Message>> {
    const manager = context.sessionManager;
    return sidecar.session<Message>({
      sessionId: manager.getSessionId(),
      model: mapping.model(context.model, settings.caching),
      cwd: context.cwd,
      entries: () => manager.getEntries(),
      leafId: () => manager.getLeafId(),
    });
  }

  private spawn(settings: Settings, policy: protocol.PolicyKeys, stateDir: string | undefined): Sidecar {
    return startSidecar({
      command: settings.command,
      stateDir,
      clientInfo: { name: "pi" },
      messageFormat: "pi",
      policy,
      retrieve: settings.modelTools,
      onRequestCompaction: (params) => this.compactions.asked(params),
      onComplete: (params, signal) => complete(params, this.context, this.lent, this.spending, signal),
      onCompleteOnContext: (params, signal) =>
        completeOnContext(params, this.context, this.lent, this.spending, this.last, signal),
      onStderr: (text) => {
        this.stderr = (this.stderr + text).slice(-STDERR_CHARACTERS);
      },
      onFault: (fault) => this.faulty(fault),
      onRecovery: () => this.notify("ctxmgr answers again", "info"),
      endMs: BOUND.end / 2,
    });
  }

  private faulty(fault: Fault): void {
    if (isRefusedPolicy(fault)) return; // `start` says so, and tries without
    const missing = "ctxmgr is not to be found: pi goes on without it. pip install ctxmgr-sidecar";
    const silent = `ctxmgr does not answer (${fault.message}): pi goes on without it. See /ctx-status`;
    this.warn(fault.kind === "missing" ? missing : silent);
  }

  /** What is wrong now, "" where nothing is. */
  get trouble(): string {
    const fault = this.sidecar?.lastFault?.message ?? this.complaint;
    return [fault, this.stderr.trim()].filter((text) => text !== "").join("\n");
  }

  private warn(text: string): void {
    this.notify(text, "warning");
  }

  private notify(text: string, type: "info" | "warning"): void {
    try {
      this.context?.ui.notify(text, type);
    } catch {
      return; // the session has been replaced meanwhile
    }
  }

  async modelSelected(model: Model | undefined, context: Context): Promise<void> {
    const { caching } = this.readSettings(context);
    await this.with((session) => session.modelSelect(mapping.model(model, caching)));
  }
}

function isRefusedPolicy({ method, code }: Fault): boolean {
  return method === "initialize" && code === INVALID_PARAMS;
}

function said(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
