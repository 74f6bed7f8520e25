// Written by scripts/gen from ctxmgr's own types: change those, not this. reference.md tells what they mean.

/** What `initialize` names. */
export const PROTOCOL_VERSION = "1.1";

/** Codes of error answers. */
export const ErrorCode = {
  /** The message is no JSON, or its framing is broken. */
  ParseError: -32700,
  /** The message is no JSON-RPC 2.0 request, or comes at the wrong time; also batches. */
  InvalidRequest: -32600,
  /** There is no such method. */
  MethodNotFound: -32601,
  /** The params do not fit; `data.path` is the JSON path of the fault. */
  InvalidParams: -32602,
  /** A fault inside ctxmgr; the session is as it was before the request. */
  InternalError: -32603,
  /** No `session_start` has named this session, or it was shut down. */
  UnknownSession: -32001,
  /** `initialize` has not been answered yet. */
  NotInitialized: -32002,
  /** The host cancelled this request. */
  Cancelled: -32800,
  /** `append` does not fit what was sent before: send the whole list. */
  ContentModified: -32801,
  /** The request is right but cannot be carried out; the message says why. */
  RequestFailed: -32803,
} as const;

/** Who the host is, what it can do, and the policy its sessions begin with. */
export interface InitializeParams {
  /** What the host speaks: "1.1", or an older one. Another major version is refused. */
  protocolVersion: string;
  /** Who the host is, for people who read a transcript. */
  clientInfo?: ClientInfo | null;
  /** What the host can do. What is not declared is never asked for. */
  capabilities?: HostCapabilities | null;
  /**
   * The format of the host's messages, one of the answer's `messageFormats`, or "auto": the one that the first
   * messages show. Absent, "pi".
   */
  messageFormat?: string | null;
  /** The keys that differ from the defaults. */
  policy?: PolicyKeys | null;
  /** Where snapshots are kept; absent, the user's state directory. */
  stateDir?: string | null;
  /** The host's own process. When it is gone, ctxmgr saves and ends. */
  processId?: number | null;
  /**
   * The host's own tools, where no name tells what they do. What is declared goes before what ctxmgr knows by
   * itself, in all sessions. Since 1.1.
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

/** What the host can do. Nothing is used that was not declared. */
export interface HostCapabilities {
  /**
   * When the host can compact on request: false (never), "whenIdle" (true means the same) or "midRun" (also between
   * two model calls of one run).
   */
  requestCompaction?: CompactionMoment | boolean | null;
  /** It runs a model call for ctxmgr on request: `complete`. */
  complete?: boolean | null;
  /**
   * Beside `complete`: it answers one that has an `instruction` by appending that, as one user message, to its last
   * request and what came since, with the same system prompt and tools. Then the provider reads all before it from
   * its cache. Since 1.1.
   */
  completeOnContext?: boolean | null;
  /** It turns texts into vectors on request: `embed`. */
  embed?: boolean | null;
  /**
   * Its model has a tool that calls `retrieve`. Without, markers say which call to make again instead of a handle,
   * and nothing is archived unless `archive` asks for it.
   */
  retrieve?: boolean | null;
  /**
   * What leaves is archived though its model has no tool for it: people `search` and `retrieve` it. No list changes
   * by it. Since 1.1.
   */
  archive?: boolean | null;
  /** It applies `edits`. Every `context` says by itself which answer it wants. */
  edits?: boolean | null;
  /** It takes `telemetry/event`: what happens in its sessions, in numbers. Since 1.1. */
  telemetry?: boolean | null;
}

/** When a host can compact on request. */
export type CompactionMoment = "whenIdle" | "midRun";

/**
 * Settings that differ from the defaults. An unknown key is refused (-32602). Beyond what a schema can say: zones
 * must rise, slices may not overlap by all they hold, and `model` "endpoint" needs an `endpoint`.
 */
export interface PolicyKeys {
  /** What is done to a list. Default: "balanced". */
  preset?: Preset | null;
  /**
   * Preset turns: how many of the newest turns are kept, by zone. Default: {"green": 6, "yellow": 3, "red": 1,
   * "compact": 1}.
   */
  recentUserTurns?: TurnsKeptKeys | null;
  /** Where the zones begin. Default: {"yellow": 0.5, "red": 0.7, "compact": 0.9}. */
  zones?: ZonesKeys | null;
  /**
   * Preset turns: how long a tool result in an older turn may be, by zone. Default: {"green": 1000, "yellow": 400,
   * "red": 300, "compact": 200}.
   */
  distill?: DistillOverKeys | null;
  /**
   * The packet's budget in tokens, by zone; a number is the budget in green, and less above. Instructions stand
   * beside it word for word. Default: {"green": 1000, "yellow": 800, "red": 700, "compact": 600}.
   */
  packetTokens?: number | PacketTokensKeys | null;
  /** The resume packet's budget in tokens. Default: 1500. */
  resumeTokens?: number | null;
  /** Tokens kept free for the reply; never more than a quarter of the window. Default: 16384. */
  reserve?: number | null;
  /**
   * Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts for a
   * quarter of the window at most. Default: 16384.
   */
  hostReserve?: number | null;
  /** Work as if the window were no larger than this many tokens. */
  effectiveWindow?: number | null;
  /**
   * Bytes of a request: its list as JSON, and 4 for each of `overheadTokens`. Over it the oldest pictures and
   * documents become a text. Since 1.1. Default: 24000000.
   */
  maxRequestBytes?: number | null;
  /** Pictures and documents of a list; null: as many as the provider is known to take. Since 1.1. */
  maxImages?: number | null;
  /** A longer tool result is cut to so many tokens as it arrives; null: none is. Since 1.1. */
  maxResultTokens?: number | null;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. Default: 0.5. */
  costVersusRecall?: number | null;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1. */
  oldTokens?: number | null;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1. Default: 1000. */
  newestTokens?: number | null;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1. Default: 4500. */
  indexTokens?: number | null;
  /** What tokens cost, for a model whose host does not say. Only proportions count. */
  prices?: ModelPricesKeys | null;
  /** Milliseconds that a prompt is kept; null: as learned, else as is known of the model. */
  cacheTtlMs?: number | null;
  /** Who writes compactions, and how; the short form says who. Default: "host". */
  compaction?: Writer | CompactionPolicyKeys | null;
  /**
   * Which vocabulary pressure goes by while no usage is known; the short form is its name. Default: "o200k_base".
   */
  tokenizer?: string | TokenizerKeys | null;
  /** What differs by model id. Default: {}. */
  models?: Record<string, ModelPolicyKeys | null> | null;
  /**
   * How long originals are kept for `retrieve`, and whether with their secrets. Default: {"maxAgeDays": 30,
   * "maxMegabytes": 256, "keepSecrets": false}.
   */
  archive?: ArchiveKeys | null;
  /** Tool output in so many of the newest turns is never pruned. Default: 2. */
  protectedTurns?: number | null;
  /** At least so many tokens of the newest older tool output stay. Default: 40000. */
  pruneProtect?: number | null;
  /** Pruning begins where it saves at least so many tokens. Default: 20000. */
  pruneMinimum?: number | null;
  /** Tools whose output is never pruned, named in whatever case. Default: []. */
  protectedTools?: string[] | null;
  /**
   * What others told the model (CLAUDE.md, AGENTS.md, skills, rules, memories) stays in place, or word for word in
   * the packet. Globs: these files instead. False: it is as any output. Since 1.1. Default: true.
   */
  protectedInstructions?: boolean | string[] | null;
  /** Tools whose output may be pruned, named in whatever case; empty: all. Default: []. */
  prunableTools?: string[] | null;
  /**
   * A session that nobody asks for in so many minutes leaves memory, and comes back from its snapshot with the next
   * call; 0: it stays. Since 1.1. Default: 60.
   */
  idleMinutes?: number | null;
  /**
   * Preset balanced: what it costs, in tokens of input, that the model lacks a stretch of text it repeats. The
   * more, the longer text stays: lean is 330, balanced 1700, careful 3400. Since 1.1. Default: "balanced".
   */
  keep?: KeepPoint | number | null;
  /**
   * Preset balanced: what the first call sends once the provider's cache has ended. say: what is worth its place.
   * prune: a fifth of the list, and at least what must stay. The status tells both. Since 1.1. Default: "say".
   */
  idle?: Idle | null;
  /**
   * The newest of a list, which is sent byte for byte in every preset. Since 1.1. Default: {"results": 5, "tokens":
   * 8000}.
   */
  workingSet?: WorkingSetKeys | null;
}

/**
 * What ctxmgr does to a list: `off` nothing; `tools` prunes old tool output; `turns` keeps the newest turns and
 * puts a packet in the place of the others; `balanced` takes out old steps and results where that is cheaper than
 * keeping them.
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

/** Where yellow, red and compact begin, as shares of the usable window. They rise. */
export interface ZonesKeys {
  /** Share of the usable window. Default: 0.5. */
  yellow?: number | null;
  /** Share of the usable window. Default: 0.7. */
  red?: number | null;
  /** Share of the usable window. Default: 0.9. */
  compact?: number | null;
}

/** A tool result in a kept older turn is distilled when it is longer, in characters, by zone. */
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

/** The packet's budget in tokens, by zone. */
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

/** Dollars per million tokens. Not told: as known of the very model, in proportion, else as each key says. */
export interface ModelPricesKeys {
  /** Of a prompt's tokens. */
  input: number;
  /** Of what the model writes. Default: 0. */
  output?: number | null;
  /** Of what the cache holds of it; null: a tenth of the input's; 0: free. */
  cacheRead?: number | null;
  /**
   * Of a prompt's tokens that the cache is to hold; 0: as the input's, where the price of reading is told, else
   * 1.25 of it. Default: 0.
   */
  cacheWrite?: number | null;
  /** What longer requests cost instead. Since 1.1. Default: []. */
  tiers?: LongRequestPricesKeys[] | null;
}

/** Dollars per million tokens of a request that is longer than a bound, of all of it. */
export interface LongRequestPricesKeys {
  /** The bound: tokens of input. */
  aboveTokens: number;
  /** Of a prompt's tokens. */
  input: number;
  /** Of what the model writes; 0: in proportion to input. Default: 0. */
  output?: number | null;
  /** Of what the cache holds; null: in proportion. */
  cacheRead?: number | null;
  /** Of what it is to hold; 0: in proportion to input. Default: 0. */
  cacheWrite?: number | null;
}

/** Who writes compactions and branch summaries. */
export type Writer = "host" | "ctxmgr";

/** Who writes compactions, how much stays, and how a summary is made. */
export interface CompactionPolicyKeys {
  /** Who writes them. Default: "host". */
  by?: Writer | null;
  /** False: none is asked for. `compact` works all the same. Default: true. */
  enabled?: boolean | null;
  /** Tokens kept free for the reply. Default: 16384. */
  reserveTokens?: number | null;
  /** Tokens of the newest messages that stay. Default: 20000. */
  keepRecentTokens?: number | null;
  /** Tokens a branch summary leaves free. Default: 16384. */
  branchReserveTokens?: number | null;
  /** How these tokens are counted. Default: "tokens". */
  weigher?: Weigher | null;
  /** How a summary is made; null: in one call with a model, extractive without. */
  strategy?: Strategy | null;
  /** The sections a summary has. Default: "structured". */
  format?: SummaryFormat | null;
  /**
   * Who runs the model: the host (`complete`), an endpoint, nobody; null: the host where it can, else an endpoint
   * where one is named, else nobody.
   */
  model?: SummaryModel | null;
  /** The server. */
  endpoint?: EndpointKeys | null;
  /**
   * How a long history is cut up. Default: {"tokens": 20000, "overlap": 2000, "ratio": 0.1, "newest": 2,
   * "newestBoost": 2.0, "breaks": "steps", "cohesion": "words", "weighted": true}.
   */
  slices?: SlicesKeys | null;
  /** Model calls side by side. Default: 3. */
  concurrency?: number | null;
  /** How often a failed call is made again. Default: 1. */
  retries?: number | null;
  /** The longest a summary may take, in milliseconds. Default: 300000. */
  deadlineMs?: number | null;
  /** Write it ahead, from yellow on. That spends money. Default: false. */
  prepareAhead?: boolean | null;
  /** What every summary is asked for in addition. */
  instructions?: string | null;
  /**
   * Your own prompts; ctxmgr's are in the answer to `planCompaction`. Since 1.1. Default: {"system": "", "history":
   * "", "turnPrefix": "", "branch": ""}.
   */
  prompts?: SummaryPromptsKeys | null;
}

/** "tokens": real ones, as the session counts. "chars4": UTF-16 units / 4, as pi counts. */
export type Weigher = "tokens" | "chars4";

/**
 * How a summary is made: one call; slices side by side, then joined; slices one after the other, each told what the
 * ones before gave (`sequential-accumulated`) or writing the summary on (`sequential-rolling`, `incremental`);
 * without a model, from what was said (`extractive`).
 */
export type Strategy = 
  | "single-shot"
  | "parallel-stitch"
  | "sequential-accumulated"
  | "sequential-rolling"
  | "incremental"
  | "extractive";

/** The sections a summary has. */
export type SummaryFormat = "structured" | "nine-section" | "handoff" | "continue";

/** Who runs the model that writes a summary. */
export type SummaryModel = "host" | "endpoint" | "none";

/** A model server that writes summaries. */
export interface EndpointKeys {
  /**
   * Its address: all before `/chat/completions`, up to and with `/v1`; for `anthropic` all before `/v1/messages`.
   */
  baseUrl: string;
  /** The model's name there. */
  model: string;
  /** The environment variable that holds the key: keys stand in no policy. */
  apiKeyEnv?: string | null;
  /** The model's window in tokens. Default: 128000. */
  contextWindow?: number | null;
  /** The longest that one call may take, in milliseconds. Default: 120000. */
  timeoutMs?: number | null;
  /** What it speaks: OpenAI's chat completions, or Anthropic's messages. Since 1.1. Default: "chat". */
  api?: EndpointApi | null;
}

/** What a model server speaks. */
export type EndpointApi = "chat" | "anthropic";

/** How a long history is cut up for a model. */
export interface SlicesKeys {
  /** Tokens of a slice. Default: 20000. */
  tokens?: number | null;
  /** Tokens that two neighbours share. Default: 2000. */
  overlap?: number | null;
  /** The answer to a slice, as a share of it. Default: 0.1. */
  ratio?: number | null;
  /** So many of the newest slices get a longer answer. Default: 2. */
  newest?: number | null;
  /** So many times as long. Default: 2.0. */
  newestBoost?: number | null;
  /** Cut at the step nearest to the size, or where the subject changes. Default: "steps". */
  breaks?: SliceBreaks | null;
  /** What tells a change of subject: words, the embeddings extra, or the host's `embed`. Default: "words". */
  cohesion?: SliceCohesion | null;
  /** What of a slice is shown goes by what matters to the goal. Default: true. */
  weighted?: boolean | null;
}

/** Where a long history is cut up. */
export type SliceBreaks = "steps" | "natural";

/** What tells a change of subject. */
export type SliceCohesion = "words" | "embeddings" | "host";

/**
 * Prompts of your own in place of ctxmgr's; "": ctxmgr's. The record stands above them, in tags, and `instructions`
 * below. What answers one of `history`, `turnPrefix` and `branch` has no sections that it is checked by: any text
 * is the summary, and `format` is not asked for.
 */
export interface SummaryPromptsKeys {
  /** The system prompt of every call. Default: "". */
  system?: string | null;
  /** What is to be written of the conversation that a compaction takes out. Default: "". */
  history?: string | null;
  /** The same of the first part of a turn whose rest is kept. Default: "". */
  turnPrefix?: string | null;
  /** The same of a branch that was left. Default: "". */
  branch?: string | null;
}

/** Which vocabulary pressure goes by while no usage is known. What stays in a list goes by an estimate. */
export interface TokenizerKeys {
  /** "o200k_base", or "estimate" for none. Default: "o200k_base". */
  name?: string | null;
  /** Its file; null: where it is kept by itself. */
  path?: string | null;
}

/** What may differ by model; an absent key is as the policy says. */
export interface ModelPolicyKeys {
  /** Where the zones begin. */
  zones?: ZonesKeys | null;
  /** Tokens kept free for the reply. */
  reserve?: number | null;
  /** Tokens that the host keeps free before it compacts by itself. */
  hostReserve?: number | null;
  /** Work as if the window were no larger than this many tokens. */
  effectiveWindow?: number | null;
  /** Who writes compactions, and how. */
  compaction?: Writer | CompactionPolicyKeys | null;
  /** What its tokens cost, if no host says it. */
  prices?: ModelPricesKeys | null;
  /** How long its provider keeps a prompt's prefix, where the host does not say. */
  cacheTtlMs?: number | null;
}

/**
 * How long originals are kept for `retrieve`: the oldest go first, those of open sessions never; and whether with
 * the secrets in them.
 */
export interface ArchiveKeys {
  /** Days since they left. Default: 30. */
  maxAgeDays?: number | null;
  /** Megabytes (10^6 bytes) of text in the whole state directory, all sessions together. Default: 256. */
  maxMegabytes?: number | null;
  /**
   * Keep secrets of known shapes in originals as they are. False: they are masked before they are written to disk,
   * and `retrieve` gives `[masked]` in their place. Since 1.1. Default: false.
   */
  keepSecrets?: boolean | null;
}

/** How much stays, by what it is worth: `lean` least, `careful` most. */
export type KeepPoint = "lean" | "balanced" | "careful";

/** What the first call after the provider's cache has ended sends: `say` as usual; `prune` a fifth. */
export type Idle = "say" | "prune";

/** The newest of a list, in whole steps: it goes out byte for byte while it fits the window. */
export interface WorkingSetKeys {
  /** At least so many of the newest tool results. Default: 5. */
  results?: number | null;
  /** At least so many tokens of the newest steps. Default: 8000. */
  tokens?: number | null;
}

/**
 * A tool of the host by its name, and the arguments that hold a path (or a list of paths) or a command line. Each
 * names one argument; a tool that does several things names several, and a call does those whose argument it has.
 */
export interface DeclaredTool {
  /** Its name, as it stands in calls. */
  name: string;
  /** Holds the path of a file whose text is shown. */
  reads?: string | null;
  /** Holds the path of a file that is written whole. */
  writes?: string | null;
  /** Holds the path of a file that is changed. */
  edits?: string | null;
  /** Holds the path of a file that is taken away. */
  deletes?: string | null;
  /** Holds a command line of a shell. */
  runs?: string | null;
  /** Holds the path of what is searched. */
  searches?: string | null;
  /** Holds the path of what is listed. */
  lists?: string | null;
}

/** What ctxmgr is and can do, and the policy that came of the host's keys. */
export interface InitializeResult {
  /** What is spoken: the older of what the host and ctxmgr speak. */
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
  /** Formats that `initialize` may name. */
  messageFormats: string[];
  /** Presets that a policy may name. */
  presets: string[];
  /** Framings that are understood. */
  framings: string[];
  /** `context` takes `append`. */
  append: boolean;
  /** `context` takes `answer: "edits"`. */
  edits: boolean;
}

/** All settings of a session. Tokens are ctxmgr's own weights where nothing else is said. */
export interface Policy {
  /** What is done to a list. */
  preset: Preset;
  /** Preset turns: how many of the newest turns are kept, by zone. */
  recentUserTurns: TurnsKept;
  /** Where the zones begin. */
  zones: Zones;
  /** Preset turns: how long a tool result in an older turn may be, by zone. */
  distill: DistillOver;
  /**
   * The packet's budget in tokens, by zone; a number is the budget in green, and less above. Instructions stand
   * beside it word for word.
   */
  packetTokens: number | PacketTokens;
  /** The resume packet's budget in tokens. */
  resumeTokens: number;
  /** Tokens kept free for the reply; never more than a quarter of the window. */
  reserve: number;
  /**
   * Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts for a
   * quarter of the window at most.
   */
  hostReserve: number;
  /** Work as if the window were no larger than this many tokens. */
  effectiveWindow: number | null;
  /**
   * Bytes of a request: its list as JSON, and 4 for each of `overheadTokens`. Over it the oldest pictures and
   * documents become a text. Since 1.1. Default: 24000000.
   */
  maxRequestBytes?: number;
  /** Pictures and documents of a list; null: as many as the provider is known to take. Since 1.1. */
  maxImages?: number | null;
  /** A longer tool result is cut to so many tokens as it arrives; null: none is. Since 1.1. */
  maxResultTokens?: number | null;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. */
  costVersusRecall: number;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1. */
  oldTokens?: number | null;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1. Default: 1000. */
  newestTokens?: number;
  /** Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1. Default: 4500. */
  indexTokens?: number;
  /** What tokens cost, for a model whose host does not say. Only proportions count. */
  prices: ModelPrices | null;
  /** Milliseconds that a prompt is kept; null: as learned, else as is known of the model. */
  cacheTtlMs: number | null;
  /** Who writes compactions, and how; the short form says who. */
  compaction: Writer | CompactionPolicy;
  /** Which vocabulary pressure goes by while no usage is known; the short form is its name. */
  tokenizer: string | Tokenizer;
  /** What differs by model id. */
  models: Record<string, ModelPolicy>;
  /** How long originals are kept for `retrieve`, and whether with their secrets. */
  archive: Archive;
  /** Tool output in so many of the newest turns is never pruned. */
  protectedTurns: number;
  /** At least so many tokens of the newest older tool output stay. */
  pruneProtect: number;
  /** Pruning begins where it saves at least so many tokens. */
  pruneMinimum: number;
  /** Tools whose output is never pruned, named in whatever case. */
  protectedTools: string[];
  /**
   * What others told the model (CLAUDE.md, AGENTS.md, skills, rules, memories) stays in place, or word for word in
   * the packet. Globs: these files instead. False: it is as any output. Since 1.1. Default: true.
   */
  protectedInstructions?: boolean | string[];
  /** Tools whose output may be pruned, named in whatever case; empty: all. */
  prunableTools: string[];
  /**
   * A session that nobody asks for in so many minutes leaves memory, and comes back from its snapshot with the next
   * call; 0: it stays. Since 1.1. Default: 60.
   */
  idleMinutes?: number;
  /**
   * Preset balanced: what it costs, in tokens of input, that the model lacks a stretch of text it repeats. The
   * more, the longer text stays: lean is 330, balanced 1700, careful 3400. Since 1.1. Default: "balanced".
   */
  keep?: KeepPoint | number;
  /**
   * Preset balanced: what the first call sends once the provider's cache has ended. say: what is worth its place.
   * prune: a fifth of the list, and at least what must stay. The status tells both. Since 1.1. Default: "say".
   */
  idle?: Idle;
  /**
   * The newest of a list, which is sent byte for byte in every preset. Since 1.1. Default: {"results": 5, "tokens":
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

/** Where yellow, red and compact begin, as shares of the usable window. They rise. */
export interface Zones {
  /** Share of the usable window. */
  yellow: number;
  /** Share of the usable window. */
  red: number;
  /** Share of the usable window. */
  compact: number;
}

/** A tool result in a kept older turn is distilled when it is longer, in characters, by zone. */
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

/** The packet's budget in tokens, by zone. */
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

/** Dollars per million tokens. Not told: as known of the very model, in proportion, else as each key says. */
export interface ModelPrices {
  /** Of a prompt's tokens. */
  input: number;
  /** Of what the model writes. */
  output: number;
  /** Of what the cache holds of it; null: a tenth of the input's; 0: free. */
  cacheRead: number | null;
  /**
   * Of a prompt's tokens that the cache is to hold; 0: as the input's, where the price of reading is told, else
   * 1.25 of it.
   */
  cacheWrite: number;
  /** What longer requests cost instead. Since 1.1. Default: []. */
  tiers?: LongRequestPrices[];
}

/** Dollars per million tokens of a request that is longer than a bound, of all of it. */
export interface LongRequestPrices {
  /** The bound: tokens of input. */
  aboveTokens: number;
  /** Of a prompt's tokens. */
  input: number;
  /** Of what the model writes; 0: in proportion to input. */
  output: number;
  /** Of what the cache holds; null: in proportion. */
  cacheRead: number | null;
  /** Of what it is to hold; 0: in proportion to input. */
  cacheWrite: number;
}

/** Who writes compactions, how much stays, and how a summary is made. */
export interface CompactionPolicy {
  /** Who writes them. */
  by: Writer;
  /** False: none is asked for. `compact` works all the same. */
  enabled: boolean;
  /** Tokens kept free for the reply. */
  reserveTokens: number;
  /** Tokens of the newest messages that stay. */
  keepRecentTokens: number;
  /** Tokens a branch summary leaves free. */
  branchReserveTokens: number;
  /** How these tokens are counted. */
  weigher: Weigher;
  /** How a summary is made; null: in one call with a model, extractive without. */
  strategy: Strategy | null;
  /** The sections a summary has. */
  format: SummaryFormat;
  /**
   * Who runs the model: the host (`complete`), an endpoint, nobody; null: the host where it can, else an endpoint
   * where one is named, else nobody.
   */
  model: SummaryModel | null;
  /** The server. */
  endpoint: Endpoint | null;
  /** How a long history is cut up. */
  slices: Slices;
  /** Model calls side by side. */
  concurrency: number;
  /** How often a failed call is made again. */
  retries: number;
  /** The longest a summary may take, in milliseconds. */
  deadlineMs: number;
  /** Write it ahead, from yellow on. That spends money. */
  prepareAhead: boolean;
  /** What every summary is asked for in addition. */
  instructions: string | null;
  /**
   * Your own prompts; ctxmgr's are in the answer to `planCompaction`. Since 1.1. Default: {"system": "", "history":
   * "", "turnPrefix": "", "branch": ""}.
   */
  prompts?: SummaryPrompts;
}

/** A model server that writes summaries. */
export interface Endpoint {
  /**
   * Its address: all before `/chat/completions`, up to and with `/v1`; for `anthropic` all before `/v1/messages`.
   */
  baseUrl: string;
  /** The model's name there. */
  model: string;
  /** The environment variable that holds the key: keys stand in no policy. */
  apiKeyEnv: string | null;
  /** The model's window in tokens. */
  contextWindow: number;
  /** The longest that one call may take, in milliseconds. */
  timeoutMs: number;
  /** What it speaks: OpenAI's chat completions, or Anthropic's messages. Since 1.1. Default: "chat". */
  api?: EndpointApi;
}

/** How a long history is cut up for a model. */
export interface Slices {
  /** Tokens of a slice. */
  tokens: number;
  /** Tokens that two neighbours share. */
  overlap: number;
  /** The answer to a slice, as a share of it. */
  ratio: number;
  /** So many of the newest slices get a longer answer. */
  newest: number;
  /** So many times as long. */
  newestBoost: number;
  /** Cut at the step nearest to the size, or where the subject changes. */
  breaks: SliceBreaks;
  /** What tells a change of subject: words, the embeddings extra, or the host's `embed`. */
  cohesion: SliceCohesion;
  /** What of a slice is shown goes by what matters to the goal. */
  weighted: boolean;
}

/**
 * Prompts of your own in place of ctxmgr's; "": ctxmgr's. The record stands above them, in tags, and `instructions`
 * below. What answers one of `history`, `turnPrefix` and `branch` has no sections that it is checked by: any text
 * is the summary, and `format` is not asked for.
 */
export interface SummaryPrompts {
  /** The system prompt of every call. */
  system: string;
  /** What is to be written of the conversation that a compaction takes out. */
  history: string;
  /** The same of the first part of a turn whose rest is kept. */
  turnPrefix: string;
  /** The same of a branch that was left. */
  branch: string;
}

/** Which vocabulary pressure goes by while no usage is known. What stays in a list goes by an estimate. */
export interface Tokenizer {
  /** "o200k_base", or "estimate" for none. */
  name: string;
  /** Its file; null: where it is kept by itself. */
  path: string | null;
}

/** What may differ by model; an absent key is as the policy says. */
export interface ModelPolicy {
  /** Where the zones begin. */
  zones: Zones | null;
  /** Tokens kept free for the reply. */
  reserve: number | null;
  /** Tokens that the host keeps free before it compacts by itself. */
  hostReserve: number | null;
  /** Work as if the window were no larger than this many tokens. */
  effectiveWindow: number | null;
  /** Who writes compactions, and how. */
  compaction: Writer | CompactionPolicy | null;
  /** What its tokens cost, if no host says it. */
  prices: ModelPrices | null;
  /** How long its provider keeps a prompt's prefix, where the host does not say. */
  cacheTtlMs: number | null;
}

/**
 * How long originals are kept for `retrieve`: the oldest go first, those of open sessions never; and whether with
 * the secrets in them.
 */
export interface Archive {
  /** Days since they left. */
  maxAgeDays: number;
  /** Megabytes (10^6 bytes) of text in the whole state directory, all sessions together. */
  maxMegabytes: number;
  /**
   * Keep secrets of known shapes in originals as they are. False: they are masked before they are written to disk,
   * and `retrieve` gives `[masked]` in their place. Since 1.1. Default: false.
   */
  keepSecrets?: boolean;
}

/** The newest of a list, in whole steps: it goes out byte for byte while it fits the window. */
export interface WorkingSet {
  /** At least so many of the newest tool results. */
  results: number;
  /** At least so many tokens of the newest steps. */
  tokens: number;
}

/** Nothing. `params` may be left out. */
export type NoParams = Record<string, unknown>;

/** Which request is cancelled. */
export interface CancelParams {
  /** The id of the request, as it was sent. */
  id: RequestId;
}

/** The id of a request. ctxmgr answers with it byte for byte; its own are strings. */
export type RequestId = string | number;

/** The protocol as an OpenRPC document; `openrpc.json` in this folder is the same. */
export type DiscoverResult = Record<string, unknown>;

/** A session and the model it begins with. It is no event: it does not count in `seq`. */
export interface SessionStartParams {
  /** The host's own id of the session; the same id goes on where it ended. */
  sessionId: string;
  /** The model that the session's lists are for. */
  model: Model;
  /** The working directory. Lists of saved sessions show it; it is not used otherwise. */
  cwd?: string | null;
  /**
   * The host's session tree, oldest entry first: ctxmgr learns from it what a snapshot does not hold, and which
   * entry each message belongs to.
   */
  entries?: Entry[] | null;
  /** The entry the session stands at; absent, the last of `entries`. */
  leafId?: string | null;
  /** The format of this session's messages; absent, that of `initialize`. Since 1.1. */
  messageFormat?: string | null;
  /**
   * Tools of this session, beside those of `initialize` and before them. Absent here and there, what the session
   * had holds. Since 1.1.
   */
  tools?: DeclaredTool[] | null;
}

/** A model and its window. */
export interface Model {
  /** The model's name. What is measured about its tokens is kept by this name. */
  id: string;
  /** Its window in tokens. */
  contextWindow: number;
  /** Who runs it. */
  provider?: string | null;
  /** The longest answer in tokens. Summaries that this model writes are kept below it. */
  maxOutputTokens?: number | null;
  /** What its tokens cost. Only proportions count. */
  prices?: Prices | null;
  /** How long its provider keeps a cached prompt, in milliseconds. */
  cacheTtlMs?: number | null;
  /**
   * Its calls may wait, as requests of a batch do: where no prices are told, those known of a batch hold. Since
   * 1.1. Default: false.
   */
  batch?: boolean;
  /**
   * Its template refuses a list in which users and the assistant do not take turns, tool flow left out: an answered
   * list has them so where the given one has, and the packet stands inside a user's message. Without it the model's
   * name tells, or a refusal. Since 1.1.
   */
  strictRoles?: boolean | null;
}

/** Dollars per million tokens. Not told: as known of the very model, in proportion, else as each member says. */
export interface Prices {
  /** Input that no cache held; 0: no price is told. */
  input?: number | null;
  /** Output; 0: not told. */
  output?: number | null;
  /** Input read from a cache; 0: it is free; absent: a tenth of the input's. */
  cacheRead?: number | null;
  /** Input written to a cache; absent or 0: as the input's, where the price of reading is told, else 1.25 of it. */
  cacheWrite?: number | null;
  /** What longer requests cost instead; absent: as is known of the model, in proportion. Since 1.1. Default: []. */
  tiers?: HostTierPrices[];
}

/**
 * Dollars per million tokens of a request that is longer than a bound, of all of it. What is not told is as many
 * times the plain price as input is.
 */
export interface HostTierPrices {
  /** The bound: tokens of input. */
  aboveTokens: number;
  /** Input that no cache held. */
  input: number;
  /** Output; 0: not told. */
  output?: number | null;
  /** Input read from a cache; 0: it is free. */
  cacheRead?: number | null;
  /** Input written to a cache; 0: not told. */
  cacheWrite?: number | null;
}

/**
 * One entry of the host's session tree, the host's own object: `{id, parentId, type, timestamp?}` and what belongs
 * to its type, as pi has it: `message` of a message, `summary` of a compaction. Types that are not known have a
 * place in the tree and nothing else; what has no `id` is passed over.
 */
export type Entry = unknown;

/** What was known of the session. */
export interface SessionStartResult {
  /** True where the session was known: still open, or read from its snapshot. */
  restored: boolean;
  /** Where the session stands after this call. */
  status: Status;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/** Where a session stands. */
export interface Status {
  /** "off" in the preset `off` and after `setPruning` false. */
  mode: Mode;
  /** The preset in force. */
  preset: Preset;
  /** The band of pressure that the session is in. */
  zone: Zone;
  /** Tokens used / tokens usable. */
  pressure: number;
  /**
   * Tokens of the list, by the provider's count; null until the first `usage`, and after a compaction until the
   * next.
   */
  tokens: number | null;
  /** The model's window in tokens. */
  contextWindow: number;
  /** Weight of the packet in the last list. */
  packetTokens: number;
  /** Summaries heard so far. */
  summaries: Summaries;
  /** Whether a compaction has been asked for. */
  latch: LatchStatus;
  /** Totals of the session. */
  stats: Stats;
  /** The cache epoch in force; 0 before the first. */
  epoch: number;
  /** How many pins there are. */
  pins: number;
  /** False where the window is so small that the host may compact before ctxmgr can ask. */
  promise: boolean;
  /** The vocabulary that is there, or `estimate`. */
  weigher: string;
  /**
   * What people should know: a snapshot that was not read, a vocabulary that is not there, an archive that takes
   * nothing.
   */
  notes: string[];
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
  /**
   * What tokens and pressure come from: the provider's last count that could be believed and what came since, or
   * what the list comes to by the vocabulary or the estimate. Since 1.1. Default: "estimate".
   */
  countedBy?: CountSource;
  /** The window in tokens that a refusal as too long taught; null where it is as the host said. Since 1.1. */
  learnedWindow?: number | null;
  /** Tokens of the provider a weighed one, as learnt of this model so far. Since 1.1. Default: 1.0. */
  ratio?: number;
  /**
   * What the provider's cache gave, against what it should have; null until a call could be compared, and where
   * `usage` does not say what was read. Since 1.1.
   */
  cache?: CacheStatus | null;
  /**
   * The newest event that is safe in the store (`serve --store`), by its `seq`; null where no store is named, or
   * none is known to be there. Since 1.1.
   */
  durable?: number | null;
  /** What is taken to hold of the model, and who said it; null in the answer to `turn_end`. Since 1.1. */
  model?: ModelStatus | null;
}

/** Whether lists are projected. */
export type Mode = "on" | "off";

/** A band of pressure. See reference.md#the-zones. */
export type Zone = "green" | "yellow" | "red" | "compact";

/** How many summaries of each kind the session has heard. */
export interface Summaries {
  /** Of compactions. */
  compaction: number;
  /** Of branches that were left. */
  branch: number;
}

/** The memory that this episode has asked for a compaction already. See reference.md#the-latch. */
export interface LatchStatus {
  /** Its state. */
  state: LatchState;
  /** Failures in a row. */
  failures: number;
}

/**
 * `idle`: may ask. `asked`: waits for an outcome. `cooldown`: was refused or failed. `resting`: failed too often,
 * waits for calm.
 */
export type LatchState = "idle" | "asked" | "cooldown" | "resting";

/** Totals of the session. Tokens are ctxmgr's own weights. */
export interface Stats {
  /** Lists projected. */
  contexts: number;
  /** Lists answered by the fallback, after a fault inside. */
  fallbacks: number;
  /** Turns dropped. */
  turnsDropped: number;
  /** Tool results distilled. */
  resultsDistilled: number;
  /** Tool results pruned. */
  resultsPruned: number;
  /** Tokens of tool output that the last pruning looked at. */
  tokensScanned: number;
  /** Tokens pruned. */
  tokensPruned: number;
  /** Tokens that the last pruning left because they are protected. */
  tokensProtected: number;
  /** Compactions asked for. */
  compactionsRequested: number;
}

/** What tokens and pressure come from. */
export type CountSource = "usage" | "vocabulary" | "estimate";

/** What the provider's cache gave. Tokens are the provider's. */
export interface CacheStatus {
  /**
   * What the newest calls should have read: what each list had in common with the one before, and what stands
   * before it.
   */
  expected: number;
  /** What the provider says it read at these calls. */
  read: number;
  /** How many these are, at most 8: of those that followed the one before while its start was kept. */
  calls: number;
  /** How long a start that nobody reads is taken to be kept: by that a cache is cold. */
  lifetimeMs: number;
  /** Who says so. */
  lifetimeFrom: LifetimeSource;
  /** Where the newest calls persistently read less than half of that: what it may be. */
  gap?: string;
  /**
   * When the start of the last list ends if no call reads it, in milliseconds since 1970: its `at` and
   * `lifetimeMs`. Absent where the list had no time, or nothing is kept.
   */
  expiresAt?: number;
  /** What the first call after that costs; told where `getStatus` asks for it. */
  coldCost?: ColdCost;
  /** Prompts that changed early without ctxmgr; absent where none did. */
  busts?: CacheBusts;
}

/**
 * Who says how long a start is kept: `host` and `policy` by `cacheTtlMs`; `learned` from what calls read after
 * pauses; `rule`: what is known of the provider.
 */
export type LifetimeSource = "host" | "policy" | "learned" | "rule";

/** What the first call costs once the provider's cache has ended. */
export interface ColdCost {
  /** With the host's own list. */
  raw: WrittenPrompt;
  /** With the list that ctxmgr would answer. */
  pruned: WrittenPrompt;
}

/** What a call writes to the provider's cache. */
export interface WrittenPrompt {
  /** Tokens of the provider, with what stands before the list. */
  tokens: number;
  /** What they cost; null where no price is known. */
  dollars: number | null;
}

/** All of a session, since it was last read from its snapshot. */
export interface CacheBusts {
  /** How many calls. */
  count: number;
  /** How many by what changed: `tools`, `system`, `messages`. */
  parts: Record<string, number>;
  /** Of all of them. */
  tokens: number;
  /** Of all whose price is known; absent where none is. */
  dollars: number | null;
  /** The newest. */
  last: CacheBust;
}

/**
 * A prompt changed early, and ctxmgr did not change it: what stands behind that was written again, though the
 * provider's cache held it.
 */
export interface CacheBust {
  /** What of the prompt: tool definitions, system prompt, or the list. */
  part: PromptPart;
  /** What happened to the tool, the block or the message there. */
  how: HowChanged;
  /** Which one, from 0. */
  index: number;
  /** Of one that changed: so many bytes of its JSON are as before. */
  offset: number;
  /** So many, of the provider. */
  tokens: number;
  /** By so much it is dearer than to read them; absent where no price is known. */
  dollars?: number;
}

/** A part of a prompt, in the order of its cache. */
export type PromptPart = "tools" | "system" | "messages";

/** What happened to a part: `moved` are parts that stand in another order. */
export type HowChanged = "changed" | "added" | "removed" | "moved";

/** What is taken to hold of the session's model, and who said it. */
export interface ModelStatus {
  /** Its id, as the host names it. */
  id: string;
  /** Its window in tokens, or less where a refusal taught that. */
  contextWindow: number;
  /** Its longest answer in tokens; null: not known. */
  maxOutputTokens: number | null;
  /** Who said how long an answer may be. */
  outputBy: SaidBy;
  /** What its tokens cost: first above 0 tokens, then longer requests. Empty: not known. */
  prices: TierPrices[];
  /** Who said the prices. */
  pricesBy: SaidBy;
  /** How its provider caches prompts. */
  cache: ProviderCache;
  /** Who said how the provider caches. */
  cacheBy: SaidBy;
  /** Who said how long a start lives; what calls taught is in `cache` of the status. */
  lifetimeBy: SaidBy;
  /** The row that what is known of it comes from; "": none. */
  like: string;
  /** How that was found, in words. */
  why: string;
  /** Where its facts were read; "" where none are known. */
  source: string;
  /** On which day. */
  date: string;
}

/** Who said it: the host, the policy, what is known of this model, what is known of one like it, or nobody. */
export type SaidBy = "host" | "policy" | "registry" | "family" | "default";

/** Dollars per million tokens of a request that is longer than the tier's bound, of all of it; null: not told. */
export interface TierPrices {
  /** The bound: tokens of input. */
  aboveTokens: number;
  /** Input that no cache held. */
  input: number | null;
  /** Output. */
  output: number | null;
  /** Input read from a cache. */
  cacheRead: number | null;
  /** Input written to a cache. */
  cacheWrite: number | null;
}

/** How the provider caches prompts. */
export interface ProviderCache {
  /** What of a request is kept. */
  kind: CacheKind;
  /** Marks that one request may set. */
  mostMarks: number;
  /** A kept start is found no more content blocks before a mark; 0: however far. */
  lookBackBlocks: number;
  /** A shorter start is not kept. */
  leastTokens: number;
  /** What is read is a multiple of these. */
  stepTokens: number;
  /** How long a start lives that nobody reads, in milliseconds. */
  lifetimeMs: number;
  /** Does each read begin that time anew? */
  renews: boolean;
}

/** `marks`: a start is kept up to each mark that a request sets; `implicit`: any is; `none`: nothing. */
export type CacheKind = "marks" | "implicit" | "none";

/** The model of the session from now on. */
export interface ModelSelectParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The new model. */
  model: Model;
}

/** Where the session stands. */
export interface StatusResult {
  /** Where the session stands after this call. */
  status: Status;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/**
 * The list as the host would send it to the model: either all of it (`messages`) or what came since the last call
 * (`append`), never both.
 */
export interface ContextParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The whole list, oldest message first. */
  messages?: Message[] | null;
  /** What came since the last call. */
  append?: Append | null;
  /** The host's time, in milliseconds since the epoch. */
  at?: number | null;
  /**
   * Tokens of system prompt and tool definitions, which are not in the list. Kept until another number comes; used
   * until the first `usage` is known.
   */
  overheadTokens?: number | null;
  /**
   * "messages": always the whole list. "edits": what is kept and what is put in. Absent: the whole list, or
   * `unchanged`.
   */
  answer?: AnswerForm | null;
  /**
   * Cache marks that the request bears outside of the list: on system prompt and tools. 2 where absent. The
   * report's `cacheBreakpoints` are as many as are free beside them. Since 1.1.
   */
  ownMarks?: number | null;
  /**
   * What of tools and system prompt, which are not in the list, differs from the call before. Absent: nothing, or
   * the host does not say. Since 1.1.
   */
  prefixChange?: PrefixChange | null;
}

/**
 * One message, the host's own object in the format that `initialize` named. It goes through as it came: members,
 * blocks and roles that ctxmgr does not know stay where they are.
 */
export type Message = unknown;

/**
 * What came since the last `context`. Where `after` or `base` is not what ctxmgr has, the answer is error -32801:
 * send the whole list.
 */
export interface Append {
  /** How many messages were sent before. */
  after: number;
  /** The `base` of the last answer. */
  base: string;
  /** What came since. */
  messages: Message[];
}

/** How `context` gives the list. */
export type AnswerForm = "messages" | "edits";

/** Where a prompt first differs from that of the call before, and how. It has no text. */
export interface PrefixChange {
  /** What of the prompt: tool definitions, system prompt, or the list. */
  part: PromptPart;
  /** What happened to the tool, the block or the message there. */
  how: HowChanged;
  /** Which one, from 0. */
  index: number;
  /** Of one that changed: so many bytes of its JSON are as before. */
  offset: number;
}

/** The list to send to the model. Exactly one of `messages`, `edits` and `unchanged` is there. */
export interface ContextResult {
  /**
   * A tag of this state of the list, for the next call's `append`. "" after a fault: the next call sends the whole
   * list.
   */
  base: string;
  /** What was done, and why. */
  report: Report;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
  /** The list to send. What is kept of the host's messages is byte for byte as it came. */
  messages?: Message[];
  /** The list to send, in pieces, in order. */
  edits?: Edit[];
  /** True: the host sends its own list as it is. */
  unchanged?: boolean;
}

/** What a projection did. Weights are ctxmgr's own count, before the provider's usage corrects it. */
export interface Report {
  /** Weight of the list as it came. */
  rawTokens: number;
  /** Weight of the list to send. */
  tokens: number;
  /** The zone that decided. */
  zone: Zone;
  /** The number of the cache epoch in force; 0 where none was opened. */
  epoch: number;
  /**
   * The first place where this answer differs from the one before: up to there a provider's cache holds. -1 where
   * the answer only grew at its end, whatever marks caching and however it is spelled; 0 where another list is the
   * first after a restart.
   */
  firstChangedIndex: number;
  /** Turns in the list to send. */
  turnsKept: number;
  /** Turns left out of it. */
  turnsDropped: number;
  /** Tool results shortened in it. */
  resultsDistilled: number;
  /** Tool results replaced by a marker in it. */
  resultsPruned: number;
  /** Weight of the packet, 0 without one. */
  packetTokens: number;
  /**
   * Promises that did not hold; then the answer is the last good list. `fit`: the list is as short as it can be
   * made, and does not fit the window; `tooBig` says why. Normally empty.
   */
  checks: string[];
  /**
   * Where cache marks belong on the list to send, where its provider takes marks: on the last content block that
   * can bear one of the messages at these places, ascending, the newest message's as a rule. No other message of
   * the list should have one. Empty where the provider caches without marks, where `ownMarks` leave none free, and
   * after a fault: then a host sets its marks as it is used to. Since 1.1.
   */
  cacheBreakpoints?: number[];
  /**
   * Messages left out by themselves, not with their turn: in preset balanced, and in others where the list did not
   * fit.
   */
  messagesDropped?: number;
  /** Results, texts and arguments cut in it: too long, or the list did not fit. Since 1.1. */
  blocksCut?: number;
  /** With `fit` in `checks`: the heaviest messages, the heaviest first. Since 1.1. */
  tooBig?: TooBig[];
  /** So much of the last answer, by weight, this one begins with. */
  prefixTokens?: number;
  /** The same in bytes of its messages. */
  prefixBytes?: number;
  /** Of the epoch that this call opened: what it cost and what it saves. */
  arithmetic?: string;
  /**
   * Files whose text, or some of it, left the model's view with this answer: a host that remembers what its model
   * has read may forget it.
   */
  readsGone?: ReadGone[];
  /** Why the answer is `unchanged`, or is the last good list. */
  reason?: string;
  /** Unpaired surrogates in the request that became U+FFFD. */
  mended?: number;
  /**
   * By so much the list is heavier than the host's: the packet carries what the host itself took away, and the
   * scratchpad. Since 1.1.
   */
  carriedTokens?: number;
  /** The prompt changed early, and ctxmgr did not change it. Absent: it did not. Since 1.1. */
  cacheBust?: CacheBust;
}

/** A message of a list that does not fit the window, whatever is cut. */
export interface TooBig {
  /** What it is: user, assistant, result, prompt, ... */
  kind: string;
  /** Its place in the host's list. */
  index: number;
  /** Its weight as it is sent. */
  tokens: number;
}

/** A file whose text left the model's view. */
export interface ReadGone {
  /** As the call named it. */
  path: string;
}

/** One piece of the list to send: a run of the host's own messages, or a message to put in. */
export type Edit = KeepEdit | PutEdit;

/** Messages of the host that stay as they are. */
export interface KeepEdit {
  /** `[from, to]`: indices into the whole list, its appended part included; `to` is not included. */
  keep: [number, number];
}

/** A message that takes the place of others, or comes in addition. */
export interface PutEdit {
  /** The message, in the host's format. */
  put: Message;
}

/** What the model answered and what its tools gave. The message belongs into the next list too. */
export interface TurnEndParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The model's message. */
  message: Message;
  /** The results of its tool calls, in order. */
  toolResults?: Message[] | null;
  /**
   * What the provider counted for this call; without it the message's own `usage` is read. It corrects the weights.
   * A host that reports none is asked for a compaction by the estimate of its list.
   */
  usage?: UsageParams | null;
  /** The host's time, in milliseconds since the epoch. */
  at?: number | null;
  /** The entries that message and results became in the session tree. */
  entryIds?: EntryIds | null;
}

/**
 * Tokens as the provider counted them: in these words, or the object of the provider or framework as it came
 * (members in snake_case: Anthropic's, OpenAI's; those that end in `TokenCount`: Gemini's; of DeepSeek, Kimi,
 * Mistral, Bedrock, Ollama, llama.cpp, LangChain, pydantic-ai, the AI SDK and OpenCode their own).
 */
export interface UsageParams {
  /** Input that no cache held. */
  input?: number | null;
  /** Output. */
  output?: number | null;
  /** Input read from a cache. */
  cacheRead?: number | null;
  /** Input written to a cache. */
  cacheWrite?: number | null;
  /** All of them; goes before the sum of the four. */
  totalTokens?: number | null;
  /** All of them, for a host that knows nothing else. */
  tokens?: number | null;
  /** Anthropic: input that no cache held. OpenAI responses: all input. */
  input_tokens?: number | null;
  /** Anthropic, OpenAI responses: output. */
  output_tokens?: number | null;
  /** Anthropic: input read from a cache. */
  cache_read_input_tokens?: number | null;
  /** Anthropic: input written to a cache. */
  cache_creation_input_tokens?: number | null;
  /** OpenAI chat completions: all input. */
  prompt_tokens?: number | null;
  /** OpenAI chat completions: output. */
  completion_tokens?: number | null;
  /** OpenAI: all of them. */
  total_tokens?: number | null;
  /** OpenAI responses: how much of the input a cache held. */
  input_tokens_details?: CachedTokens | null;
  /** OpenAI chat completions: how much of the input a cache held. */
  prompt_tokens_details?: CachedTokens | null;
  /** Gemini: all input but what its tools gave. Since 1.1. */
  promptTokenCount?: number | null;
  /** Gemini: input that its own tools gave. Since 1.1. */
  toolUsePromptTokenCount?: number | null;
  /** Gemini: how much of the input a cache held. Since 1.1. */
  cachedContentTokenCount?: number | null;
  /** Gemini: output without thoughts. Since 1.1. */
  candidatesTokenCount?: number | null;
  /** Gemini: thoughts. Since 1.1. */
  thoughtsTokenCount?: number | null;
  /** Gemini: all of them. Since 1.1. */
  totalTokenCount?: number | null;
}

/** Of OpenAI's counts: how much of the input a cache held. */
export interface CachedTokens {
  /** Input read from a cache. */
  cached_tokens?: number | null;
}

/** Ids of the entries that were written. */
export interface EntryIds {
  /** Of the model's message. */
  message?: string | null;
  /** Of the results, in their order; null where there is none. */
  toolResults?: (string | null)[] | null;
  /**
   * Of the newest user message of the list that was answered; of the newest ones, oldest first, where several came
   * since the last `turn_end`. Since 1.1.
   */
  user?: string | (string | null)[] | null;
}

/** What is to be done now, and where the session stands. */
export interface TurnEndResult {
  /** What the host is asked to do. Empty most of the time. */
  commands: Command[];
  /** Where the session stands after this call. */
  status: Status;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
  /**
   * Where the provider refused the list as too long: what to send next. `session_compact`: when the compaction that
   * `commands` ask for is made. `context`: the list without the reply that failed, where none can be asked for.
   * Absent else. Since 1.1.
   */
  send?: AfterOverflow;
}

/**
 * Something the host is asked to do. It is what ctxmgr would send as a request, without an id: the host does not
 * answer it.
 */
export interface Command {
  /** The method. */
  method: "requestCompaction";
  /** Its params. */
  params: RequestCompactionParams;
}

/** Why a compaction is due. */
export interface RequestCompactionParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** "threshold": the list has reached the red zone. "overflow": the provider refused it as too long. */
  reason: CompactionReason;
  /** The zone. */
  zone: Zone;
  /** Tokens of the list, null while unknown. */
  tokens: number | null;
  /** Where the red zone begins, in tokens. */
  threshold: number;
  /** The model's window in tokens. */
  contextWindow: number;
  /** "whenIdle": when the agent has nothing to do. "now": only where "midRun" was declared. */
  deliver: Delivery;
  /** What the policy asks of every summary. */
  customInstructions?: string;
  /** A finished compaction that was written ahead: apply it as it is. */
  compaction?: Compaction;
}

