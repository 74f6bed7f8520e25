// Written by scripts/gen from ctxmgr's own types: change those, not this. reference.md tells what they mean.

/** What `initialize` names. */
export const PROTOCOL_VERSION = "1.1";

/** Codes of error answers. */
export const ErrorCode = {
  /** The message is not valid JSON, or its framing is broken. */
  ParseError: -32700,
  /** The message is not a JSON-RPC 2.0 request, comes at the wrong time, or is a batch. */
  InvalidRequest: -32600,
  /** There is no such method. */
  MethodNotFound: -32601,
  /** The params are invalid. `data.path` is the JSON path of the error. */
  InvalidParams: -32602,
  /** A fault inside ctxmgr. The session is unchanged. */
  InternalError: -32603,
  /** The session was not started with `session_start`, or it was shut down. */
  UnknownSession: -32001,
  /** `initialize` has not been answered yet. */
  NotInitialized: -32002,
  /** The host cancelled this request. */
  Cancelled: -32800,
  /** `append` does not match what was sent before. Send the whole list. */
  ContentModified: -32801,
  /** The request is valid but cannot be carried out. The message says why. */
  RequestFailed: -32803,
} as const;

/** Who the host is, what it can do, and the policy that its sessions start with. */
export interface InitializeParams {
  /** Protocol version of the host: "1.1", or an older one. A different major version is refused. */
  protocolVersion: string;
  /** Who the host is, for people who read a transcript. */
  clientInfo?: ClientInfo | null;
  /** What the host can do. Capabilities that are not declared are never used. */
  capabilities?: HostCapabilities | null;
  /**
   * Format of the host's messages: one of the answer's `messageFormats`, or "auto" to detect it from the first
   * messages. Default: "pi".
   */
  messageFormat?: string | null;
  /** Policy keys that differ from their defaults. */
  policy?: PolicyKeys | null;
  /** Where snapshots are stored. Default: the user's state directory. */
  stateDir?: string | null;
  /** The host's process id. When that process ends, ctxmgr saves and exits. */
  processId?: number | null;
  /**
   * Tools of the host whose names do not say what they do. They take precedence over what ctxmgr knows, in all
   * sessions. Since 1.1.
   */
  tools?: DeclaredTool[] | null;
}

/** The program that spawned ctxmgr. */
export interface ClientInfo {
  /** Its name. */
  name: string;
  /** Its version. */
  version?: string | null;
}

/** What the host can do. Capabilities that are not declared are never used. */
export interface HostCapabilities {
  /**
   * When the host can compact on request: false (never), "whenIdle" (the same as true) or "midRun" (also between
   * two model calls of one run).
   */
  requestCompaction?: CompactionMoment | boolean | null;
  /** The host runs a model call for ctxmgr on request: `complete`. */
  complete?: boolean | null;
  /**
   * The host also answers a `complete` that has an `instruction`. It appends the instruction as one user message to
   * its last request and what came since, with the same system prompt and tools. The provider then reads everything
   * before it from its cache. Since 1.1.
   */
  completeOnContext?: boolean | null;
  /** The host turns texts into vectors on request: `embed`. */
  embed?: boolean | null;
  /**
   * The host's model has a tool that calls `retrieve`. Without this, markers name the call to make again instead of
   * a handle, and nothing is archived unless `archive` is declared.
   */
  retrieve?: boolean | null;
  /**
   * What is removed is archived even if the model has no tool for it, so that people can `search` and `retrieve`
   * it. Lists do not change. Since 1.1.
   */
  archive?: boolean | null;
  /** The host applies `edits`. Each `context` still says which kind of answer it wants. */
  edits?: boolean | null;
  /** The host receives `telemetry/event`: what happens in its sessions, in numbers. Since 1.1. */
  telemetry?: boolean | null;
}

/** When a host can compact on request. */
export type CompactionMoment = "whenIdle" | "midRun";

/**
 * Settings that differ from the defaults. An unknown key is refused (-32602). Beyond what a schema can say: zones
 * must increase, slices must be larger than their overlap, and `model` "endpoint" needs an `endpoint`.
 */
export interface PolicyKeys {
  /** How lists are changed. Default: "balanced". */
  preset?: Preset | null;
  /**
   * Preset turns: how many of the newest turns are kept, by zone. Default: {"green": 6, "yellow": 3, "red": 1,
   * "compact": 1}.
   */
  recentUserTurns?: TurnsKeptKeys | null;
  /** Where the zones begin. Default: {"yellow": 0.5, "red": 0.7, "compact": 0.9}. */
  zones?: ZonesKeys | null;
  /**
   * Preset turns: the longest tool result in an older turn, by zone. Default: {"green": 1000, "yellow": 400, "red":
   * 300, "compact": 200}.
   */
  distill?: DistillOverKeys | null;
  /**
   * Token budget of the packet, by zone. A single number is the budget in green; the other zones get less.
   * Instructions come on top of it, word for word. Default: {"green": 1000, "yellow": 800, "red": 700, "compact":
   * 600}.
   */
  packetTokens?: number | PacketTokensKeys | null;
  /** Token budget of the resume packet. Default: 1500. */
  resumeTokens?: number | null;
  /** Tokens reserved for the reply, at most a quarter of the window. Default: 16384. */
  reserve?: number | null;
  /**
   * Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts as a
   * quarter of the window at most. Default: 16384.
   */
  hostReserve?: number | null;
  /** Work as if the window had at most this many tokens. */
  effectiveWindow?: number | null;
  /**
   * Bytes of a request: its list as JSON, plus 4 for each of `overheadTokens`. Above this, the oldest pictures and
   * documents are replaced by text. Since 1.1. Default: 24000000.
   */
  maxRequestBytes?: number | null;
  /** Pictures and documents in a list, at most. null: the provider's known limit. Since 1.1. */
  maxImages?: number | null;
  /**
   * A tool result longer than this many tokens is cut to them when it arrives. null: no result is cut. Since 1.1.
   */
  maxResultTokens?: number | null;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. Default: 0.5. */
  costVersusRecall?: number | null;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1. */
  oldTokens?: number | null;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1. Default: 1000. */
  newestTokens?: number | null;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1. Default: 4500. */
  indexTokens?: number | null;
  /** Prices of tokens, for a model whose host sends none. Only ratios matter. */
  prices?: ModelPricesKeys | null;
  /**
   * Milliseconds that the provider keeps a prompt in its cache. null: as learned from usage, or else as known for
   * the model.
   */
  cacheTtlMs?: number | null;
  /** Who writes compactions, and how. The short form only says who. Default: "host". */
  compaction?: Writer | CompactionPolicyKeys | null;
  /**
   * The vocabulary for `pressure` as long as no usage is known. The short form is its name. Default: "o200k_base".
   */
  tokenizer?: string | TokenizerKeys | null;
  /** Settings for some models, by model id. Default: {}. */
  models?: Record<string, ModelPolicyKeys | null> | null;
  /**
   * How long originals are kept for `retrieve`, and whether with their secrets. Default: {"maxAgeDays": 30,
   * "maxMegabytes": 256, "keepSecrets": false}.
   */
  archive?: ArchiveKeys | null;
  /** Tool output in this many of the newest turns is never pruned. Default: 2. */
  protectedTurns?: number | null;
  /** At least this many tokens of the newest older tool output are kept. Default: 40000. */
  pruneProtect?: number | null;
  /** Pruning starts only if it saves at least this many tokens. Default: 20000. */
  pruneMinimum?: number | null;
  /** Tools whose output is never pruned. Case is ignored. Default: []. */
  protectedTools?: string[] | null;
  /**
   * Instructions (CLAUDE.md, AGENTS.md, skills, rules, memories) and the task (the plan that the user approved, the
   * host's newest summary, long requests) stay in place, or word for word in the packet. Globs: only these files of
   * instructions. False: treat both like any other output or message. Since 1.1. Default: true.
   */
  protectedInstructions?: boolean | string[] | null;
  /** Tools whose output may be pruned. Case is ignored. Empty: all tools. Default: []. */
  prunableTools?: string[] | null;
  /**
   * Minutes without a call after which a session is unloaded from memory. The next call loads it from its snapshot.
   * 0: never. Since 1.1. Default: 60.
   */
  idleMinutes?: number | null;
  /**
   * Preset balanced: the cost, in tokens of input, if the model lacks a passage that it repeats. With a higher
   * number, text stays longer. lean is 330, balanced 1700, careful 3400. Since 1.1. Default: "balanced".
   */
  keep?: KeepPoint | number | null;
  /**
   * Preset balanced: what the first call sends once the prompt cache has expired. say: what is still worth its
   * cost. prune: a fifth of the list, and at least what must stay. The status shows both costs. Since 1.1. Default:
   * "say".
   */
  idle?: Idle | null;
  /**
   * The newest part of a list, which every preset sends byte for byte. Since 1.1. Default: {"results": 5, "tokens":
   * 8000}.
   */
  workingSet?: WorkingSetKeys | null;
}

/**
 * How lists are changed. `off` changes nothing; `tools` prunes old tool output; `turns` keeps the newest turns and
 * replaces the others with a packet; `balanced` removes old steps and results when that is cheaper than keeping
 * them.
 */
export type Preset = "off" | "tools" | "turns" | "balanced";

/** How many of the newest turns are kept whole, by zone. */
export interface TurnsKeptKeys {
  /** In green. Default: 6. */
  green?: number | null;
  /** In yellow. Default: 3. */
  yellow?: number | null;
  /** In red. Default: 1. */
  red?: number | null;
  /** In compact. Default: 1. */
  compact?: number | null;
}

/** Where yellow, red and compact begin, as increasing shares of the usable window. */
export interface ZonesKeys {
  /** Share of the usable window. Default: 0.5. */
  yellow?: number | null;
  /** Share of the usable window. Default: 0.7. */
  red?: number | null;
  /** Share of the usable window. Default: 0.9. */
  compact?: number | null;
}

/** Length in characters above which a tool result in a kept older turn is distilled, by zone. */
export interface DistillOverKeys {
  /** In green. Default: 1000. */
  green?: number | null;
  /** In yellow. Default: 400. */
  yellow?: number | null;
  /** In red. Default: 300. */
  red?: number | null;
  /** In compact. Default: 200. */
  compact?: number | null;
}

/** Token budget of the packet, by zone. */
export interface PacketTokensKeys {
  /** In green. Default: 1000. */
  green?: number | null;
  /** In yellow. Default: 800. */
  yellow?: number | null;
  /** In red. Default: 700. */
  red?: number | null;
  /** In compact. Default: 600. */
  compact?: number | null;
}

/**
 * Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion, or
 * else as each key says.
 */
export interface ModelPricesKeys {
  /** Input tokens. */
  input: number;
  /** Output tokens. Default: 0. */
  output?: number | null;
  /** Cache reads. null: a tenth of the input price. 0: free. */
  cacheRead?: number | null;
  /** Cache writes. 0: the input price if `cacheRead` is given, otherwise 1.25 times the input price. Default: 0. */
  cacheWrite?: number | null;
  /** Prices of longer requests. Since 1.1. Default: []. */
  tiers?: LongRequestPricesKeys[] | null;
}

/** Dollars per million tokens of a request above a size. They apply to the whole request. */
export interface LongRequestPricesKeys {
  /** The size: tokens of input. */
  aboveTokens: number;
  /** Input tokens. */
  input: number;
  /** Output tokens. 0: in proportion to input. Default: 0. */
  output?: number | null;
  /** Cache reads. null: in proportion to input. */
  cacheRead?: number | null;
  /** Cache writes. 0: in proportion to input. Default: 0. */
  cacheWrite?: number | null;
}

