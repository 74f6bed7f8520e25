// What a host sees: options, faults, sessions. Types alone.
//
// Rules:
// 1. `context` and the events of a session never reject: a model call never fails because of ctxmgr.
// 2. `request` rejects, with a `SidecarFault`: who asks for something by name wants to know.
// 3. Times are milliseconds, weights are tokens.

import type { Answered, MethodName, ParamsOf as Params, ResultOf as Result, ToCtxmgr } from "../../../ctxmgr.ts";

export type { MethodName, Params, Result };
/** Methods that a host can ask for. */
export type Asked = Extract<ToCtxmgr, Answered>;
/** A method's params without the session's id, which the session adds. */
export type SessionParams<K extends MethodName> = Omit<Params<K>, "sessionId">;

/** What went wrong.
 *  missing: there is no such program. starting: it, or the session, is not ready yet. exited: the process has ended.
 *  timeout: no answer in time. error: ctxmgr answered one (`code`). garbage: what came is no answer. gaveUp: too many
 *  restarts. cancelled: the caller's own signal. disposed: `dispose` was called. */
export type FaultKind =
  | "missing"
  | "starting"
  | "exited"
  | "timeout"
  | "error"
  | "garbage"
  | "gaveUp"
  | "cancelled"
  | "disposed";

export interface Fault {
  readonly kind: FaultKind;
  /** Holds no conversation. */
  readonly message: string;
  readonly method?: string;
  /** JSON-RPC's, where ctxmgr answered an error. */
  readonly code?: number;
}

/** Time, to be replaced in tests. `after` runs something later and gives what takes it back. It must not keep the
 *  process alive. */
export interface Clock {
  now(): number;
  after(milliseconds: number, run: () => void): () => void;
}

/** After `firstDelayMs`, doubled each time up to `longestDelayMs`; given up after `limit` restarts within `withinMs`. */
export interface RestartLimits {
  readonly limit: number;
  readonly withinMs: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

export interface SidecarOptions {
  /** Program and first arguments; `serve` is added. Default: `$CTXMGR_COMMAND` (a JSON list of words, or
   *  words between blanks), else `ctxmgr` on the path. */
  readonly command?: readonly string[];
  /** Added as `--state-dir`. Default: where ctxmgr keeps its state. */
  readonly stateDir?: string;
  /** Arguments after `serve`. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Default: this process's. Of variables that begin with PYTHON only PYTHONPATH is handed on, less folders that are
   *  relative or inside the project: ctxmgr imports nothing from there. */
  readonly env?: NodeJS.ProcessEnv;
  readonly clientInfo?: { readonly name: string; readonly version?: string };
  readonly messageFormat?: string;
  /** `{preset, ...overrides}` for all sessions. */
  readonly policy?: Params<"initialize">["policy"];
  /** What the host's own tools do, where no name tells it: `{ name: "load", reads: "doc" }`. */
  readonly tools?: Params<"initialize">["tools"];
  /** The model has a tool that calls `retrieve`. */
  readonly retrieve?: boolean;
  /** When a compaction that was asked for may run. Default: "whenIdle". */
  readonly deliver?: "whenIdle" | "midRun";

  // Only what is given is declared as a capability.
  /** Answer at once: accepted means queued. A throw is a refusal. Each request to compact arrives here, and nowhere
   *  else: what `turnEnd` resolves to does not repeat it. */
  readonly onRequestCompaction?: (
    params: Params<"requestCompaction">,
  ) => Result<"requestCompaction"> | Promise<Result<"requestCompaction">>;
  /** Runs one model call; `signal` aborts when ctxmgr needs it no more. */
  readonly onComplete?: (params: Params<"complete">, signal: AbortSignal) => Promise<Result<"complete">>;
  /** Beside `onComplete`: params have an `instruction`, one user message for the end of your last request and what came
   *  since, with the same system prompt and tools. */
  readonly onCompleteOnContext?: (params: Params<"complete">, signal: AbortSignal) => Promise<Result<"complete">>;
  readonly onEmbed?: (params: Params<"embed">, signal: AbortSignal) => Promise<Result<"embed">>;