/** Why a compaction is asked for. */
export type CompactionReason = "threshold" | "overflow";

/** When a compaction is to be made. */
export type Delivery = "now" | "whenIdle";

/** A finished compaction. */
export interface Compaction {
  /** The summary. */
  summary: string;
  /** The first entry that stays in the list. */
  firstKeptEntryId: string;
  /** Tokens of the list before. */
  tokensBefore: number;
  /** Files, and how the summary was made. Keep them with the entry: later compactions read them. */
  details: SummaryDetails;
}

/** Files, and how a summary was made. */
export interface SummaryDetails {
  /** Files that were read and not changed. */
  readFiles: string[];
  /** Files that were written or edited. */
  modifiedFiles: string[];
  /** How it was made, for people: strategy, calls, tokens spent, what went wrong. */
  ctxmgr: Record<string, unknown>;
}

/** What to send after an overflow. */
export type AfterOverflow = "session_compact" | "context";

/** The compaction that the host is about to make. */
export interface BeforeCompactParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The host's own plan. */
  preparation: HostPreparation;
  /** The whole session tree: with it ctxmgr plans by itself. */
  branchEntries?: Entry[] | null;
  /** The entry the branch ends at; absent, the last of `entries`. */
  leafId?: string | null;
  /** What the user asks of the summary, in words. */
  customInstructions?: string | null;
  /** Why the host compacts: its own word. */
  reason?: string | null;
  /** Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host: with one, `$/progress` tells how far the call is. */
  progressToken?: ProgressToken | null;
  /**
   * The host's time, in milliseconds since the epoch: whether the provider still has the last request in its cache.
   * Absent: as of the newest message. Since 1.1.
   */
  at?: number | null;
}