/** Who writes compactions and branch summaries. */
export type Writer = "host" | "ctxmgr";

/** Who writes compactions, how much is kept, and how a summary is written. */
export interface CompactionPolicyKeys {
  /** Who writes compactions. Default: "host". */
  by?: Writer | null;
  /** False: no compaction is requested. `compact` still works. Default: true. */
  enabled?: boolean | null;
  /** Tokens reserved for the reply. Default: 16384. */
  reserveTokens?: number | null;
  /** Tokens of the newest messages that are kept. Default: 20000. */
  keepRecentTokens?: number | null;
  /** Tokens that a branch summary leaves free. Default: 16384. */
  branchReserveTokens?: number | null;
  /** How these tokens are counted. Default: "tokens". */
  weigher?: Weigher | null;
  /** How a summary is written. null: in one call with a model, extractive without one. */
  strategy?: Strategy | null;
  /** The sections of a summary. Default: "structured". */
  format?: SummaryFormat | null;
  /**
   * Who runs the model: the host (`complete`), an endpoint, or nobody. null: the host if it can, else an endpoint
   * if one is configured, else nobody.
   */
  model?: SummaryModel | null;
  /** The model server. */
  endpoint?: EndpointKeys | null;
  /**
   * How a long history is sliced. Default: {"tokens": 20000, "overlap": 2000, "ratio": 0.1, "newest": 2,
   * "newestBoost": 2.0, "breaks": "steps", "cohesion": "words", "weighted": true}.
   */
  slices?: SlicesKeys | null;
  /** Model calls in parallel. Default: 3. */
  concurrency?: number | null;
  /** How often a failed call is repeated. Default: 1. */
  retries?: number | null;
  /** Time limit for a summary, in milliseconds. Default: 300000. */
  deadlineMs?: number | null;
  /** Write a compaction in advance, from the yellow zone on. This spends money. Default: false. */
  prepareAhead?: boolean | null;
  /** Instructions added to every summary prompt. */
  instructions?: string | null;
  /**
   * Your own prompts. `planCompaction` returns ctxmgr's. Since 1.1. Default: {"system": "", "history": "",
   * "turnPrefix": "", "branch": ""}.
   */
  prompts?: SummaryPromptsKeys | null;
}

/** "tokens": real tokens, as the session counts them. "chars4": UTF-16 units / 4, as pi counts. */
export type Weigher = "tokens" | "chars4";

/**
 * How a summary is written. `single-shot`: one call. `parallel-stitch`: slices in parallel, then merged.
 * `sequential-accumulated`: slices one after the other, each with what the earlier ones gave. `sequential-rolling`
 * and `incremental`: each call continues the summary. `extractive`: without a model, from what was said.
 */
export type Strategy = 
  | "single-shot"
  | "parallel-stitch"
  | "sequential-accumulated"
  | "sequential-rolling"
  | "incremental"
  | "extractive";

/** The sections of a summary. */
export type SummaryFormat = "structured" | "nine-section" | "handoff" | "continue";

/** Who runs the model that writes a summary. */
export type SummaryModel = "host" | "endpoint" | "none";

/** A model server that writes summaries. */
export interface EndpointKeys {
  /**
   * Its address: everything before `/chat/completions`, including `/v1`. For `anthropic`, everything before
   * `/v1/messages`.
   */
  baseUrl: string;
  /** The model's name on that server. */
  model: string;
  /** Name of the environment variable with the key. Keys are never part of a policy. */
  apiKeyEnv?: string | null;
  /** The model's context window in tokens. Default: 128000. */
  contextWindow?: number | null;
  /** Time limit for one call, in milliseconds. Default: 120000. */
  timeoutMs?: number | null;
  /** The server's API: OpenAI's chat completions, or Anthropic's messages. Since 1.1. Default: "chat". */
  api?: EndpointApi | null;
}

/** API of a model server. */
export type EndpointApi = "chat" | "anthropic";

/** How a long history is sliced for a model. */
export interface SlicesKeys {
  /** Tokens per slice. Default: 20000. */
  tokens?: number | null;
  /** Tokens that two neighboring slices share. Default: 2000. */
  overlap?: number | null;
  /** Length of the answer to a slice, as a share of the slice. Default: 0.1. */
  ratio?: number | null;
  /** How many of the newest slices get a longer answer. Default: 2. */
  newest?: number | null;
  /** How many times longer that answer is. Default: 2.0. */
  newestBoost?: number | null;
  /** Cut at the step nearest to the size, or where the subject changes. Default: "steps". */
  breaks?: SliceBreaks | null;
  /**
   * How a change of subject is detected: by words, by the embeddings extra, or by the host's `embed`. Default:
   * "words".
   */
  cohesion?: SliceCohesion | null;
  /** Show of a slice what matters to the goal. Default: true. */
  weighted?: boolean | null;
}

/** Where a long history is sliced. */
export type SliceBreaks = "steps" | "natural";

/** How a change of subject is detected. */
export type SliceCohesion = "words" | "embeddings" | "host";

/**
 * Your own prompts instead of ctxmgr's. "": ctxmgr's own. The record comes before them, in tags, and `instructions`
 * after them. The answer to your own `history`, `turnPrefix` or `branch` may be any text: it is not checked for
 * sections, and `format` is ignored.
 */
export interface SummaryPromptsKeys {
  /** System prompt of every call. Default: "". */
  system?: string | null;
  /** What to write about the conversation that a compaction removes. Default: "". */
  history?: string | null;
  /** The same, for the first part of a turn whose rest is kept. Default: "". */
  turnPrefix?: string | null;
  /** The same, for a branch that was left. Default: "". */
  branch?: string | null;
}

/**
 * The vocabulary for `pressure` as long as no usage is known. What stays in a list depends on an estimate instead.
 */
export interface TokenizerKeys {
  /** "o200k_base", or "estimate" for no vocabulary. Default: "o200k_base". */
  name?: string | null;
  /** Path of the vocabulary file. null: the default location. */
  path?: string | null;
}

/** Settings that can differ by model. A missing key has the policy's value. */
export interface ModelPolicyKeys {
  /** Where the zones begin. */
  zones?: ZonesKeys | null;
  /** Tokens reserved for the reply. */
  reserve?: number | null;
  /** Tokens that the host keeps free before it compacts by itself. */
  hostReserve?: number | null;
  /** Work as if the window had at most this many tokens. */
  effectiveWindow?: number | null;
  /** Who writes compactions, and how. */
  compaction?: Writer | CompactionPolicyKeys | null;
  /** Prices of its tokens, if the host sends none. */
  prices?: ModelPricesKeys | null;
  /** Milliseconds that its provider keeps a prompt in its cache, if the host does not say. */
  cacheTtlMs?: number | null;
}

/**
 * How long originals are kept for `retrieve`, and whether with their secrets. The oldest are deleted first, those
 * of open sessions never.
 */
export interface ArchiveKeys {
  /** Days after removal. Default: 30. */
  maxAgeDays?: number | null;
  /** Megabytes (10^6 bytes) of text in the whole state directory, for all sessions together. Default: 256. */
  maxMegabytes?: number | null;
  /**
   * Keep secrets of known shapes in originals. False: they are masked before they are written to disk, and
   * `retrieve` returns `[masked]` in their place. Since 1.1. Default: false.
   */
  keepSecrets?: boolean | null;
}

/** How much stays: `lean` least, `careful` most. */
export type KeepPoint = "lean" | "balanced" | "careful";

/** What the first call sends after the prompt cache has expired: `say` as usual, `prune` a fifth. */
export type Idle = "say" | "prune";

/** The newest part of a list, in whole steps. It is sent byte for byte as long as it fits the window. */
export interface WorkingSetKeys {
  /** At least this many of the newest tool results. Default: 5. */
  results?: number | null;
  /** At least this many tokens of the newest steps. Default: 8000. */
  tokens?: number | null;
}

/**
 * A tool of the host, and which of its arguments contain a path (or a list of paths) or a command line. A tool that
 * does several things names several arguments. A call does those whose argument it has.
 */
export interface DeclaredTool {
  /** The tool's name, as in calls. */
  name: string;
  /** Contains the path of a file whose text is shown. */
  reads?: string | null;
  /** Contains the path of a file that is written as a whole. */
  writes?: string | null;
  /** Contains the path of a file that is edited. */
  edits?: string | null;
  /** Contains the path of a file that is deleted. */
  deletes?: string | null;
  /** Contains a shell command line. */
  runs?: string | null;
  /** Contains the path that is searched. */
  searches?: string | null;
  /** Contains the path that is listed. */
  lists?: string | null;
}

/** What ctxmgr is and can do, and the resulting policy. */
export interface InitializeResult {
  /** The protocol version in use: the older of the host's and ctxmgr's. */
  protocolVersion: string;
  /** Name and version of this ctxmgr. */
  serverInfo: ServerInfo;
  /** What ctxmgr can do. */
  capabilities: ServerCapabilities;
  /** All policy keys with their values. */
  policy: Policy;
}

/** Name and version of this ctxmgr. */
export interface ServerInfo {
  /** "ctxmgr". */
  name: string;
  /** The version of the program, not of the protocol. */
  version: string;
}

/** What this ctxmgr can do. */
export interface ServerCapabilities {
  /** Formats that `initialize` accepts. */
  messageFormats: string[];
  /** Presets that a policy accepts. */
  presets: string[];
  /** Framings that ctxmgr understands. */
  framings: string[];
  /** `context` accepts `append`. */
  append: boolean;
  /** `context` accepts `answer: "edits"`. */
  edits: boolean;
}

/** All settings of a session. Tokens are ctxmgr's own count unless a key says otherwise. */
export interface Policy {
  /** How lists are changed. */
  preset: Preset;
  /** Preset turns: how many of the newest turns are kept, by zone. */
  recentUserTurns: TurnsKept;
  /** Where the zones begin. */
  zones: Zones;
  /** Preset turns: the longest tool result in an older turn, by zone. */
  distill: DistillOver;
  /**
   * Token budget of the packet, by zone. A single number is the budget in green; the other zones get less.
   * Instructions come on top of it, word for word.
   */
  packetTokens: number | PacketTokens;
  /** Token budget of the resume packet. */
  resumeTokens: number;
  /** Tokens reserved for the reply, at most a quarter of the window. */
  reserve: number;
  /**
   * Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts as a
   * quarter of the window at most.
   */
  hostReserve: number;
  /** Work as if the window had at most this many tokens. */
  effectiveWindow: number | null;
  /**
   * Bytes of a request: its list as JSON, plus 4 for each of `overheadTokens`. Above this, the oldest pictures and
   * documents are replaced by text. Since 1.1. Default: 24000000.
   */
  maxRequestBytes?: number;
  /** Pictures and documents in a list, at most. null: the provider's known limit. Since 1.1. */
  maxImages?: number | null;
  /**
   * A tool result longer than this many tokens is cut to them when it arrives. null: no result is cut. Since 1.1.
   */
  maxResultTokens?: number | null;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. */
  costVersusRecall: number;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1. */
  oldTokens?: number | null;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1. Default: 1000. */
  newestTokens?: number;
  /** Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1. Default: 4500. */
  indexTokens?: number;
  /** Prices of tokens, for a model whose host sends none. Only ratios matter. */
  prices: ModelPrices | null;
  /**
   * Milliseconds that the provider keeps a prompt in its cache. null: as learned from usage, or else as known for
   * the model.
   */
  cacheTtlMs: number | null;
  /** Who writes compactions, and how. The short form only says who. */
  compaction: Writer | CompactionPolicy;
  /** The vocabulary for `pressure` as long as no usage is known. The short form is its name. */
  tokenizer: string | Tokenizer;
  /** Settings for some models, by model id. */
  models: Record<string, ModelPolicy>;
  /** How long originals are kept for `retrieve`, and whether with their secrets. */
  archive: Archive;
  /** Tool output in this many of the newest turns is never pruned. */
  protectedTurns: number;
  /** At least this many tokens of the newest older tool output are kept. */
  pruneProtect: number;
  /** Pruning starts only if it saves at least this many tokens. */
  pruneMinimum: number;
  /** Tools whose output is never pruned. Case is ignored. */
  protectedTools: string[];
  /**
   * Instructions (CLAUDE.md, AGENTS.md, skills, rules, memories) and the task (the plan that the user approved, the
   * host's newest summary, long requests) stay in place, or word for word in the packet. Globs: only these files of
   * instructions. False: treat both like any other output or message. Since 1.1. Default: true.
   */
  protectedInstructions?: boolean | string[];
  /** Tools whose output may be pruned. Case is ignored. Empty: all tools. */
  prunableTools: string[];
  /**
   * Minutes without a call after which a session is unloaded from memory. The next call loads it from its snapshot.
   * 0: never. Since 1.1. Default: 60.
   */
  idleMinutes?: number;
  /**
   * Preset balanced: the cost, in tokens of input, if the model lacks a passage that it repeats. With a higher
   * number, text stays longer. lean is 330, balanced 1700, careful 3400. Since 1.1. Default: "balanced".
   */
  keep?: KeepPoint | number;
  /**
   * Preset balanced: what the first call sends once the prompt cache has expired. say: what is still worth its
   * cost. prune: a fifth of the list, and at least what must stay. The status shows both costs. Since 1.1. Default:
   * "say".
   */
  idle?: Idle;
  /**
   * The newest part of a list, which every preset sends byte for byte. Since 1.1. Default: {"results": 5, "tokens":
   * 8000}.
   */
  workingSet?: WorkingSet;
}

