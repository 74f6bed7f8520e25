/**
 * What of pi this extension touches, by shape. Nothing is imported from pi: the package has two names (before 0.74
 * `@mariozechner/pi-coding-agent`, then `@earendil-works/pi-coding-agent`) and events that came one by one, so each
 * member that some version lacks is optional here and looked for before it is used.
 */

export type Json = Record<string, unknown>;

export interface Usage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  totalTokens?: number;
}

export interface Message extends Json {
  role: string;
}

export interface AssistantMessage extends Message {
  stopReason?: string;
  errorMessage?: string;
  usage?: Usage;
}

export interface ToolResultMessage extends Message {
  toolCallId?: string;
}

export interface Model {
  id: string;
  provider?: string;
  contextWindow?: number;
  maxTokens?: number;
  cost?: Usage;
  /** Seconds that the provider keeps a prompt, by what is asked for; late versions. */
  promptCache?: { short?: number; long?: number };
}

export interface Entry extends Json {
  type: string;
  id: string;
  parentId: string | null;
  message?: Message;
  summary?: string;
}

export interface SessionManager {
  getSessionId(): string;
  /** Undefined where the session is not to be kept (`--no-session`). */
  getSessionFile?(): string | undefined;
  getLeafId(): string | null;
  getEntry(id: string): Entry | undefined;
  getEntries(): Entry[];
  getBranch(): Entry[];
}

export interface CompactOptions {
  customInstructions?: string | undefined;
  onComplete?: (result: unknown) => void;
  onError?: (error: Error) => void;
}

export interface Context {
  ui: {
    notify(message: string, type?: "info" | "warning" | "error"): void;
    setStatus?(key: string, text: string | undefined): void;
  };
  hasUI: boolean;
  cwd: string;
  sessionManager: SessionManager;
  modelRegistry: ModelRegistry;
  model: Model | undefined;
  signal?: AbortSignal | undefined;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  isProjectTrusted?(): boolean; // 0.79.1
  compact(options?: CompactOptions): void;
  getSystemPrompt?(): string;
}

/** `getApiKeyAndHeaders` since 0.63; `complete` in late versions, which resolves the key by itself. */
export interface ModelRegistry {
  getApiKeyAndHeaders?(model: Model): Promise<{ ok: boolean; apiKey?: string; headers?: Json; error?: string }>;
  complete?(model: Model, context: Json, options: Json): Promise<AssistantMessage>;
}

/** pi's own modules. */
export interface Lent {
  program(): Promise<{ VERSION?: string | undefined }>;
  models(): Promise<{ completeSimple?(model: Model, context: Json, options: Json): Promise<AssistantMessage> }>;
}

/** Drafts (`entries`), entry ids and `outcome` are there from 0.87 on. */
export interface TurnEnd {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  messageEntryId?: string;
  toolResultEntryIds?: string[];
  entries?: Json[];
  outcome?: string;
}

export interface BeforeCompact {
  preparation: Json;
  branchEntries: Entry[];
  customInstructions?: string;
  reason?: string;
  signal?: AbortSignal;
}

export interface Compacted {
  compactionEntry: Entry;
  fromExtension?: boolean;
}

export interface CompactFailed {
  reason: string;
  errorMessage?: string;
}

export interface BeforeTree {
  preparation: Json;
  signal?: AbortSignal;
}

export interface Tree {
  newLeafId: string | null;
  oldLeafId: string | null;
  summaryEntry?: Entry;
}

/** `parameters`: a JSON schema. What `execute` throws is told to the model as the call's failure. */
export interface Tool {
  name: string;
  label: string;
  description: string;
  parameters: Json;
  execute(
    id: string,
    given: Json,
    signal: AbortSignal | undefined,
    update: unknown,
    context: Context,
  ): Promise<{ content: { type: "text"; text: string }[]; details: object }>;
}

export interface Api {
  on(event: string, listen: (event: never, context: Context) => unknown): unknown;
  registerCommand(
    name: string,
    options: { description: string; handler: (args: string, context: Context) => Promise<void> },
  ): void;
  registerTool?(tool: Tool): void;
}