/** A compaction as the host has prepared it, in pi's names. What is not listed is passed over. */
export interface HostPreparation {
  /** The first entry that stays in the list. */
  firstKeptEntryId: string;
  /** What the summary is to stand for. */
  messagesToSummarize?: Message[] | null;
  /** Of a turn that is cut in two, the part before the cut. */
  turnPrefixMessages?: Message[] | null;
  /** The cut is inside a turn. */
  isSplitTurn?: boolean | null;
  /** Tokens of the list now. */
  tokensBefore?: number | null;
  /** The summary of the compaction before. */
  previousSummary?: string | null;
  /** `{read, written, edited}`: lists of paths. */
  fileOps?: unknown;
  /** The host's own settings, as far as they count here. */
  settings?: GivenSettings | null;
}

/** A host's own settings of a compaction. What is no number counts as absent. */
export interface GivenSettings {
  /** Tokens kept free for the reply. */
  reserveTokens?: unknown;
  /** Tokens of the newest messages that stay. */
  keepRecentTokens?: unknown;
}

/** A token of the host's choice. */
export type ProgressToken = string | number;

/** `{}`: the host goes on by itself. Else one of the two is there. */
export interface BeforeCompactResult {
  /** True: another compaction of this branch is being written. */
  cancel?: boolean;
  /** The compaction to apply in the place of the host's own. */
  compaction?: Compaction;
}