/** How many of the newest turns are kept whole, by zone. */
export interface TurnsKept {
  /** In green. */
  green: number;
  /** In yellow. */
  yellow: number;
  /** In red. */
  red: number;
  /** In compact. */
  compact: number;
}

/** Where yellow, red and compact begin, as increasing shares of the usable window. */
export interface Zones {
  /** Share of the usable window. */
  yellow: number;
  /** Share of the usable window. */
  red: number;
  /** Share of the usable window. */
  compact: number;
}

/** Length in characters above which a tool result in a kept older turn is distilled, by zone. */
export interface DistillOver {
  /** In green. */
  green: number;
  /** In yellow. */
  yellow: number;
  /** In red. */
  red: number;
  /** In compact. */
  compact: number;
}

/** Token budget of the packet, by zone. */
export interface PacketTokens {
  /** In green. */
  green: number;
  /** In yellow. */
  yellow: number;
  /** In red. */
  red: number;
  /** In compact. */
  compact: number;
}

/**
 * Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion, or
 * else as each key says.
 */
export interface ModelPrices {
  /** Input tokens. */
  input: number;
  /** Output tokens. */
  output: number;
  /** Cache reads. null: a tenth of the input price. 0: free. */
  cacheRead: number | null;
  /** Cache writes. 0: the input price if `cacheRead` is given, otherwise 1.25 times the input price. */
  cacheWrite: number;
  /** Prices of longer requests. Since 1.1. Default: []. */
  tiers?: LongRequestPrices[];
}

/** Dollars per million tokens of a request above a size. They apply to the whole request. */
export interface LongRequestPrices {
  /** The size: tokens of input. */
  aboveTokens: number;
  /** Input tokens. */
  input: number;
  /** Output tokens. 0: in proportion to input. */
  output: number;
  /** Cache reads. null: in proportion to input. */
  cacheRead: number | null;
  /** Cache writes. 0: in proportion to input. */
  cacheWrite: number;
}

/** Who writes compactions, how much is kept, and how a summary is written. */
export interface CompactionPolicy {
  /** Who writes compactions. */
  by: Writer;
  /** False: no compaction is requested. `compact` still works. */
  enabled: boolean;
  /** Tokens reserved for the reply. */
  reserveTokens: number;
  /** Tokens of the newest messages that are kept. */
  keepRecentTokens: number;
  /** Tokens that a branch summary leaves free. */
  branchReserveTokens: number;
  /** How these tokens are counted. */
  weigher: Weigher;
  /** How a summary is written. null: in one call with a model, extractive without one. */
  strategy: Strategy | null;
  /** The sections of a summary. */
  format: SummaryFormat;
  /**
   * Who runs the model: the host (`complete`), an endpoint, or nobody. null: the host if it can, else an endpoint
   * if one is configured, else nobody.
   */
  model: SummaryModel | null;
  /** The model server. */
  endpoint: Endpoint | null;
  /** How a long history is sliced. */
  slices: Slices;
  /** Model calls in parallel. */
  concurrency: number;
  /** How often a failed call is repeated. */
  retries: number;
  /** Time limit for a summary, in milliseconds. */
  deadlineMs: number;
  /** Write a compaction in advance, from the yellow zone on. This spends money. */
  prepareAhead: boolean;
  /** Instructions added to every summary prompt. */
  instructions: string | null;
  /**
   * Your own prompts. `planCompaction` returns ctxmgr's. Since 1.1. Default: {"system": "", "history": "",
   * "turnPrefix": "", "branch": ""}.
   */
  prompts?: SummaryPrompts;
}

/** A model server that writes summaries. */
export interface Endpoint {
  /**
   * Its address: everything before `/chat/completions`, including `/v1`. For `anthropic`, everything before
   * `/v1/messages`.
   */
  baseUrl: string;
  /** The model's name on that server. */
  model: string;
  /** Name of the environment variable with the key. Keys are never part of a policy. */
  apiKeyEnv: string | null;
  /** The model's context window in tokens. */
  contextWindow: number;
  /** Time limit for one call, in milliseconds. */
  timeoutMs: number;
  /** The server's API: OpenAI's chat completions, or Anthropic's messages. Since 1.1. Default: "chat". */
  api?: EndpointApi;
}

/** How a long history is sliced for a model. */
export interface Slices {
  /** Tokens per slice. */
  tokens: number;
  /** Tokens that two neighboring slices share. */
  overlap: number;
  /** Length of the answer to a slice, as a share of the slice. */
  ratio: number;
  /** How many of the newest slices get a longer answer. */
  newest: number;
  /** How many times longer that answer is. */
  newestBoost: number;
  /** Cut at the step nearest to the size, or where the subject changes. */
  breaks: SliceBreaks;
  /** How a change of subject is detected: by words, by the embeddings extra, or by the host's `embed`. */
  cohesion: SliceCohesion;
  /** Show of a slice what matters to the goal. */
  weighted: boolean;
}

/**
 * Your own prompts instead of ctxmgr's. "": ctxmgr's own. The record comes before them, in tags, and `instructions`
 * after them. The answer to your own `history`, `turnPrefix` or `branch` may be any text: it is not checked for
 * sections, and `format` is ignored.
 */
export interface SummaryPrompts {
  /** System prompt of every call. */
  system: string;
  /** What to write about the conversation that a compaction removes. */
  history: string;
  /** The same, for the first part of a turn whose rest is kept. */
  turnPrefix: string;
  /** The same, for a branch that was left. */
  branch: string;
}

/**
 * The vocabulary for `pressure` as long as no usage is known. What stays in a list depends on an estimate instead.
 */
export interface Tokenizer {
  /** "o200k_base", or "estimate" for no vocabulary. */
  name: string;
  /** Path of the vocabulary file. null: the default location. */
  path: string | null;
}

/** Settings that can differ by model. A missing key has the policy's value. */
export interface ModelPolicy {
  /** Where the zones begin. */
  zones: Zones | null;
  /** Tokens reserved for the reply. */
  reserve: number | null;
  /** Tokens that the host keeps free before it compacts by itself. */
  hostReserve: number | null;
  /** Work as if the window had at most this many tokens. */
  effectiveWindow: number | null;
  /** Who writes compactions, and how. */
  compaction: Writer | CompactionPolicy | null;
  /** Prices of its tokens, if the host sends none. */
  prices: ModelPrices | null;
  /** Milliseconds that its provider keeps a prompt in its cache, if the host does not say. */
  cacheTtlMs: number | null;
}

/**
 * How long originals are kept for `retrieve`, and whether with their secrets. The oldest are deleted first, those
 * of open sessions never.
 */
export interface Archive {
  /** Days after removal. */
  maxAgeDays: number;
  /** Megabytes (10^6 bytes) of text in the whole state directory, for all sessions together. */
  maxMegabytes: number;
  /**
   * Keep secrets of known shapes in originals. False: they are masked before they are written to disk, and
   * `retrieve` returns `[masked]` in their place. Since 1.1. Default: false.
   */
  keepSecrets?: boolean;
}

/** The newest part of a list, in whole steps. It is sent byte for byte as long as it fits the window. */
export interface WorkingSet {
  /** At least this many of the newest tool results. */
  results: number;
  /** At least this many tokens of the newest steps. */
  tokens: number;
}

/** No members. `params` may be omitted. */
export type NoParams = Record<string, unknown>;

/** The request to cancel. */
export interface CancelParams {
  /** Id of the request, as it was sent. */
  id: RequestId;
}

/** Id of a request. ctxmgr returns it byte for byte. ctxmgr's own ids are strings. */
export type RequestId = string | number;

/** The protocol as an OpenRPC document, the same as `openrpc.json` in this folder. */
export type DiscoverResult = Record<string, unknown>;

/** A session and the model that it starts with. This is not an event and does not count in `seq`. */
export interface SessionStartParams {
  /** The host's id of the session. The same id continues where the session ended. */
  sessionId: string;
  /** The model that the session's lists are for. */
  model: Model;
  /** Working directory. Lists of saved sessions show it. It is not used otherwise. */
  cwd?: string | null;
  /**
   * The host's session tree, oldest entry first. ctxmgr learns from it what a snapshot does not contain, and which
   * entry each message belongs to.
   */
  entries?: Entry[] | null;
  /** The session's current entry. Default: the last of `entries`. */
  leafId?: string | null;
  /** Format of this session's messages. Default: that of `initialize`. Since 1.1. */
  messageFormat?: string | null;
  /**
   * Tools of this session. They take precedence over those of `initialize`. If neither gives any, those of the
   * saved session apply. Since 1.1.
   */
  tools?: DeclaredTool[] | null;
}

/** A model and its context window. */
export interface Model {
  /** The model's name. What is learned about its token counts is stored under this name. */
  id: string;
  /** Context window in tokens. */
  contextWindow: number;
  /** The model's provider. */
  provider?: string | null;
  /** Longest reply in tokens. Summaries that this model writes are kept below it. */
  maxOutputTokens?: number | null;
  /** Prices of its tokens. Only ratios matter. */
  prices?: Prices | null;
  /** Milliseconds that its provider keeps a prompt in its cache. */
  cacheTtlMs?: number | null;
  /**
   * The calls may wait, as batch requests do. Without prices, the known batch prices apply. Since 1.1. Default:
   * false.
   */
  batch?: boolean;
  /**
   * The model's template requires user and assistant messages to alternate (apart from tool calls and results).
   * Lists then alternate if the given list does, and the packet is part of a user message. Without this member, the
   * model's name or a refusal decides. Since 1.1.
   */
  strictRoles?: boolean | null;
}

/**
 * Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion, or
 * else as each member says.
 */
