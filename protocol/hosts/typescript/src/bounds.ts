// How long an answer may take, in milliseconds.

import type { SidecarOptions } from "./interface.ts";

const SHORT_MS = 5_000;
const LONG_MS = 300_000; // a model writes
const AFTER_DEADLINE_MS = 5_000; // ctxmgr answers at its deadline; what it makes do with then takes a moment

const BOUNDS: Readonly<Record<string, number>> = {
  context: 2_000, // a person waits for it; megabytes take some 30 ms
  initialize: 10_000, // an interpreter starts
  session_start: 10_000, // a snapshot and a tree are read
};

/** Methods that may wait for a model, and hold nothing up: their lateness says nothing about the process. */
const LONG = ["session_before_compact", "session_before_tree", "planCompaction", "compact", "summarizeBranch"];

export function long(method: string): boolean {
  return LONG.includes(method);
}

export function bound(method: string, params: object, set: SidecarOptions["timeoutsMs"] = {}): number {
  const { deadlineMs } = params as { deadlineMs?: number | null };
  const given = (set as Record<string, number>)[method];
  if (given !== undefined) return given;
  if (!long(method)) return BOUNDS[method] ?? SHORT_MS;
  return typeof deadlineMs === "number" ? deadlineMs + AFTER_DEADLINE_MS : LONG_MS;
}