/** The compaction that the host has made, whoever wrote its summary. */
export interface SessionCompactParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The entry that the host wrote. */
  compactionEntry: CompactionEntry;
  /** True where its summary was not the host's own. */
  fromExtension?: boolean | null;
}

/** A compaction entry of the host's session tree. */
export interface CompactionEntry {
  /** The summary. */
  summary: string;
  /** Its id. */
  id?: string | null;
  /** The entry before it. */
  parentId?: string | null;
  /** The first entry that stays in the list. */
  firstKeptEntryId?: string | null;
  /** Tokens of the list before. */
  tokensBefore?: number | null;
  /** When it was written: milliseconds since the epoch, or an ISO 8601 string. */
  timestamp?: number | string | null;
}

/** Why the host's compaction came to nothing. */
export interface CompactFailedParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** Why it was made: the host's own word. */
  reason: string;
  /** What went wrong. */
  errorMessage?: string | null;
}

/** The move that the host is about to make. */
export interface BeforeTreeParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The host's own plan of it. */
  preparation: TreePreparation;
  /** Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host: with one, `$/progress` tells how far the call is. */
  progressToken?: ProgressToken | null;
}

/** A move in the session tree as the host has prepared it, in pi's names. */
export interface TreePreparation {
  /** The entries that are left, oldest first. */
  entriesToSummarize?: Entry[] | null;
  /** The entry the host goes to. */
  targetId?: string | null;
  /** The entry it leaves. */
  oldLeafId?: string | null;
  /** Where the two paths meet. */
  commonAncestorId?: string | null;
  /** Without true no summary is written. */
  userWantsSummary?: boolean | null;
  /** What the user asks of the summary, in words. */
  customInstructions?: string | null;
  /** True: `customInstructions` take the place of the prompt's own. */
  replaceInstructions?: boolean | null;
}