export interface Prices {
  /** Uncached input. 0: unknown. */
  input?: number | null;
  /** Output. 0: unknown. */
  output?: number | null;
  /** Cache reads. 0: free. Default: a tenth of the input price. */
  cacheRead?: number | null;
  /** Cache writes. Absent or 0: the input price if `cacheRead` is given, otherwise 1.25 times the input price. */
  cacheWrite?: number | null;
  /** Prices of longer requests. Default: as known of the model, in proportion. Since 1.1. Default: []. */
  tiers?: HostTierPrices[];
}

/**
 * Dollars per million tokens of a request above a size. They apply to the whole request. A missing price changes in
 * the same proportion as `input`.
 */
export interface HostTierPrices {
  /** The size: tokens of input. */
  aboveTokens: number;
  /** Uncached input. */
  input: number;
  /** Output. 0: unknown. */
  output?: number | null;
  /** Cache reads. 0: free. */
  cacheRead?: number | null;
  /** Cache writes. 0: unknown. */
  cacheWrite?: number | null;
}

/**
 * One entry of the host's session tree, as the host's own object: `{id, parentId, type, timestamp?}` and the
 * members of its type, as in pi: `message` of a message, `summary` of a compaction. Entries of unknown types only
 * have a place in the tree. Entries without `id` are ignored.
 */
export type Entry = unknown;

/** What was known of the session. */
export interface SessionStartResult {
  /** True if the session was known: still open, or loaded from its snapshot. */
  restored: boolean;
  /** State of the session after this call. */
  status: Status;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/** State of a session. */
export interface Status {
  /** "off" in preset `off` and after `setPruning` false. */
  mode: Mode;
  /** The current preset. */
  preset: Preset;
  /** The current band of pressure. */
  zone: Zone;
  /** Tokens used, divided by usable tokens. */
  pressure: number;
  /**
   * Tokens of the list in the provider's count. null until the first `usage`, and between a compaction and the next
   * `usage`.
   */
  tokens: number | null;
  /** The model's context window in tokens. */
  contextWindow: number;
  /** Tokens of the packet in the last list. */
  packetTokens: number;
  /** Number of summaries so far. */
  summaries: Summaries;
  /** Whether a compaction has been requested. */
  latch: LatchStatus;
  /** Totals of the session. */
  stats: Stats;
  /** Number of the current cache epoch. 0 before the first one. */
  epoch: number;
  /** Number of pins. */
  pins: number;
  /** False if the window is so small that the host may compact before ctxmgr can ask. */
  promise: boolean;
  /** The vocabulary in use, or `estimate`. */
  weigher: string;
  /** Messages for people: an unreadable snapshot, a missing vocabulary, an unusable archive. */
  notes: string[];
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
  /**
   * Source of `tokens` and `pressure`: the provider's last plausible count plus what came since, or the list
   * counted by the vocabulary or the estimate. Since 1.1. Default: "estimate".
   */
  countedBy?: CountSource;
  /** Context window in tokens, as learned from a "too long" refusal. null: as the host said. Since 1.1. */
  learnedWindow?: number | null;
  /** Provider tokens per token of ctxmgr's count, as learned for this model so far. Since 1.1. Default: 1.0. */
  ratio?: number;
  /**
   * What the prompt cache gave, compared with what it should have. null until a call can be compared, and if
   * `usage` does not say what was read. Since 1.1.
   */
  cache?: CacheStatus | null;
  /**
   * `seq` of the newest event that has reached the store (`serve --store`). null without a store, or if no event is
   * known to be there. Since 1.1.
   */
  durable?: number | null;
  /** The facts in use about the model, and their sources. null in the answer to `turn_end`. Since 1.1. */
  model?: ModelStatus | null;
}

/** Whether lists are changed. */
export type Mode = "on" | "off";

/** A band of pressure. See reference.md#the-zones. */
export type Zone = "green" | "yellow" | "red" | "compact";

/** Number of summaries, by kind. */
export interface Summaries {
  /** Compactions. */
  compaction: number;
  /** Branches that were left. */
  branch: number;
}

/** Whether this episode has already asked for a compaction. See reference.md#the-latch. */
export interface LatchStatus {
  /** Its state. */
  state: LatchState;
  /** Consecutive failures. */
  failures: number;
}

/**
 * `idle`: may ask. `asked`: waits for the outcome. `cooldown`: was refused or failed. `resting`: failed too often,
 * waits for pressure to fall.
 */
export type LatchState = "idle" | "asked" | "cooldown" | "resting";

/** Totals of the session. Tokens are ctxmgr's own count. */
export interface Stats {
  /** Lists changed. */
  contexts: number;
  /** Lists answered by the fallback after an internal fault. */
  fallbacks: number;
  /** Turns dropped. */
  turnsDropped: number;
  /** Tool results distilled. */
  resultsDistilled: number;
  /** Tool results pruned. */
  resultsPruned: number;
  /** Tokens of tool output that the last pruning examined. */
  tokensScanned: number;
  /** Tokens pruned. */
  tokensPruned: number;
  /** Tokens that the last pruning skipped because they are protected. */
  tokensProtected: number;
  /** Compactions requested. */
  compactionsRequested: number;
}

/** Source of tokens and pressure. */
export type CountSource = "usage" | "vocabulary" | "estimate";

/** What the prompt cache gave. Tokens are the provider's. */
export interface CacheStatus {
  /**
   * Tokens that the newest calls should have read: what each list had in common with the one before, plus what
   * precedes the list.
   */
  expected: number;
  /** Tokens that these calls did read, by the provider's count. */
  read: number;
  /**
   * Number of these calls, at most 8. Only calls that came while the entry of the one before was still in the cache
   * count.
   */
  calls: number;
  /** Milliseconds until an unread cache entry is assumed to expire. */
  lifetimeMs: number;
  /** Source of that lifetime. */
  lifetimeFrom: LifetimeSource;
  /** What the cause may be, if the newest calls persistently read less than half of what they should. */
  gap?: string;
  /**
   * When the cache entry of the last list expires if no call reads it, in milliseconds since 1970: its `at` plus
   * `lifetimeMs`. Absent if the list had no time or nothing is cached.
   */
  expiresAt?: number;
  /** Cost of the first call after that. Present if `getStatus` asks for it. */
  coldCost?: ColdCost;
  /** Prompts that changed early without ctxmgr. Absent if there were none. */
  busts?: CacheBusts;
}

/**
 * Source of the cache lifetime. `host` and `policy`: `cacheTtlMs`. `learned`: from what calls read after pauses.
 * `rule`: known of the provider.
 */
export type LifetimeSource = "host" | "policy" | "learned" | "rule";

/** Cost of the first call after the prompt cache has expired. */
export interface ColdCost {
  /** With the host's own list. */
  raw: WrittenPrompt;
  /** With the list that ctxmgr would answer. */
  pruned: WrittenPrompt;
}

/** A write to the prompt cache. */
export interface WrittenPrompt {
  /** Provider tokens, including what precedes the list. */
  tokens: number;
  /** Cost. null if no price is known. */
  dollars: number | null;
}

/** Totals of the session. */
export interface CacheBusts {
  /** Number of calls. */
  count: number;
  /** Number of calls by what changed: `tools`, `system`, `messages`. */
  parts: Record<string, number>;
  /** Total of all of them. */
  tokens: number;
  /** Total of those with a known price. Absent if there are none. */
  dollars: number | null;
  /** The newest. */
  last: CacheBust;
}

/**
 * A prompt changed early, and not because of ctxmgr. Everything after the change was written to the cache again,
 * although it was cached.
 */
export interface CacheBust {
  /** The part of the prompt: tool definitions, system prompt, or the list. */
  part: PromptPart;
  /** What happened to that tool, block or message. */
  how: HowChanged;
  /** Its index, from 0. */
  index: number;
  /** If it changed: the number of bytes of its JSON that are unchanged. */
  offset: number;
  /** Tokens that were written, in the provider's count. */
  tokens: number;
  /** How much more that cost than reading them. Absent if no price is known. */
  dollars?: number;
}

/** A part of a prompt, in the order in which it is cached. */
export type PromptPart = "tools" | "system" | "messages";

/** What happened to a part. `moved`: its order changed. */
export type HowChanged = "changed" | "added" | "removed" | "moved";

/** The facts in use about the session's model, and their sources. */
export interface ModelStatus {
  /** The model's id, as the host gave it. */
  id: string;
  /** Context window in tokens, or less if a refusal showed that. */
  contextWindow: number;
  /** Longest reply in tokens. null: unknown. */
  maxOutputTokens: number | null;
  /** Source of the longest reply. */
  outputBy: SaidBy;
  /** Prices: the first tier applies above 0 tokens, the others to longer requests. Empty: unknown. */
  prices: TierPrices[];
  /** Source of the prices. */
  pricesBy: SaidBy;
  /** How its provider caches prompts. */
  cache: ProviderCache;
  /** Source of how the provider caches. */
  cacheBy: SaidBy;
  /** Source of the cache lifetime. What calls taught is in `cache` of the status. */
  lifetimeBy: SaidBy;
  /** The row with the facts about the model. "": none. */
  like: string;
  /** How that row was found. */
  why: string;
  /** Where its facts were read. "" if there are none. */
  source: string;
  /** The date of its facts. */
  date: string;
}

/** Source: the host, the policy, what is known of this model, what is known of a similar one, or none. */
export type SaidBy = "host" | "policy" | "registry" | "family" | "default";

/**
 * Dollars per million tokens of a request above the tier's size. They apply to the whole request. null: unknown.
 */
export interface TierPrices {
  /** The size: tokens of input. */
  aboveTokens: number;
  /** Uncached input. */
  input: number | null;
  /** Output. */
  output: number | null;
  /** Cache reads. */
  cacheRead: number | null;
  /** Cache writes. */
  cacheWrite: number | null;
}

/** How the provider caches prompts. */
export interface ProviderCache {
  /** What is cached of a request. */
  kind: CacheKind;
  /** Marks allowed in one request. */
  mostMarks: number;
  /** How many content blocks before a mark an earlier entry is found at most. 0: no limit. */
  lookBackBlocks: number;
  /** Shortest prompt in tokens that is cached. */
  leastTokens: number;
  /** Reads are a multiple of this many tokens. */
  stepTokens: number;
  /** Milliseconds until an unread entry expires. */
  lifetimeMs: number;
  /** Whether each read restarts that time. */
  renews: boolean;
}

/** `marks`: up to each mark in the request. `implicit`: automatic. `none`: nothing. */
export type CacheKind = "marks" | "implicit" | "none";

/** The session's model from now on. */
export interface ModelSelectParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The new model. */
  model: Model;
}

/** Returns the state of the session. */
export interface StatusResult {
  /** State of the session after this call. */
  status: Status;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/**
 * The list that the host would send to the model: either the whole list (`messages`) or what came since the last
 * call (`append`), never both.
 */
export interface ContextParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The whole list, oldest message first. */
  messages?: Message[] | null;
  /** What came since the last call. */
  append?: Append | null;
  /** The host's time, in milliseconds since the epoch. */
  at?: number | null;
  /**
   * Tokens of the system prompt and the tool definitions, which are not in the list. Kept until a new number
   * arrives. Used until the first `usage` is known.
   */
  overheadTokens?: number | null;
  /**
   * "messages": always the whole list. "edits": what is kept and what is inserted. Default: the whole list, or
   * `unchanged`.
   */
  answer?: AnswerForm | null;
  /**
   * Number of cache marks in the request outside of the list, on the system prompt and the tools. Default: 2. The
   * report's `cacheBreakpoints` uses the remaining ones. Since 1.1.
   */
  ownMarks?: number | null;
  /**
   * How the tools and the system prompt, which are not in the list, differ from the call before. Absent: they do
   * not, or the host does not say. Since 1.1.
   */
  prefixChange?: PrefixChange | null;
}

