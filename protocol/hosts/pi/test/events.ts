// Events as pi emits them (0.74 and 0.87), cut down, and a session manager that holds their entries.

import type { Context, Entry, Message, SessionManager, TurnEnd } from "../src/pi.ts";

export const USAGE = { input: 900, output: 20, cacheRead: 80, cacheWrite: 0, totalTokens: 1000 };

export const assistant = (text: string, more: object = {}): TurnEnd["message"] => ({
  role: "assistant",
  content: [{ type: "text", text }],
  usage: { ...USAGE },
  stopReason: "stop",
  timestamp: 2,
  ...more,
});

export const result = (id: string): Message => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content: [{ type: "text", text: "a line" }],
  isError: false,
  timestamp: 3,
});

/** A branch of these entries; messages become message entries e0, e1, ... */
export function manager(given: (Message | Partial<Entry>)[]): SessionManager {
  const entries = given.map((one, number): Entry => {
    const parentId = number === 0 ? null : `e${number - 1}`;
    const base = { id: `e${number}`, parentId, timestamp: "2026-01-01T00:00:00Z" };
    return "role" in one ? { ...base, type: "message", message: one as Message } : { ...base, type: "label", ...one };
  });
  return {
    getSessionId: () => "s",
    getLeafId: () => entries.at(-1)?.id ?? null,
    getEntry: (id) => entries.find((entry) => entry.id === id),
    getEntries: () => [...entries],
    getBranch: () => [...entries],
  };
}

export interface Told {
  notified: string[];
  compacted: object[];
}

/** A context that notes what it is told; `compact` is answered by `outcome`. */
export function context(more: Partial<Context> = {}, outcome?: Error): Context & Told {
  const told: Told = { notified: [], compacted: [] };
  return {
    ...told,
    ui: { notify: (text) => told.notified.push(text) },
    hasUI: true,
    cwd: "/project",
    sessionManager: manager([]),
    modelRegistry: {},
    model: { id: "m", contextWindow: 100_000 },
    isIdle: () => true,
    hasPendingMessages: () => false,
    compact: (options = {}) => {
      const { customInstructions } = options;
      told.compacted.push({ customInstructions });
      setImmediate(() => (outcome === undefined ? options.onComplete?.({}) : options.onError?.(outcome)));
    },
    ...more,
  };
}