/** `{}`: the host goes on by itself. */
export interface BeforeTreeResult {
  /** Not used yet. */
  cancel?: boolean;
  /** The summary of what is left. */
  summary?: BranchSummary;
}

/** A finished branch summary. */
export interface BranchSummary {
  /** The summary. */
  summary: string;
  /** Files, and how the summary was made. Keep them with the entry. */
  details: SummaryDetails;
}

/** Where the host has moved to in its session tree. */
export interface SessionTreeParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The entry it stands at now; null before the first one. */
  newLeafId: string | null;
  /** The entry it stood at before. */
  oldLeafId?: string | null;
  /** The summary of the branch that was left, where one was written. */
  summaryEntry?: SummaryEntry | null;
  /** The session tree: with it, facts come back at once; without, as messages do. */
  entries?: Entry[] | null;
}

/** A branch summary entry of the host's session tree. */
export interface SummaryEntry {
  /** The summary. */
  summary: string;
  /** Its id. */
  id?: string | null;
  /** The entry before it. */
  parentId?: string | null;
  /** The leaf of the branch it stands for. */
  fromId?: string | null;
  /** When it was written: milliseconds since the epoch, or an ISO 8601 string. */
  timestamp?: number | string | null;
}

/** The session, and nothing else. */
export interface SessionParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
}