/**
 * One message: the host's own object, in the format that `initialize` named. It passes unchanged. Unknown members,
 * blocks and roles stay where they are.
 */
export type Message = unknown;

/**
 * What came since the last `context`. If `after` or `base` does not match, the answer is error -32801: send the
 * whole list.
 */
export interface Append {
  /** Number of messages sent before. */
  after: number;
  /** The `base` of the last answer. */
  base: string;
  /** What came since. */
  messages: Message[];
}

/** How `context` returns the list. */
export type AnswerForm = "messages" | "edits";

/** Where a prompt first differs from that of the call before, and how. It contains no text. */
export interface PrefixChange {
  /** The part of the prompt: tool definitions, system prompt, or the list. */
  part: PromptPart;
  /** What happened to that tool, block or message. */
  how: HowChanged;
  /** Its index, from 0. */
  index: number;
  /** If it changed: the number of bytes of its JSON that are unchanged. */
  offset: number;
}

/** The list to send to the model. Exactly one of `messages`, `edits` and `unchanged` is present. */
export interface ContextResult {
  /**
   * Tag of this state of the list, for the next call's `append`. "" after a fault: the next call sends the whole
   * list.
   */
  base: string;
  /** What was done, and why. */
  report: Report;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
  /** The list to send. Messages that are kept are byte for byte as they came. */
  messages?: Message[];
  /** The list to send, in pieces, in order. */
  edits?: Edit[];
  /** True: the host sends its own list unchanged. */
  unchanged?: boolean;
}

/** What a projection did. Token counts are ctxmgr's own, before the provider's usage corrects them. */
export interface Report {
  /** Tokens of the list as it came. */
  rawTokens: number;
  /** Tokens of the list to send. */
  tokens: number;
  /** The zone of the list before this call pruned it. */
  zone: Zone;
  /** Number of the current cache epoch. 0 if none was opened. */
  epoch: number;
  /**
   * Index of the first message that differs from the previous answer. A provider's cache is valid up to there. -1:
   * the list only grew at its end (cache marks and spelling are ignored). 0: a different list is the first one
   * after a restart.
   */
  firstChangedIndex: number;
  /** Turns in the list to send. */
  turnsKept: number;
  /** Turns removed from it. */
  turnsDropped: number;
  /** Tool results shortened in it. */
  resultsDistilled: number;
  /** Tool results replaced with a marker. */
  resultsPruned: number;
  /** Tokens of the packet. 0 without one. */
  packetTokens: number;
  /**
   * Broken promises. The answer is then the last good list. `fit`: the list is as short as possible and still does
   * not fit the window (see `tooBig`). Normally empty.
   */
  checks: string[];
  /**
   * Where cache marks belong, for a provider with marks: on the last block that can have one, in the messages with
   * these indexes. Ascending, usually including the newest message. No other message of the list should have a
   * mark. Empty if the provider has no marks, if `ownMarks` leaves none, and after a fault: the host then sets its
   * marks as usual. Since 1.1.
   */
  cacheBreakpoints?: number[];
  /**
   * Messages removed individually, not with their turn: in preset balanced, and in others if the list did not fit.
   */
  messagesDropped?: number;
  /** Results, texts and arguments that were cut because they were too long or the list did not fit. Since 1.1. */
  blocksCut?: number;
  /** With `fit` in `checks`: the messages with the most tokens, largest first. Since 1.1. */
  tooBig?: TooBig[];
  /** Tokens at the start of this list that are the same as in the last answer. */
  prefixTokens?: number;
  /** The same in bytes of its messages. */
  prefixBytes?: number;
  /** For the epoch that this call opened: what it costs and what it saves. */
  arithmetic?: string;
  /**
   * Files whose text was removed from the model's view, in whole or in part, with this answer. A host that
   * remembers what its model has read can forget them.
   */
  readsGone?: ReadGone[];
  /** Why the answer is `unchanged` or the last good list. */
  reason?: string;
  /** Unpaired surrogates in the request that became U+FFFD. */
  mended?: number;
  /**
   * Tokens by which the list exceeds the host's own: what the packet says about what the host itself removed, and
   * the scratchpad. Since 1.1.
   */
  carriedTokens?: number;
  /** The prompt changed early, and not because of ctxmgr. Absent otherwise. Since 1.1. */
  cacheBust?: CacheBust;
}

/** A message of a list that does not fit the window, whatever is cut. */
export interface TooBig {
  /** What the message is: user, assistant, result, prompt, ... */
  kind: string;
  /** Its index in the host's list. */
  index: number;
  /** Its tokens as it is sent. */
  tokens: number;
}

/** A file whose text was removed from the model's view. */
export interface ReadGone {
  /** The path, as the call named it. */
  path: string;
}

/** One piece of the list to send: a range of the host's own messages, or a message to insert. */
export type Edit = KeepEdit | PutEdit;

/** Messages of the host that stay as they are. */
export interface KeepEdit {
  /** `[from, to]`: indexes into the whole list, including its appended part. `to` is not included. */
  keep: [number, number];
}

/** A message that replaces others or is added. */
export interface PutEdit {
  /** The message, in the host's format. */
  put: Message;
}

/** What the model answered and what its tools returned. The message also belongs into the next list. */
export interface TurnEndParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The model's message. */
  message: Message;
  /** The results of its tool calls, in order. */
  toolResults?: Message[] | null;
  /**
   * The provider's token count of this call. Without it, the message's own `usage` is read. It corrects ctxmgr's
   * counts. Without any usage, compactions are requested based on the estimate.
   */
  usage?: UsageParams | null;
  /** The host's time, in milliseconds since the epoch. */
  at?: number | null;
  /** The entries that the message and results became in the session tree. */
  entryIds?: EntryIds | null;
}

/**
 * Tokens as the provider counted them: in these members, or as the provider's or framework's own object, unchanged.
 * Members in snake_case are Anthropic's and OpenAI's. Those that end in `TokenCount` are Gemini's. DeepSeek, Kimi,
 * Mistral, Bedrock, Ollama, llama.cpp, LangChain, pydantic-ai, the AI SDK and OpenCode have members of their own.
 */
export interface UsageParams {
  /** Uncached input. */
  input?: number | null;
  /** Output. */
  output?: number | null;
  /** Cache reads. */
  cacheRead?: number | null;
  /** Cache writes. */
  cacheWrite?: number | null;
  /** Total. Takes precedence over the sum of the four. */
  totalTokens?: number | null;
  /** Total, for a host that knows nothing else. */
  tokens?: number | null;
  /** Anthropic: uncached input. OpenAI responses: all input. */
  input_tokens?: number | null;
  /** Anthropic, OpenAI responses: output. */
  output_tokens?: number | null;
  /** Anthropic: cache reads. */
  cache_read_input_tokens?: number | null;
  /** Anthropic: cache writes. */
  cache_creation_input_tokens?: number | null;
  /** OpenAI chat completions: all input. */
  prompt_tokens?: number | null;
  /** OpenAI chat completions: output. */
  completion_tokens?: number | null;
  /** OpenAI: total. */
  total_tokens?: number | null;
  /** OpenAI responses: cache reads, as part of the input. */
  input_tokens_details?: CachedTokens | null;
  /** OpenAI chat completions: cache reads, as part of the input. */
  prompt_tokens_details?: CachedTokens | null;
  /** Gemini: all input except what its own tools gave. Since 1.1. */
  promptTokenCount?: number | null;
  /** Gemini: input from its own tools. Since 1.1. */
  toolUsePromptTokenCount?: number | null;
  /** Gemini: cache reads, as part of the input. Since 1.1. */
  cachedContentTokenCount?: number | null;
  /** Gemini: output without thoughts. Since 1.1. */
  candidatesTokenCount?: number | null;
  /** Gemini: thoughts. Since 1.1. */
  thoughtsTokenCount?: number | null;
  /** Gemini: total. Since 1.1. */
  totalTokenCount?: number | null;
}

/** In OpenAI's counts: cache reads, as part of the input. */
export interface CachedTokens {
  /** Cache reads. */
  cached_tokens?: number | null;
}

/** Ids of the new entries. */
export interface EntryIds {
  /** Id of the model's message. */
  message?: string | null;
  /** Ids of the results, in their order. null if one has none. */
  toolResults?: (string | null)[] | null;
  /**
   * Id of the newest user message in the answered list, or the ids of all that came since the last `turn_end`,
   * oldest first. Since 1.1.
   */
  user?: string | (string | null)[] | null;
}

/** What the host should do now, and the state of the session. */
export interface TurnEndResult {
  /** What the host should do. Usually empty. */
  commands: Command[];
  /** State of the session after this call. */
  status: Status;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
  /**
   * If the provider refused the list as too long: what to send next. `session_compact`: wait until the compaction
   * that `commands` requests is done. `context`: the list without the failed reply, if no compaction can be
   * requested. Otherwise absent. Since 1.1.
   */
  send?: AfterOverflow;
}

/**
 * Something the host should do. It is what ctxmgr would otherwise send as a request, but without an id, and the
 * host does not answer it.
 */
export interface Command {
  /** The method. */
  method: "requestCompaction";
  /** Its params. */
  params: RequestCompactionParams;
}

/** Why a compaction is due. */
export interface RequestCompactionParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** "threshold": the list has reached the red zone. "overflow": the provider refused it as too long. */
  reason: CompactionReason;
  /** The zone. */
  zone: Zone;
  /** Tokens of the list. null: unknown. */
  tokens: number | null;
  /** Where the red zone begins, in tokens. */
  threshold: number;
  /** The model's context window in tokens. */
  contextWindow: number;
  /** "whenIdle": when the agent has nothing to do. "now": only if "midRun" was declared. */
  deliver: Delivery;
  /** The policy's instructions for every summary. */
  customInstructions?: string;
  /** A finished compaction that was written in advance. Apply it unchanged. */
  compaction?: Compaction;
}

/** Why a compaction is requested. */
export type CompactionReason = "threshold" | "overflow";

/** When to compact. */
export type Delivery = "now" | "whenIdle";

/** A finished compaction. */
export interface Compaction {
  /** The summary. */
  summary: string;
  /** The first entry that stays in the list. */
  firstKeptEntryId: string;
  /** Tokens of the list before the compaction. */
  tokensBefore: number;
  /** Files, and how the summary was written. Store them with the entry, because later compactions read them. */
  details: SummaryDetails;
}

/** Files, and how a summary was written. */
export interface SummaryDetails {
  /** Files that were read and not changed. */
  readFiles: string[];
  /** Files that were written or edited. */
  modifiedFiles: string[];
  /** How it was written, for people: strategy, calls, tokens spent, what went wrong. */
  ctxmgr: Record<string, unknown>;
}

/** What to send after an overflow. */
export type AfterOverflow = "session_compact" | "context";

/** The compaction that the host is about to make. */
export interface BeforeCompactParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The host's own plan. */
  preparation: HostPreparation;
  /** The whole session tree. With it, ctxmgr makes its own plan. */
  branchEntries?: Entry[] | null;
  /** The last entry of the branch. Default: the last of `entries`. */
  leafId?: string | null;
  /** The user's instructions for the summary. */
  customInstructions?: string | null;
  /** Why the host compacts, in its own word. */
  reason?: string | null;
  /** Milliseconds until the answer is needed. Default: the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host. With one, `$/progress` reports the progress of the call. */
  progressToken?: ProgressToken | null;
  /**
   * The host's time, in milliseconds since the epoch. It shows whether the last request is still in the prompt
   * cache. Default: the time of the newest message. Since 1.1.
   */
  at?: number | null;
}