  /** What happens in its sessions, in numbers: no conversation is in it. What it throws is passed over. */
  readonly onTelemetry?: (event: Params<"telemetry/event">) => void;
  /** The child's stderr, as it comes. */
  readonly onStderr?: (text: string) => void;
  /** Once when something goes wrong, whatever else does before it is over; `sidecar.lastFault` is the newest. */
  readonly onFault?: (fault: Fault) => void;
  /** Once when that is over: lists are answered again, and nothing is left of it. */
  readonly onRecovery?: () => void;
  /** Default: `context` 2 000, `initialize` and `session_start` 10 000; what may wait for a model its `deadlineMs` and
   *  5 000, or 300 000; all others 5 000. */
  readonly timeoutsMs?: Partial<Record<Asked, number>>;
  /** A process that has written nothing for so long after a late call is replaced; until it writes, no list and no
   *  event waits for it. Default: 15 000. */
  readonly hangMs?: number;
  /** So often a process that lets a long call wait is asked whether it lives. Default: 5 000. */
  readonly probeMs?: number;
  readonly restart?: Partial<RestartLimits>;
  /** Longest time that `session` takes. `session_start` then continues in the background. Default: 5 000. */
  readonly sessionMs?: number;
  /** Longest time `dispose` takes before it kills. Default: 3 000. */
  readonly endMs?: number;
  readonly clock?: Clock;
}

export interface RequestOptions {
  /** Aborting cancels the request: it rejects with kind "cancelled". */
  readonly signal?: AbortSignal;
  /** Instead of the method's own. */
  readonly timeoutMs?: number;
  /** A progress token is made and sent with the request. */
  readonly onProgress?: (value: Params<"$/progress">["value"]) => void;
}

export interface SessionOptions {
  readonly sessionId: string;
  readonly model: Params<"session_start">["model"];
  /** Of this session, beside those of the sidecar. */
  readonly tools?: Params<"session_start">["tools"];
  readonly cwd?: string;
  /** The session's tree. A function is asked again after each restart; an array is sent once. */
  readonly entries?: readonly object[] | (() => readonly object[] | undefined);
  readonly leafId?: string | null | (() => string | null | undefined);
}

export interface ContextOptions {
  /** When the call is made; tells whether the provider's cache is cold. */
  readonly at?: number;
  /** Weight of what is sent besides the messages: system prompt, tools. */
  readonly overheadTokens?: number;
  /** Cache marks of the request outside of the list. Default: 2; `withCacheMarks` sets those of the list. */
  readonly ownMarks?: number;
  /** Where system prompt or tools differ from those of the call before. */
  readonly prefixChange?: Params<"context">["prefixChange"];
}

export interface Session<M extends object = object> {
  readonly sessionId: string;
  /** The session was known to ctxmgr; undefined while it could not be started. */
  readonly restored: boolean | undefined;
  /** Of the last good answer to `context`; undefined where the last one was made without ctxmgr. */
  readonly lastReport: Result<"context">["report"] | undefined;
  /** Of the last answer that held one. */
  readonly lastStatus: Result<"getStatus"> | undefined;

  /** The list to send to the model, always a new array: push to yours or to this one, the other stays as it is. Never
   *  rejects. Messages that stay are the same objects that you gave. Do not change a message in place. */
  context(messages: M[], options?: ContextOptions): Promise<M[]>;

  // Undefined where there was no answer in time. Events, the first five, are held then, and told to the next process.
  turnEnd(params: SessionParams<"turn_end">): Promise<Result<"turn_end"> | undefined>;
  modelSelect(model: SessionOptions["model"]): Promise<Result<"model_select"> | undefined>;
  sessionCompact(params: SessionParams<"session_compact">): Promise<Result<"session_compact"> | undefined>;
  sessionCompactFailed(
    params: SessionParams<"session_compact_failed">,
  ): Promise<Result<"session_compact_failed"> | undefined>;
  sessionTree(params: SessionParams<"session_tree">): Promise<Result<"session_tree"> | undefined>;
  beforeCompact(
    params: SessionParams<"session_before_compact">,
    options?: RequestOptions,
  ): Promise<Result<"session_before_compact"> | undefined>;
  beforeTree(
    params: SessionParams<"session_before_tree">,
    options?: RequestOptions,
  ): Promise<Result<"session_before_tree"> | undefined>;
  status(): Promise<Result<"getStatus"> | undefined>;

  /** Any method of this session. Rejects with `SidecarFault`. */
  request<K extends Asked>(method: K, params: SessionParams<K>, options?: RequestOptions): Promise<Result<K>>;
  /** `session_shutdown`; it is not started again after a restart of the process. */
  end(): Promise<void>;
}

/** starting: spawned, not ready yet. waiting: for the next restart. failed: given up, or no such program. */
export type SidecarState = "starting" | "ready" | "waiting" | "failed" | "disposed";

export interface Sidecar {
  readonly state: SidecarState;
  /** Of the stretch that is on; undefined when the last answer was good. */
  readonly lastFault: Fault | undefined;
  /** The answer to `initialize`. */
  readonly server: Result<"initialize"> | undefined;
  /** Starts a session, or gives the one of that id that is there, within `sessionMs`. Never rejects: what cannot be
   *  told to ctxmgr now is told when the process is there. Until then `context` does without it, at once. */
  session<M extends object = object>(options: SessionOptions): Promise<Session<M>>;
  /** Any method. Rejects with `SidecarFault`. */
  request<K extends Asked>(method: K, params: Params<K>, options?: RequestOptions): Promise<Result<K>>;
  /** Tries again at once after it was given up. */
  restart(): void;
  /** Ends politely within `endMs`, then kills. */
  dispose(): Promise<void>;
}