/** Whose status. */
export interface GetStatusParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /**
   * True: answered when what was saved so far is in the store, or cannot be had there now (`durable` tells).
   * Without a store, at once. Since 1.1.
   */
  flush?: boolean | null;
  /**
   * True: `cache.coldCost` is worked out, which takes as long as an epoch of the list. Ask while the session rests;
   * nothing changes. Since 1.1.
   */
  coldCost?: boolean | null;
}

/** Whether lists are projected. */
export interface SetPruningParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** False: lists go as they came. Ledger and snapshot go on. */
  enabled: boolean;
}

/** What pruning of tool output has done. Tokens are ctxmgr's own weights. */
export interface PruneStats {
  /** Pruning is on. */
  enabled: boolean;
  /** Tokens that the last pass looked at. */
  scanned: number;
  /** Tokens pruned so far. */
  pruned: number;
  /** Tokens that the last pass left because they are protected. */
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
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/** The policy in force, and what it comes to for the session's model. */
export interface PolicyResult {
  /** All keys with their values, those of the session's model put in. */
  policy: Policy;
  /** The policy in tokens. */
  thresholds: Thresholds;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
  /**
   * Keys that mean something in some presets alone, and in which; all others do in each. Since 1.1. Default: {}.
   */
  presets?: Record<string, string[]>;
}

/** Tokens by the provider's count. A zone begins at its threshold. */
export interface Thresholds {
  /** The window less the reserve: what pressure is a share of. */
  usable: number;
  /** Where yellow begins. */
  yellow: number;
  /** Where red begins: from here a compaction is asked for. */
  red: number;
  /** Where compact begins. */
  compact: number;
  /** The largest list that leaves room for a reply. */
  limit: number;
}

/** Keys to set for this session. */
export interface SetPolicyParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The keys to set; others stay as they are, null takes one back to its default. */
  policy: PolicyKeys;
}

/** The facts that hold now. */
export interface LedgerResult {
  /** In the order they came. */
  facts: LedgerFact[];
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/** One statement with its source and time. */
export interface LedgerFact {
  /**
   * Its kind: goal, current, constraint, decision, task, context; request: what the user said; said: how an
   * assistant's turn ended; question: what the user answered a tool, or would not have; command: a check that ran;
   * value: a commit; file.
   */
  slot: FactSlot;
  /** The statement. */
  text: string;
  /** Who made it: user, assistant, tool, summary or branch. */
  source: FactSource;
  /**
   * Of a task: open, active, done, blocked. Of a file: read, written, edited, deleted. Of a command: ok, failed, or
   * unknown where nothing tells how it ended. Of a question: rejected, where its text is a call or a plan that the
   * user would not have. Of a commit: the directory. Default: "".
   */
  status?: string;
  /** The host's time, in milliseconds since the epoch. Default: 0. */
  at?: number;
  /**
   * Of a command, what its output counted or the line of its error; of a question, the answer; of a file, the tool
   * that changed it; of a summary, the heading it stood under. Default: "".
   */
  detail?: string;
  /** The entry it came from, where that is known. */
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

/** The summaries that were heard. The newest three of the branch are kept whole. */
export interface SummariesResult {
  /** Oldest first. */
  summaries: HeardSummary[];
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/** A summary that the session heard, by an event or in a list. */
export interface HeardSummary {
  /** What it stands for: compaction or branch. */
  kind: string;
  /** When it was heard, in milliseconds since the epoch. */
  at: number;
  /** Its entry, where that is known. */
  entryId?: string;
  /** As it came; absent where it is no longer kept. */
  text?: string;
}

/** Which packet. */
export interface GetPacketParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** True: the longer one, which comes once after a compaction or a move in the tree. */
  resume?: boolean | null;
}

/** The packet as it would be now, whether or not the next list needs one. */
export interface PacketResult {
  /** Its text. */
  text: string;
  /** Its weight. */
  tokens: number;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/** The session, and an epoch. */
export interface ExplainParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** Whose receipt is wanted in full; the newest where it is absent. */
  epoch?: number | null;
}

/** What became of each message of the last list. */
export interface ExplainResult {
  /** In the order of the list; what was put in comes first. */
  verdicts: Verdict[];
  /** The receipts that are kept, oldest first. */
  epochs: EpochReceipt[];
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
  /** All pins of the session, oldest first. Since 1.1. Default: []. */
  pins?: HeldPin[];
}

/** What became of one message. Weights are ctxmgr's own. */
export interface Verdict {
  /** Its place in the host's list; null for what ctxmgr put in. */
  index: number | null;
  /** A digest of the message, the same wherever it stands. */
  digest: string;
  /** What became of it. */
  verdict: VerdictKind;
  /** Why. */
  rule: string;
  /** Its weight as it came. */
  before: number;
  /** Its weight in the list to send. */
  after: number;
  /**
   * Its first call or result as the tool and its telling arguments, or what the message is, such as `user text`;
   * secrets read `[masked]`. Since 1.1. Default: "".
   */
  call?: string;
}

/** What became of a message. */
export type VerdictKind = "kept" | "distilled" | "pruned" | "cut" | "dropped" | "inserted";

/** What one epoch did, and the arithmetic of it. */
export interface EpochReceipt {
  /** Its number. */
  epoch: number;
  /** Why it was opened: price, cold, red, forced, compaction, tree, model, policy, pin, undo, rewritten. */
  opening: string;
  /** Weight of the list to send as it would have been without it. */
  before: number;
  /** Weight of the list to send with it. */
  after: number;
  /** What it cost and what it saves, in one line. */
  arithmetic: string;
  /** How many things left. */
  count: number;
  /** The call's time. */
  at?: number;
  /** What left, in the order of the list; told of one epoch. */
  left?: Left[];
  /** So many more left that are not listed: the lightest. */
  omitted?: number;
  /** What it did, for people: "removed 12 old results, 17,000 tokens; pays after 3 calls". Since 1.1. */
  text?: string;
  /**
   * The number of calls after which it has saved what it cost; 0: at once. Absent where it saves nothing, or where
   * this is not known. Since 1.1.
   */
  paysAfter?: number;
}

/** One thing that left. */
export interface Left {
  /** What was done to it; `shortened` are the arguments of a call. */
  kind: LeftKind;
  /** The tool and its telling arguments, or what the message was; secrets read `[masked]`. */
  call: string;
  /** The rule that decided. */
  why: string;
  /** Its weight as it came. */
  before: number;
  /** Its weight now. */
  after: number;
  /** The message's, to pin it by. */
  digest: string;
  /** What `retrieve` finds it by; null without an archive. */
  handle?: string;
}

/** What was done to something at an epoch; `shortened` are the arguments of a call. */
export type LeftKind = "dropped" | "pruned" | "distilled" | "shortened" | "cut";

/** A pin, and what it holds. `unpin` takes `{by: value}`. */
export interface HeldPin {
  /** What it was made by. */
  by: PinBy;
  /** The digest, call id, path or tool. */
  value: string;
  /** The number of messages of the last list that it holds. */
  messages: number;
  /** As in a verdict, of the message that is pinned by digest or by call id; null elsewhere. */
  call: string | null;
}

/** What a pin names: a tool call by its id, a message by its digest, a file's path, or a tool. */
export type PinBy = "callId" | "digest" | "path" | "tool";

/**
 * What the model asks for again. Refused (-32803) where `capabilities.retrieve` was not declared. An unknown handle
 * is refused (-32602), with the call to make again in `data.call` where a receipt knows it.
 */
export interface RetrieveParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** The handle in the marker. */
  handle: string;
  /** The first character of the page; absent, 0. */
  offset?: number | null;
  /** Characters of the page at most; absent, 20,000. */
  limit?: number | null;
}

/**
 * One page of the original. Characters are Unicode code points, of the original: a page with a masked secret may
 * have more or fewer. The result that brings it to the model is not pruned for two epochs: it is known by the
 * handle in the arguments of its call.
 */
export interface RetrieveResult {
  /** The page. */
  text: string;
  /** Its first character; at the end where the one asked for is beyond. */
  offset: number;
  /**
   * The `offset` of the next page; null after the last. (A length that a program counts in UTF-16 units, as
   * JavaScript does, would lead beyond it.)
   */
  next: number | null;
  /** Characters of the whole. */
  total: number;
  /** True: there is another page. */
  more: boolean;
  /** The tool and its telling arguments, or what the message was. */
  call: string;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
  /**
   * True: this page reads `[masked]` where the original had a secret of a known shape; it was not kept (the
   * policy's `archive.keepSecrets`). Since 1.1. Default: false.
   */
  masked?: boolean;
}

/** What is looked for among what left of this session. Refused (-32803) where nothing is archived. */
export interface SearchParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /**
   * Plain words, `"a phrase"`, `path:src/a.py`, `tool:bash`. Phrases, paths and tools have to be there; of the
   * words one is enough. Identifiers and paths are found whole and by their parts. No text is wrong.
   */
  query: string;
  /** Hits at most, of 50; absent, 10. */
  limit?: number | null;
}