/** A compaction as the host has prepared it, in pi's names. Other members are ignored. */
export interface HostPreparation {
  /** The first entry that stays in the list. */
  firstKeptEntryId: string;
  /** The messages to summarize. */
  messagesToSummarize?: Message[] | null;
  /** If a turn is split: its messages before the cut. */
  turnPrefixMessages?: Message[] | null;
  /** The cut is inside a turn. */
  isSplitTurn?: boolean | null;
  /** Current tokens of the list. */
  tokensBefore?: number | null;
  /** The previous compaction's summary. */
  previousSummary?: string | null;
  /** `{read, written, edited}`: lists of paths. */
  fileOps?: unknown;
  /** The host's own settings, if they matter here. */
  settings?: GivenSettings | null;
}

/** A host's own settings of a compaction. Values that are not numbers count as absent. */
export interface GivenSettings {
  /** Tokens reserved for the reply. */
  reserveTokens?: unknown;
  /** Tokens of the newest messages that are kept. */
  keepRecentTokens?: unknown;
}

/** A token of the host's choice. */
export type ProgressToken = string | number;

/** `{}`: the host continues by itself. Otherwise one of the two members is present. */
export interface BeforeCompactResult {
  /** True: another compaction of this branch is being written. */
  cancel?: boolean;
  /** The compaction to apply instead of the host's own. */
  compaction?: Compaction;
}

/** The compaction that the host made, whoever wrote its summary. */
export interface SessionCompactParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The entry that the host wrote. */
  compactionEntry: CompactionEntry;
  /** True if its summary was not the host's own. */
  fromExtension?: boolean | null;
}

/** A compaction entry of the host's session tree. */
export interface CompactionEntry {
  /** The summary. */
  summary: string;
  /** Its id. */
  id?: string | null;
  /** Its parent entry. */
  parentId?: string | null;
  /** The first entry that stays in the list. */
  firstKeptEntryId?: string | null;
  /** Tokens of the list before the compaction. */
  tokensBefore?: number | null;
  /** When it was written: milliseconds since the epoch, or an ISO 8601 string. */
  timestamp?: number | string | null;
}

/** Why the host's compaction failed. */
export interface CompactFailedParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** Why it was made, in the host's own word. */
  reason: string;
  /** What went wrong. */
  errorMessage?: string | null;
}

/** The move that the host is about to make. */
export interface BeforeTreeParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The host's own plan for the move. */
  preparation: TreePreparation;
  /** Milliseconds until the answer is needed. Default: the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host. With one, `$/progress` reports the progress of the call. */
  progressToken?: ProgressToken | null;
}

/** A move in the session tree as the host has prepared it, in pi's names. */
export interface TreePreparation {
  /** The entries that are left, oldest first. */
  entriesToSummarize?: Entry[] | null;
  /** The entry that the host goes to. */
  targetId?: string | null;
  /** The entry that it leaves. */
  oldLeafId?: string | null;
  /** Where the two paths meet. */
  commonAncestorId?: string | null;
  /** No summary is written unless this is true. */
  userWantsSummary?: boolean | null;
  /** The user's instructions for the summary. */
  customInstructions?: string | null;
  /** True: `customInstructions` replaces the prompt's own instructions. */
  replaceInstructions?: boolean | null;
}

/** `{}`: the host continues by itself. */
export interface BeforeTreeResult {
  /** Not used yet. */
  cancel?: boolean;
  /** The summary of the entries that are left. */
  summary?: BranchSummary;
}

/** A finished branch summary. */
export interface BranchSummary {
  /** The summary. */
  summary: string;
  /** Files, and how the summary was written. Store them with the entry. */
  details: SummaryDetails;
}

/** Where the host has moved to in its session tree. */
export interface SessionTreeParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The current entry. null before the first one. */
  newLeafId: string | null;
  /** The previous entry. */
  oldLeafId?: string | null;
  /** The summary of the branch that was left, if there is one. */
  summaryEntry?: SummaryEntry | null;
  /** The session tree. With it, facts are restored at once. Without it, they are restored as messages arrive. */
  entries?: Entry[] | null;
}

/** A branch summary entry of the host's session tree. */
export interface SummaryEntry {
  /** The summary. */
  summary: string;
  /** Its id. */
  id?: string | null;
  /** Its parent entry. */
  parentId?: string | null;
  /** The last entry of the branch that it summarizes. */
  fromId?: string | null;
  /** When it was written: milliseconds since the epoch, or an ISO 8601 string. */
  timestamp?: number | string | null;
}

/** The session. */
export interface SessionParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
}

/** The session, and what to include. */
export interface GetStatusParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /**
   * True: answer only when everything saved so far has reached the store, or cannot reach it now (see `durable`).
   * Without a store, answer at once. Since 1.1.
   */
  flush?: boolean | null;
  /**
   * True: calculate `cache.coldCost`, which takes as long as an epoch. Ask while the session rests. It changes
   * nothing. Since 1.1.
   */
  coldCost?: boolean | null;
}

/** Whether lists are changed. */
export interface SetPruningParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** False: lists are not changed. Ledger and snapshot continue. */
  enabled: boolean;
}

/** What pruning of tool output has done. Tokens are ctxmgr's own count. */
export interface PruneStats {
  /** Pruning is on. */
  enabled: boolean;
  /** Tokens that the last pass examined. */
  scanned: number;
  /** Tokens pruned so far. */
  pruned: number;
  /** Tokens that the last pass skipped because they are protected. */
  protected: number;
  /** Tokens that the last pass could have pruned. */
  prunable: number;
  /** Results pruned so far. */
  resultsPruned: number;
  /** Tokens pruned so far. */
  tokensPruned: number;
  /** Results distilled so far. */
  resultsDistilled: number;
  /** Turns dropped so far. */
  turnsDropped: number;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/** The current policy, and its values for the session's model. */
export interface PolicyResult {
  /** All keys with their values, including those for the session's model. */
  policy: Policy;
  /** The policy in tokens. */
  thresholds: Thresholds;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
  /**
   * Keys that only matter in some presets, and in which. All other keys matter in every preset. Since 1.1. Default:
   * {}.
   */
  presets?: Record<string, string[]>;
}

/** Tokens in the provider's count. A zone begins at its threshold. */
export interface Thresholds {
  /** The window minus the reserve. Pressure is a share of this. */
  usable: number;
  /** Where yellow begins. */
  yellow: number;
  /** Where red begins. From here on, a compaction is requested. */
  red: number;
  /** Where compact begins. */
  compact: number;
  /** The largest list that leaves room for a reply. */
  limit: number;
}

/** Keys to set for this session. */
export interface SetPolicyParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** Keys to set. Others stay as they are. null resets a key to its default. */
  policy: PolicyKeys;
}

/** The current facts. */
export interface LedgerResult {
  /** In the order in which they came. */
  facts: LedgerFact[];
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/** One statement with its source and time. */
export interface LedgerFact {
  /**
   * Its kind. goal, current, constraint, decision, task, context. request: what the user said. said: how an
   * assistant's turn ended. question: what the user answered to a tool, or rejected. command: a check that ran.
   * value: a commit. file.
   */
  slot: FactSlot;
  /** The statement. */
  text: string;
  /** Who made it: user, assistant, tool, summary or branch. */
  source: FactSource;
  /**
   * For a task: open, active, done, blocked. For a file: read, written, edited, deleted. For a command: ok, failed,
   * or unknown. For a question: rejected, if its text is a call or a plan that the user rejected. For a commit: the
   * directory. Default: "".
   */
  status?: string;
  /** The host's time, in milliseconds since the epoch. Default: 0. */
  at?: number;
  /**
   * For a command: what its output counted, or the line of its error. For a question: the answer. For a file: the
   * tool that changed it. For a summary: its heading. Default: "".
   */
  detail?: string;
  /** The entry that it came from, if known. */
  entryId?: string;
}

/** What a fact is about. */
export type FactSlot = 
  | "goal"
  | "constraint"
  | "decision"
  | "finding"
  | "question"
  | "next"
  | "task"
  | "current"
  | "file"
  | "command"
  | "context"
  | "request"
  | "listing"
  | "value"
  | "said";

/** Who said it. */
export type FactSource = "summary" | "branch" | "user" | "assistant" | "tool";

/** The summaries of the session. The newest three of the branch are kept whole. */
export interface SummariesResult {
  /** Oldest first. */
  summaries: HeardSummary[];
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/** A summary that came by an event or in a list. */
export interface HeardSummary {
  /** What it summarizes: compaction or branch. */
  kind: string;
  /** When it came, in milliseconds since the epoch. */
  at: number;
  /** Its entry, if known. */
  entryId?: string;
  /** Its text, unchanged. Absent if it is no longer kept. */
  text?: string;
}

/** Which packet. */
export interface GetPacketParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** True: the longer one, which comes once after a compaction or a move in the tree. */
  resume?: boolean | null;
}

/** The packet as it would be now, whether or not the next list needs one. */
export interface PacketResult {
  /** Its text. */
  text: string;
  /** Its tokens. */
  tokens: number;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/** The session, and an epoch. */
export interface ExplainParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The epoch whose receipt is wanted in full. Default: the newest. */
  epoch?: number | null;
}

/** What happened to each message of the last list. */
export interface ExplainResult {
  /** In the order of the list. Inserted messages come first. */
  verdicts: Verdict[];
  /** The receipts that are kept, oldest first. */
  epochs: EpochReceipt[];
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
  /** All pins of the session, oldest first. Since 1.1. Default: []. */
  pins?: HeldPin[];
}

/** What happened to one message. Token counts are ctxmgr's own. */
export interface Verdict {
  /** Its index in the host's list. null for what ctxmgr inserted. */
  index: number | null;
  /** A digest of the message, independent of its position. */
  digest: string;
  /** What happened to it. */
  verdict: VerdictKind;
  /** Why. */
  rule: string;
  /** Its tokens as it came. */
  before: number;
  /** Its tokens in the list to send. */
  after: number;
  /**
   * Its first call or result as the tool and its key arguments, or what the message is, for example `user text`.
   * Secrets are shown as `[masked]`. Since 1.1. Default: "".
   */
  call?: string;
}

/** What happened to a message. */
export type VerdictKind = "kept" | "distilled" | "pruned" | "cut" | "dropped" | "inserted";

/** What one epoch did, and its arithmetic. */
export interface EpochReceipt {
  /** Its number. */
  epoch: number;
  /** Why it was opened: price, cold, red, forced, compaction, tree, model, policy, pin, undo, rewritten. */
  opening: string;
  /** Tokens of the list to send without this epoch. */
  before: number;
  /** Tokens of the list to send with it. */
  after: number;
  /** What it costs and what it saves, in one line. */
  arithmetic: string;
  /** How many things were removed. */
  count: number;
  /** The call's time. */
  at?: number;
  /** What was removed, in the order of the list. Present for one epoch. */
  left?: Left[];
  /** How many more were removed that are not listed: the smallest ones. */
  omitted?: number;
  /** What it did, for people. Example: "removed 12 old results, 17,000 tokens; pays after 3 calls". Since 1.1. */
  text?: string;
  /**
   * Number of calls after which it has saved what it cost. 0: at once. Absent if it saves nothing, or if this is
   * unknown. Since 1.1.
   */
  paysAfter?: number;
}

/** One thing that was removed. */
export interface Left {
  /** What was done to it. `shortened`: the arguments of a call. */
  kind: LeftKind;
  /** The tool and its key arguments, or what the message was. Secrets are shown as `[masked]`. */
  call: string;
  /** The rule that decided. */
  why: string;
  /** Its tokens as it came. */
  before: number;
  /** Its tokens now. */
  after: number;
  /** The digest of its message, to pin it by. */
  digest: string;
  /** The handle for `retrieve`. null without an archive. */
  handle?: string;
}

/** What was done to something at an epoch. `shortened`: the arguments of a call. */
export type LeftKind = "dropped" | "pruned" | "distilled" | "shortened" | "cut";

/** A pin, and what it keeps. `unpin` takes `{by: value}`. */
export interface HeldPin {
  /** What the pin names. */
  by: PinBy;
  /** The digest, call id, path or tool. */
  value: string;
  /** Number of messages of the last list that it keeps. */
  messages: number;
  /** As in a verdict, for the message that is pinned by digest or by call id. Otherwise null. */
  call: string | null;
}

/** What a pin names: a tool call by its id, a message by its digest, a file's path, or a tool. */
export type PinBy = "callId" | "digest" | "path" | "tool";

/**
 * What the model asks for. Refused (-32803) if `capabilities.retrieve` was not declared. An unknown handle is
 * refused (-32602), with the call to make again in `data.call` if a receipt knows it.
 */
export interface RetrieveParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** The handle in the marker. */
  handle: string;
  /** First character of the page. Default: 0. */
  offset?: number | null;
  /** Most characters in the page. Default: 20,000. */
  limit?: number | null;
}