/** What was found. It changes nothing: what only shows here was not brought back. */
export interface SearchResult {
  /** Best first; empty where nothing holds the words. */
  hits: SearchHit[];
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/** One original that was found. Secrets of known shapes are found by no query, and read `[masked]` here. */
export interface SearchHit {
  /** What `retrieve` finds the original by. */
  handle: string;
  /** 1 is the best. Of equals the order is by handle. */
  rank: number;
  /** The tool and its telling arguments, or what the message was. */
  call: string;
  /** The tool; null of a message. */
  tool: string | null;
  /** The first of the arguments that is a path; null without one. */
  path: string | null;
  /** At which it left; null where no receipt that is kept lists it. */
  epoch: number | null;
  /** The stretch that has the most of the words; dots where it is cut. */
  snippet: string;
  /** The character of the original at which the snippet begins, as `retrieve` takes it. */
  offset: number;
  /** Characters of the original. */
  total: number;
}

/**
 * What has to stay as it is: exactly one of `callId`, `digest`, `path` and `tool`. Pins outlive compactions and
 * restarts. Where something that left comes back by one, the next `context` opens an epoch.
 */
export interface PinParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** A tool call by its id: the message that makes it, and its result. */
  callId?: string | null;
  /** One message, by the digest that `explain` shows. */
  digest?: string | null;
  /**
   * Calls that name this file, with their results. A glob (`*` also over `/`); it may be the end of a path, as
   * `src/*.py` is of `/home/me/src/a.py`.
   */
  path?: string | null;
  /** All calls of this tool, with their results. */
  tool?: string | null;
}

/**
 * What left at this epoch comes back with the next `context`, and is pinned. An epoch of which no receipt is kept
 * is refused (-32602).
 */
export interface UndoParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** Its number, as `report.epoch` said it. */
  epoch: number;
}

/** What is to be planned on: `entries`, or without them what the session holds. */
export interface PlanCompactionParams {
  /** The session; its policy and its weigher count. May be absent with `entries`. */
  sessionId?: string | null;
  /** The host's session tree, oldest entry first. */
  entries?: Entry[] | null;
  /** The entry the branch ends at; absent, the last of `entries`. */
  leafId?: string | null;
  /** Settings for this call. */
  settings?: CutSettings | null;
  /** What the user asks of the summary, in words. */
  customInstructions?: string | null;
  /** The format of the summary that the prompts ask for. */
  format?: SummaryFormat | null;
  /** True: the conversation as text comes with the answer. */
  serialize?: boolean | null;
}

/** Settings for one call; what is absent is as the policy says. */
export interface CutSettings {
  /** Goes into the answer's `settings`, nothing else. */
  enabled?: boolean | null;
  /** Tokens kept free for the reply. */
  reserveTokens?: number | null;
  /** Tokens of the newest messages that stay. */
  keepRecentTokens?: number | null;
  /** How these tokens are counted. */
  weigher?: Weigher | null;
  /** Window of the model that writes the summary, in tokens. */
  contextWindow?: number | null;
}

/** What a compaction would summarise and keep. */
export interface PlanCompactionResult {
  /** The plan; null where there is nothing to compact. */
  preparation: Preparation | null;
  /** The model calls that make the summary, in order. */
  prompts: Prompt[];
  /** Why there is nothing to compact. */
  reason: string | null;
  /** The conversation as text, where it was asked for. */
  serialized: Serialized | null;
}

/** A compaction before it is written, in pi's names. Messages are as the host holds them. */
export interface Preparation {
  /**
   * The first entry that stays in the list; "" where no entry has an id: what stays is what follows the messages
   * listed here.
   */
  firstKeptEntryId: string;
  /** What the summary is to stand for. */
  messagesToSummarize: Message[];
  /** Of a turn that is cut in two, the part before the cut. */
  turnPrefixMessages: Message[];
  /** The cut is inside a turn. */
  isSplitTurn: boolean;
  /** Tokens of the list now. */
  tokensBefore: number;
  /** Files by what was done to them. */
  fileOps: FileOps;
  /** The settings that were used. */
  settings: SettingsUsed;
  /** The summary of the compaction before, which this one carries on. */
  previousSummary: string | null;
}

/** Paths by what was done to them, over all earlier compactions. */
export interface FileOps {
  /** Read. */
  read: string[];
  /** Written. */
  written: string[];
  /** Edited. */
  edited: string[];
}

/** The settings a plan was made with. */
export interface SettingsUsed {
  /** As the call or the policy says. */
  enabled: boolean;
  /** Tokens kept free for the reply. */
  reserveTokens: number;
  /** Tokens of the newest messages that stay. */
  keepRecentTokens: number;
  /** How these tokens were counted. */
  weigher: Weigher;
}

/** One model call: one user message under a system prompt. */
export interface Prompt {
  /** What it is for. */
  purpose: Purpose;
  /** The system prompt. */
  system: string;
  /** The user message. */
  prompt: string;
  /** The longest answer in tokens. */
  maxTokens: number;
}

/** What a model call is for. */
export type Purpose = "history" | "turn-prefix" | "slice" | "merge" | "branch" | "short";

/**
 * Messages as text that a model does not take for a conversation to go on with; tool results are cut to 2,000
 * characters. As pi writes it.
 */
export interface Serialized {
  /** What comes before the turn that is cut. */
  history: string;
  /** That turn's part before the cut. */
  turnPrefix: string;
}

/** As for `planCompaction`, and how the summary is to be made. */
export interface CompactParams {
  /** The session; its policy and its weigher count. May be absent with `entries`. */
  sessionId?: string | null;
  /** The host's session tree, oldest entry first. */
  entries?: Entry[] | null;
  /** The entry the branch ends at; absent, the last of `entries`. */
  leafId?: string | null;
  /** Settings for this call. */
  settings?: CutSettings | null;
  /** What the user asks of the summary, in words. */
  customInstructions?: string | null;
  /** How the summary is made; absent, as the policy says. */
  strategy?: Strategy | null;
  /** The format of the summary; absent, as the policy says. */
  format?: SummaryFormat | null;
  /** Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host: with one, `$/progress` tells how far the call is. */
  progressToken?: ProgressToken | null;
  /**
   * The host's time, in milliseconds since the epoch: whether the provider still has the last request in its cache.
   * Absent: as of the newest message. Since 1.1.
   */
  at?: number | null;
}

/** A finished compaction. The host applies it and sends `session_compact`. */
export interface CompactResult {
  /** The compaction. */
  compaction: Compaction;
}

/** The branch that is left: from `oldLeafId` back to where it meets the path of `targetId`. */
export interface SummarizeBranchParams {
  /** The entry the host leaves; null where it left nothing. */
  oldLeafId: string | null;
  /** The entry it goes to; null before the first one. */
  targetId: string | null;
  /**
   * The host's session tree, oldest entry first; absent, what the session has seen, by the ids that it was told.
   */
  entries?: Entry[];
  /** The session; its policy and its weigher count. */
  sessionId?: string | null;
  /** Settings for this call. */
  settings?: CutSettings | null;
  /** What the user asks of the summary, in words. */
  customInstructions?: string | null;
  /** True: `customInstructions` take the place of the prompt's own. */
  replaceInstructions?: boolean | null;
  /** How the summary is made; absent, as the policy says. */
  strategy?: Strategy | null;
  /** Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`. */
  deadlineMs?: number | null;
  /** Any token of the host: with one, `$/progress` tells how far the call is. */
  progressToken?: ProgressToken | null;
}

/** The summary of what was left. */
export interface SummarizeBranchResult {
  /** The summary; null where nothing was left. */
  summary: BranchSummary | null;
  /** Where the two paths meet; null where they do not. */
  commonAncestorId: string | null;
  /** How many entries were left. */
  entriesSummarized: number;
}

/** The model's own notes. */
export interface ScratchpadResult {
  /** The text. */
  text: string;
  /** Its weight. */
  tokens: number;
  /** How many events of this session have taken effect. See reference.md#order. */
  seq: number;
}

/** Edits of the model's own notes. */
export interface EditScratchpadParams {
  /** The session, by the id that `session_start` gave it. Any string. */
  sessionId: string;
  /** Applied in order, all or none. */
  operations: ScratchpadOperation[];
}

/** One edit, told apart by `op`. */
export type ScratchpadOperation = StrReplace | Insert | Overwrite;

/** Replaces one text by another. The old one has to stand there exactly once. */
export interface StrReplace {
  /** Which edit it is. */
  op: "str_replace";
  /** What is replaced. */
  oldText: string;
  /** What takes its place. */
  newText: string;
}