/**
 * One page of the original. Characters are Unicode code points of the original. A page with a masked secret may
 * have more or fewer. The tool result that brings it to the model is not pruned for two epochs. It is recognized by
 * the handle in the arguments of its call.
 */
export interface RetrieveResult {
  /** The page. */
  text: string;
  /** Index of its first character. The end of the original, if `offset` was beyond it. */
  offset: number;
  /**
   * The `offset` of the next page. null after the last one. (A length in UTF-16 units, as in JavaScript, would be
   * too large.)
   */
  next: number | null;
  /** Characters in the whole original. */
  total: number;
  /** True: there are more pages. */
  more: boolean;
  /** The tool and its key arguments, or what the message was. */
  call: string;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
  /**
   * True: this page has `[masked]` in place of a secret of a known shape, which was not stored (see the policy's
   * `archive.keepSecrets`). Since 1.1. Default: false.
   */
  masked?: boolean;
}

/** What to look for in what was removed from this session. Refused (-32803) if nothing is archived. */
export interface SearchParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /**
   * Plain words, `"a phrase"`, `path:src/a.py`, `tool:bash`. Phrases, paths and tools are required. One of the
   * words is enough. Identifiers and paths are found whole and by their parts. Every text is valid.
   */
  query: string;
  /** Most hits, up to 50. Default: 10. */
  limit?: number | null;
}

/** What was found. A search changes nothing: a hit does not count as retrieved. */
export interface SearchResult {
  /** Best first. Empty if nothing matches. */
  hits: SearchHit[];
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/** One original that was found. Secrets of known shapes match no query and are shown as `[masked]`. */
export interface SearchHit {
  /** The handle for `retrieve`. */
  handle: string;
  /** Rank, 1 is the best. Ties are ordered by handle. */
  rank: number;
  /** The tool and its key arguments, or what the message was. */
  call: string;
  /** The tool. null for a message. */
  tool: string | null;
  /** The first argument that is a path. null without one. */
  path: string | null;
  /** The epoch in which it was removed. null if no stored receipt lists it. */
  epoch: number | null;
  /** The passage with most of the words. Dots mark cuts. */
  snippet: string;
  /** Character of the original at which the snippet begins, for `retrieve`. */
  offset: number;
  /** Characters in the original. */
  total: number;
}

/**
 * What to keep unchanged: exactly one of `callId`, `digest`, `path` and `tool`. Pins survive compactions and
 * restarts. If a pin brings something back, the next `context` opens an epoch.
 */
export interface PinParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** A tool call by its id: the message with the call, and its result. */
  callId?: string | null;
  /** One message, by the digest from `explain`. */
  digest?: string | null;
  /**
   * Calls that name this file, with their results. May be a glob (`*` also matches `/`) or the end of a path:
   * `src/*.py` matches `/home/me/src/a.py`.
   */
  path?: string | null;
  /** All calls of this tool, with their results. */
  tool?: string | null;
}

/**
 * What was removed at this epoch comes back with the next `context`, and is pinned. An epoch without a stored
 * receipt is refused (-32602).
 */
export interface UndoParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** Its number, from `report.epoch`. */
  epoch: number;
}

/** What to plan for: `entries`, or what the session knows. */
export interface PlanCompactionParams {
  /** The session, for its policy and token counts. Optional with `entries`. */
  sessionId?: string | null;
  /** The host's session tree, oldest entry first. */
  entries?: Entry[] | null;
  /** The last entry of the branch. Default: the last of `entries`. */
  leafId?: string | null;
  /** Settings for this call. */
  settings?: CutSettings | null;
  /** The user's instructions for the summary. */
  customInstructions?: string | null;
  /** The format of the summary that the prompts ask for. */
  format?: SummaryFormat | null;
  /** True: the answer includes the conversation as text. */
  serialize?: boolean | null;
}

/** Settings for one call. Missing ones have the policy's value. */
export interface CutSettings {
  /** Copied to the answer's `settings`, otherwise unused. */
  enabled?: boolean | null;
  /** Tokens reserved for the reply. */
  reserveTokens?: number | null;
  /** Tokens of the newest messages that are kept. */
  keepRecentTokens?: number | null;
  /** How these tokens are counted. */
  weigher?: Weigher | null;
  /** Context window of the model that writes the summary, in tokens. */
  contextWindow?: number | null;
}

/** What a compaction would summarize and keep. */
export interface PlanCompactionResult {
  /** The plan. null if there is nothing to compact. */
  preparation: Preparation | null;
  /** The model calls that write the summary, in order. */
  prompts: Prompt[];
  /** Why there is nothing to compact. */
  reason: string | null;
  /** The conversation as text, if requested. */
  serialized: Serialized | null;
}

/** A compaction before it is written, in pi's names. Messages are as the host has them. */
export interface Preparation {
  /**
   * The first entry that stays in the list. "" if no entry has an id: what follows the messages listed here stays.
   */
  firstKeptEntryId: string;
  /** The messages to summarize. */
  messagesToSummarize: Message[];
  /** If a turn is split: its messages before the cut. */
  turnPrefixMessages: Message[];
  /** The cut is inside a turn. */
  isSplitTurn: boolean;
  /** Current tokens of the list. */
  tokensBefore: number;
  /** Files, by what was done to them. */
  fileOps: FileOps;
  /** The settings that were used. */
  settings: SettingsUsed;
  /** The previous compaction's summary, which this one continues. */
  previousSummary: string | null;
}

/** Paths by what was done to them, including all earlier compactions. */
export interface FileOps {
  /** Read. */
  read: string[];
  /** Written. */
  written: string[];
  /** Edited. */
  edited: string[];
}

/** The settings of a plan. */
export interface SettingsUsed {
  /** From the call or the policy. */
  enabled: boolean;
  /** Tokens reserved for the reply. */
  reserveTokens: number;
  /** Tokens of the newest messages that are kept. */
  keepRecentTokens: number;
  /** How these tokens were counted. */
  weigher: Weigher;
}

/** One model call: one user message under a system prompt. */
export interface Prompt {
  /** The purpose of the call. */
  purpose: Purpose;
  /** The system prompt. */
  system: string;
  /** The user message. */
  prompt: string;
  /** The longest answer in tokens. */
  maxTokens: number;
}

/** The purpose of a model call. */
export type Purpose = "history" | "turn-prefix" | "slice" | "merge" | "branch" | "short";

/**
 * Messages as text, in a form that a model does not continue as a conversation. Tool results are cut to 2,000
 * characters. The same as pi writes.
 */
export interface Serialized {
  /** What comes before the split turn. */
  history: string;
  /** The part of that turn before the cut. */
  turnPrefix: string;
}

/** As for `planCompaction`, and how to write the summary. */
export interface CompactParams {
  /** The session, for its policy and token counts. Optional with `entries`. */
  sessionId?: string | null;
  /** The host's session tree, oldest entry first. */
  entries?: Entry[] | null;
  /** The last entry of the branch. Default: the last of `entries`. */
  leafId?: string | null;
  /** Settings for this call. */
  settings?: CutSettings | null;
  /** The user's instructions for the summary. */
  customInstructions?: string | null;
  /** How the summary is written. Default: the policy's. */
  strategy?: Strategy | null;
  /** Format of the summary. Default: the policy's. */
  format?: SummaryFormat | null;
  /** Milliseconds until the answer is needed. Default: the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host. With one, `$/progress` reports the progress of the call. */
  progressToken?: ProgressToken | null;
  /**
   * The host's time, in milliseconds since the epoch. It shows whether the last request is still in the prompt
   * cache. Default: the time of the newest message. Since 1.1.
   */
  at?: number | null;
}

/** A finished compaction. The host applies it and sends `session_compact`. */
export interface CompactResult {
  /** The compaction. */
  compaction: Compaction;
}

/** The branch to leave: from `oldLeafId` back to where it meets the path of `targetId`. */
export interface SummarizeBranchParams {
  /** The entry that the host leaves. null if there is none. */
  oldLeafId: string | null;
  /** The entry that it goes to. null before the first one. */
  targetId: string | null;
  /**
   * The host's session tree, oldest entry first. Default: what the session has seen, by the ids that it was given.
   */
  entries?: Entry[];
  /** The session, for its policy and token counts. */
  sessionId?: string | null;
  /** Settings for this call. */
  settings?: CutSettings | null;
  /** The user's instructions for the summary. */
  customInstructions?: string | null;
  /** True: `customInstructions` replaces the prompt's own instructions. */
  replaceInstructions?: boolean | null;
  /** How the summary is written. Default: the policy's. */
  strategy?: Strategy | null;
  /** Milliseconds until the answer is needed. Default: the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host. With one, `$/progress` reports the progress of the call. */
  progressToken?: ProgressToken | null;
}

/** The summary of the branch that was left. */
export interface SummarizeBranchResult {
  /** The summary. null if no entry was left. */
  summary: BranchSummary | null;
  /** Where the two paths meet. null if they do not. */
  commonAncestorId: string | null;
  /** How many entries were left. */
  entriesSummarized: number;
}

/** The model's own notes. */
export interface ScratchpadResult {
  /** The text. */
  text: string;
  /** Its tokens. */
  tokens: number;
  /** Number of the session's events that have taken effect. See reference.md#order. */
  seq: number;
}

/** Edits of the model's own notes. */
export interface EditScratchpadParams {
  /** The session's id, as given to `session_start`. Any string. */
  sessionId: string;
  /** Applied in order, all or none. */
  operations: ScratchpadOperation[];
}

/** One edit. `op` says which. */
export type ScratchpadOperation = StrReplace | Insert | Overwrite;

/** Replaces a text. The old text must occur exactly once. */
export interface StrReplace {
  /** The kind of edit. */
  op: "str_replace";
  /** The text to replace. */
  oldText: string;
  /** The new text. */
  newText: string;
}

/** Inserts a text after a line. */
export interface Insert {
  /** The kind of edit. */
  op: "insert";
  /** The text. */
  text: string;
  /** The line, from 1. 0: before the first line. Default: at the end. */
  line?: number | null;
}

/** Replaces all notes. */
export interface Overwrite {
  /** The kind of edit. */
  op: "overwrite";
  /** The whole text. */
  text: string;
}

/** Whether the host will compact. Answer at once, without waiting for the compaction. */
export interface RequestCompactionResult {
  /** True: it is queued. */
  accepted: boolean;
  /** Why not. */
  reason?: string | null;
}

/**
 * One model call for the host to run: one user message with a system prompt, no tools. With an `instruction`: the
 * host's last request once more, with the instruction appended.
 */
export interface CompleteParams {
  /** The session. null if the request that needs the call named none. */
  sessionId: string | null;
  /** The purpose of the call. */
  purpose: Purpose;
  /** The system prompt; "" with an `instruction`. */
  system: string;
  /** The user message; "" with an `instruction`. */
  prompt: string;
  /** The longest answer in tokens. */
  maxTokens: number;
  /**
   * Only if `capabilities.completeOnContext` is declared. One user message to append to the session's last request
   * and what came since (the reply, its results), with the same system prompt and the same tools. The model's
   * answer must not become part of the session. If the answer cannot be used, for example because it is a tool
   * call, ctxmgr asks again with a copy of the conversation in `prompt`. Since 1.1.
   */
  instruction?: string;
}

/** The model's answer. A failed call may also be answered with an error. */
export interface CompleteResult {
  /** The text. Default: "". */
  text?: string;
  /**
   * "stop", "length", "toolUse", "error" or "aborted". Spellings of other APIs ("end_turn", "max_tokens",
   * "tool_calls") are understood. Only "stop" counts as an answer. Default: "stop".
   */
  stopReason?: string;
  /** `{input, output, cacheRead, cacheWrite}` in tokens. Other shapes are ignored. */
  usage?: unknown;
  /** What went wrong. */
  errorMessage?: string | null;
}

/** Texts to convert to vectors with a model of the host. */
export interface EmbedParams {
  /** The session. null if the request that needs the call named none. */
  sessionId: string | null;
  /** The texts. */
  texts: string[];
}

/** The vectors. */
export interface EmbedResult {
  /** One vector per text, in the same order, all of the same length. */
  vectors: number[][];
}

/** The progress of a call. */
export interface ProgressParams {
  /** The `progressToken` of the call. */
  token: ProgressToken;
  /** The progress. */
  value: ProgressValue;
}

/** One step of a call. */
export interface ProgressValue {
  /** The stage of the call. */
  kind: ProgressKind;
  /** What is being done, for people. */
  message?: string;
  /** From 0 to 100. */
  percentage?: number;
}

/** The stage of a call. */
export type ProgressKind = "begin" | "report" | "end";

/** Something that happened in a session. It contains nothing that a user, a model or a tool wrote. */
export interface TelemetryEvent {
  /**
   * ctxmgr.list, ctxmgr.epoch, ctxmgr.compaction or ctxmgr.fallback. For usage that a host reported:
   * gen_ai.client.inference.operation.details of the semantic conventions.
   */
  name: string;
  /**
   * Names from OpenTelemetry's semantic conventions for generative AI (`gen_ai.*`, `error.type`), and our own
   * (`ctxmgr.*`). What the host itself sent is limited to the ids of session and model and the provider's name.
   */
  attributes: Record<string, string | number | boolean>;
}

/** A request. It is answered once, with a result or an error of the same id. */
export interface RequestMessage {
  /** Version of JSON-RPC. A host that writes one message per line may omit it. */
  jsonrpc: "2.0";
  /** The id of the request. */
  id: RequestId;
  /** The method. */
  method: string;
  /** By name, never by position. */
  params?: Record<string, unknown>;
}

/** A notification. It is never answered. */
export interface NotificationMessage {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** The method. */
  method: string;
  /** By name, never by position. */
  params?: Record<string, unknown>;
}

/** The answer to a request. */
export interface ResultMessage {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** The id of the request. */
  id: RequestId;
  /** The method's result. null for methods without one. */
  result: unknown;
}

/** The answer to a request that failed. */
export interface ErrorMessage {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** Id of the request. null if it could not be read. */
  id: RequestId | null;
  /** What went wrong. */
  error: ErrorObject;
}

/** What went wrong. Its message never contains conversation text. */
export interface ErrorObject {
  /** See reference.md#errors. */
  code: number;
  /** A sentence for people. */
  message: string;
  /** Where the fault is. */
  data?: ErrorPlace;
}

/** Where a fault is, and what to do about it. */
export interface ErrorPlace {
  /** JSON path below the params, for example `$.model.contextWindow`. */
  path?: string;
  /** For `retrieve`: the call that produces the same again, for the model. */
  call?: string;
}

/** What each method takes and gives. An "event" may be sent with an id or without. */
export interface Methods {
  /** Starts the connection. It must be the first message. */
  "initialize": { params: InitializeParams; result: InitializeResult; direction: "to ctxmgr"; kind: "request" };
  /** Confirms that the host has read the answer of `initialize`. */
  "initialized": { params: NoParams; result: void; direction: "to ctxmgr"; kind: "notification" };
  /** Saves and closes every session. */
  "shutdown": { params: NoParams; result: null; direction: "to ctxmgr"; kind: "request" };
  /** Ends the process. */
  "exit": { params: NoParams; result: void; direction: "to ctxmgr"; kind: "notification" };
  /** Cancels a request. Sent by the side that sent the request. */
  "$/cancelRequest": { params: CancelParams; result: void; direction: "to ctxmgr"; kind: "notification" };
  /** Returns all methods as an OpenRPC document. */
  "rpc.discover": { params: NoParams; result: DiscoverResult; direction: "to ctxmgr"; kind: "request" };
  /** Starts a session, or continues it from its snapshot. */
  "session_start": { params: SessionStartParams; result: SessionStartResult; direction: "to ctxmgr"; kind: "request" };
  /** Reports that the host now uses another model. */
  "model_select": { params: ModelSelectParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /** Takes the message list before a model call, and returns the list to send. */
  "context": { params: ContextParams; result: ContextResult; direction: "to ctxmgr"; kind: "request" };
  /** Reports that the model answered and its tools ran. Sent as a request, the answer contains commands. */
  "turn_end": { params: TurnEndParams; result: TurnEndResult; direction: "to ctxmgr"; kind: "event" };
  /**
   * Reports that the host is about to compact. The answer is a finished compaction, or {} to leave it to the host.
   */
  "session_before_compact": { params: BeforeCompactParams; result: BeforeCompactResult; direction: "to ctxmgr"; kind: "request" };
  /** Reports that the host has compacted. */
  "session_compact": { params: SessionCompactParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /** Reports that the host's compaction failed. */
  "session_compact_failed": { params: CompactFailedParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /**
   * Reports that the host is about to move in its session tree. The answer is a summary of the branch, or {} to
   * leave it to the host.
   */
  "session_before_tree": { params: BeforeTreeParams; result: BeforeTreeResult; direction: "to ctxmgr"; kind: "request" };
  /** Reports that the host has moved in its session tree. */
  "session_tree": { params: SessionTreeParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /** Ends the session. Its snapshot is kept. */
  "session_shutdown": { params: SessionParams; result: null; direction: "to ctxmgr"; kind: "event" };
  /** Returns the state of the session. */
  "getStatus": { params: GetStatusParams; result: Status; direction: "to ctxmgr"; kind: "request" };
  /** Makes the next `context` prune tool output, ignoring the minimum. In preset balanced, it opens an epoch. */
  "prune": { params: SessionParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Turns changes of lists off or on. Ledger and snapshot continue. */
  "setPruning": { params: SetPruningParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Returns what pruning has done so far. */
  "getPruneStats": { params: SessionParams; result: PruneStats; direction: "to ctxmgr"; kind: "request" };
  /** Returns the current policy. */
  "getPolicy": { params: SessionParams; result: PolicyResult; direction: "to ctxmgr"; kind: "request" };
  /** Sets policy keys for this session. null resets a key to its default. */
  "setPolicy": { params: SetPolicyParams; result: PolicyResult; direction: "to ctxmgr"; kind: "request" };
  /** Returns all current facts. */
  "getLedger": { params: SessionParams; result: LedgerResult; direction: "to ctxmgr"; kind: "request" };
  /** Returns the summaries of the session, the newest ones unchanged. */
  "getSummaries": { params: SessionParams; result: SummariesResult; direction: "to ctxmgr"; kind: "request" };
  /** Returns the packet as it would be now. */
  "getPacket": { params: GetPacketParams; result: PacketResult; direction: "to ctxmgr"; kind: "request" };
  /**
   * Returns a verdict for each message of the last list, with the rule and the token counts, and what each epoch
   * did.
   */
  "explain": { params: ExplainParams; result: ExplainResult; direction: "to ctxmgr"; kind: "request" };
  /** Returns the original of something that was removed, by the handle in its marker, page by page. */
  "retrieve": { params: RetrieveParams; result: RetrieveResult; direction: "to ctxmgr"; kind: "request" };
  /** Searches what was removed by words, and returns the best hits with handles for `retrieve`. */
  "search": { params: SearchParams; result: SearchResult; direction: "to ctxmgr"; kind: "request" };
  /** Keeps a message, a call with its result, everything about a path, or everything of a tool, unchanged. */
  "pin": { params: PinParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Removes a pin. What it kept may be removed at a later epoch. */
  "unpin": { params: PinParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Brings back what was removed at an epoch, and pins it. */
  "undo": { params: UndoParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Returns what a compaction would summarize and keep, and the prompts for the host's own model. */
  "planCompaction": { params: PlanCompactionParams; result: PlanCompactionResult; direction: "to ctxmgr"; kind: "request" };
  /** Writes a compaction. The host applies it and sends `session_compact`. */
  "compact": { params: CompactParams; result: CompactResult; direction: "to ctxmgr"; kind: "request" };
  /** Writes a summary of the branch that is left behind. */
  "summarizeBranch": { params: SummarizeBranchParams; result: SummarizeBranchResult; direction: "to ctxmgr"; kind: "request" };
  /** The model's own notes. */
  "getScratchpad": { params: SessionParams; result: ScratchpadResult; direction: "to ctxmgr"; kind: "request" };
  /** Edits the model's own notes: str_replace, insert, overwrite. Applied in order, all or none. */
  "editScratchpad": { params: EditScratchpadParams; result: ScratchpadResult; direction: "to ctxmgr"; kind: "request" };
  /** Asks the host to compact. The host answers at once; accepted means queued. */
  "requestCompaction": { params: RequestCompactionParams; result: RequestCompactionResult; direction: "to host"; kind: "request" };
  /** Asks the host to run one model call. Sent only if `capabilities.complete` is declared. */
  "complete": { params: CompleteParams; result: CompleteResult; direction: "to host"; kind: "request" };
  /** Asks the host for vectors of texts. Sent only if `capabilities.embed` is declared. */
  "embed": { params: EmbedParams; result: EmbedResult; direction: "to host"; kind: "request" };
  /** Reports the progress of a request with a `progressToken`. */
  "$/progress": { params: ProgressParams; result: void; direction: "to host"; kind: "notification" };
  /** Reports what happened in a session, in numbers. Sent only if `capabilities.telemetry` is declared. */
  "telemetry/event": { params: TelemetryEvent; result: void; direction: "to host"; kind: "notification" };
}

export type MethodName = keyof Methods;

/** Methods that a host sends. */
export type ToCtxmgr = {
  [Name in MethodName]: Methods[Name]["direction"] extends "to ctxmgr" ? Name : never;
}[MethodName];

/** Methods that a host serves. */
export type ToHost = Exclude<MethodName, ToCtxmgr>;

/** Methods that may be sent with an id, and are answered then. */
export type Answered = {
  [Name in MethodName]: Methods[Name]["kind"] extends "notification" ? never : Name;
}[MethodName];

export type ParamsOf<Name extends MethodName> = Methods[Name]["params"];

/** `void` for a notification. */
export type ResultOf<Name extends MethodName> = Methods[Name]["result"];