/** Puts a text in after a line. */
export interface Insert {
  /** Which edit it is. */
  op: "insert";
  /** The text. */
  text: string;
  /** The line, counted from 1; 0 is before the first, absent is at the end. */
  line?: number | null;
}

/** Writes the notes anew. */
export interface Overwrite {
  /** Which edit it is. */
  op: "overwrite";
  /** The whole text. */
  text: string;
}

/** Whether the host will compact. Answer at once; do not wait for the compaction. */
export interface RequestCompactionResult {
  /** True: it is queued. */
  accepted: boolean;
  /** Why not. */
  reason?: string | null;
}

/**
 * One model call for the host to run: one user message under a system prompt, no tools. Or, where there is an
 * `instruction`, the host's last request once more with that at its end.
 */
export interface CompleteParams {
  /** The session it is for; null where the call that needs it named none. */
  sessionId: string | null;
  /** What it is for. */
  purpose: Purpose;
  /** The system prompt; "" with an `instruction`. */
  system: string;
  /** The user message; "" with an `instruction`. */
  prompt: string;
  /** The longest answer in tokens. */
  maxTokens: number;
  /**
   * Only where `capabilities.completeOnContext` is declared: one user message, to be appended to the session's last
   * request and what came since (the reply, its results), with the same system prompt and the same tools. What the
   * model answers is not to become part of the session. An answer that cannot be used, such as a tool call, is
   * asked for again with a copy of the conversation in `prompt`. Since 1.1.
   */
  instruction?: string;
}

/** What the model answered. A failed call may be answered with an error as well. */
export interface CompleteResult {
  /** The text. Default: "". */
  text?: string;
  /**
   * "stop", "length", "toolUse", "error" or "aborted"; the spellings of other interfaces ("end_turn", "max_tokens",
   * "tool_calls") are known. Only "stop" is taken for an answer. Default: "stop".
   */
  stopReason?: string;
  /** `{input, output, cacheRead, cacheWrite}` in tokens; what has another shape is passed over. */
  usage?: unknown;
  /** What went wrong. */
  errorMessage?: string | null;
}

/** Texts to turn into vectors, by a model of the host. */
export interface EmbedParams {
  /** The session it is for; null where the call that needs it named none. */
  sessionId: string | null;
  /** The texts. */
  texts: string[];
}

/** The vectors. */
export interface EmbedResult {
  /** One vector a text, in their order, all of one length. */
  vectors: number[][];
}

/** How far a call is. */
export interface ProgressParams {
  /** The `progressToken` of the call. */
  token: ProgressToken;
  /** How far it is. */
  value: ProgressValue;
}

/** One step of a call. */
export interface ProgressValue {
  /** Where in the call it is. */
  kind: ProgressKind;
  /** What is being done, for people. */
  message?: string;
  /** From 0 to 100. */
  percentage?: number;
}

/** Where in a call it is. */
export type ProgressKind = "begin" | "report" | "end";

/** One thing that happened in a session. Nothing that a user, a model or a tool wrote is in it. */
export interface TelemetryEvent {
  /**
   * ctxmgr.list, ctxmgr.epoch, ctxmgr.compaction, ctxmgr.fallback, or, for the usage that a host reported, the
   * semantic conventions' gen_ai.client.inference.operation.details.
   */
  name: string;
  /**
   * By the names of OpenTelemetry's semantic conventions for generative AI (`gen_ai.*`, `error.type`), and of our
   * own (`ctxmgr.*`). Of what a host sent there are the ids of session and model and the provider's name.
   */
  attributes: Record<string, string | number | boolean>;
}

/** A request: it is answered once, with a result or an error of the same id. */
export interface RequestMessage {
  /** The version of JSON-RPC. A host that writes one message a line may leave it out. */
  jsonrpc: "2.0";
  /** The id of the request. */
  id: RequestId;
  /** The method. */
  method: string;
  /** By name, never by place. */
  params?: Record<string, unknown>;
}

/** A notification: it is never answered. */
export interface NotificationMessage {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** The method. */
  method: string;
  /** By name, never by place. */
  params?: Record<string, unknown>;
}

/** The answer to a request. */
export interface ResultMessage {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** The id of the request. */
  id: RequestId;
  /** What the method gives, null for those that give nothing. */
  result: unknown;
}

/** The answer to a request that failed. */
export interface ErrorMessage {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** Of the request; null where its id could not be read. */
  id: RequestId | null;
  /** What went wrong. */
  error: ErrorObject;
}

/** What went wrong. Its message never holds conversation text. */
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
  /** JSON path below the params, such as `$.model.contextWindow`. */
  path?: string;
  /** Of `retrieve`: the call that gives the thing again, for the model. */
  call?: string;
}

/** What each method takes and gives. An "event" may be sent with an id or without. */
export interface Methods {
  /** The first message: who the host is and what it can do. */
  "initialize": { params: InitializeParams; result: InitializeResult; direction: "to ctxmgr"; kind: "request" };
  /** The host has read the answer. */
  "initialized": { params: NoParams; result: void; direction: "to ctxmgr"; kind: "notification" };
  /** Saves and closes every session. */
  "shutdown": { params: NoParams; result: null; direction: "to ctxmgr"; kind: "request" };
  /** Ends the process. */
  "exit": { params: NoParams; result: void; direction: "to ctxmgr"; kind: "notification" };
  /** Takes back a request, by the side that sent it. */
  "$/cancelRequest": { params: CancelParams; result: void; direction: "to ctxmgr"; kind: "notification" };
  /** This table as OpenRPC. */
  "rpc.discover": { params: NoParams; result: DiscoverResult; direction: "to ctxmgr"; kind: "request" };
  /** A session begins or goes on; what a snapshot knows of it is restored. */
  "session_start": { params: SessionStartParams; result: SessionStartResult; direction: "to ctxmgr"; kind: "request" };
  /** The host uses another model from now on. */
  "model_select": { params: ModelSelectParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /** The message list before a model call; the answer is the list to send. */
  "context": { params: ContextParams; result: ContextResult; direction: "to ctxmgr"; kind: "request" };
  /** The model answered and its tools ran. As a request, its commands come in the answer. */
  "turn_end": { params: TurnEndParams; result: TurnEndResult; direction: "to ctxmgr"; kind: "event" };
  /** The host is about to compact; {} leaves it to the host. */
  "session_before_compact": { params: BeforeCompactParams; result: BeforeCompactResult; direction: "to ctxmgr"; kind: "request" };
  /** The host has compacted. */
  "session_compact": { params: SessionCompactParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /** The host's compaction failed. */
  "session_compact_failed": { params: CompactFailedParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /** The host is about to move in its session tree; {} leaves the summary to the host. */
  "session_before_tree": { params: BeforeTreeParams; result: BeforeTreeResult; direction: "to ctxmgr"; kind: "request" };
  /** The host has moved in its session tree. */
  "session_tree": { params: SessionTreeParams; result: StatusResult; direction: "to ctxmgr"; kind: "event" };
  /** The session ends; its snapshot stays. */
  "session_shutdown": { params: SessionParams; result: null; direction: "to ctxmgr"; kind: "event" };
  /** Where the session stands. */
  "getStatus": { params: GetStatusParams; result: Status; direction: "to ctxmgr"; kind: "request" };
  /** The next `context` prunes: tool output, past the minimum; in preset balanced it opens an epoch. */
  "prune": { params: SessionParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Switches projection and packet off or on; ledger and snapshot go on. */
  "setPruning": { params: SetPruningParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** What pruning has done so far. */
  "getPruneStats": { params: SessionParams; result: PruneStats; direction: "to ctxmgr"; kind: "request" };
  /** The policy in force. */
  "getPolicy": { params: SessionParams; result: PolicyResult; direction: "to ctxmgr"; kind: "request" };
  /** Sets policy keys for this session; null takes one back to its default. */
  "setPolicy": { params: SetPolicyParams; result: PolicyResult; direction: "to ctxmgr"; kind: "request" };
  /** All facts that hold. */
  "getLedger": { params: SessionParams; result: LedgerResult; direction: "to ctxmgr"; kind: "request" };
  /** The summaries that the session heard, the newest as they came. */
  "getSummaries": { params: SessionParams; result: SummariesResult; direction: "to ctxmgr"; kind: "request" };
  /** The packet as it would be rendered now. */
  "getPacket": { params: GetPacketParams; result: PacketResult; direction: "to ctxmgr"; kind: "request" };
  /** One verdict a message of the last projection, with the rule and the weights; and what each epoch did. */
  "explain": { params: ExplainParams; result: ExplainResult; direction: "to ctxmgr"; kind: "request" };
  /** The original of something that left, by the handle in its marker, page by page. */
  "retrieve": { params: RetrieveParams; result: RetrieveResult; direction: "to ctxmgr"; kind: "request" };
  /** What left and holds the words of a query, best first, with the handles that `retrieve` takes. */
  "search": { params: SearchParams; result: SearchResult; direction: "to ctxmgr"; kind: "request" };
  /** Keeps a message, a call with its result, all that concerns a path, or all of a tool, as it is. */
  "pin": { params: PinParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Takes a pin off: what it held may leave at a later epoch. */
  "unpin": { params: PinParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** Brings back what left at an epoch, and pins it. */
  "undo": { params: UndoParams; result: StatusResult; direction: "to ctxmgr"; kind: "request" };
  /** What a compaction would summarise and keep, and the prompts a host can run on its own model. */
  "planCompaction": { params: PlanCompactionParams; result: PlanCompactionResult; direction: "to ctxmgr"; kind: "request" };
  /** A finished compaction; the host applies it and reports `session_compact`. */
  "compact": { params: CompactParams; result: CompactResult; direction: "to ctxmgr"; kind: "request" };
  /** A finished summary of the branch that is left behind. */
  "summarizeBranch": { params: SummarizeBranchParams; result: SummarizeBranchResult; direction: "to ctxmgr"; kind: "request" };
  /** The model's own notes. */
  "getScratchpad": { params: SessionParams; result: ScratchpadResult; direction: "to ctxmgr"; kind: "request" };
  /** Edits the notes: str_replace, insert, overwrite, in order, all or none. */
  "editScratchpad": { params: EditScratchpadParams; result: ScratchpadResult; direction: "to ctxmgr"; kind: "request" };
  /** Asks the host to compact; accepted means queued, and is answered at once. */
  "requestCompaction": { params: RequestCompactionParams; result: RequestCompactionResult; direction: "to host"; kind: "request" };
  /** One model call that the host runs; asked only where `capabilities.complete` is declared. */
  "complete": { params: CompleteParams; result: CompleteResult; direction: "to host"; kind: "request" };
  /** Vectors of texts, by a model of the host; asked only where `capabilities.embed` is declared. */
  "embed": { params: EmbedParams; result: EmbedResult; direction: "to host"; kind: "request" };
  /** How far a request is that named a `progressToken`. */
  "$/progress": { params: ProgressParams; result: void; direction: "to host"; kind: "notification" };
  /** What happened in a session, in numbers; sent only where `capabilities.telemetry` is declared. */
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
