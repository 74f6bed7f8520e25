/**
 * Turns pi's two settings files into what this extension goes by.
 *
 * 1. The project's file stands over the global one, object by object, as pi merges them. A project that the user
 *    does not trust has no say (pi 0.79.1 and later tell).
 * 2. What names a program to run or a place to write (`command`, `stateDir`), or gives the model tools (`modelTools`), is
 *    read from the global file alone: a checkout must not be able to start something.
 * 3. A file that is missing or broken counts as empty: pi itself says so where it matters.
 * 4. pi takes any number for its own settings, ctxmgr whole ones alone: they are rounded, for they are no fault.
 */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { commandWords } from "../../typescript/src/index.ts";
import type { protocol } from "../../typescript/src/index.ts";
import type { Json, Model } from "./pi.ts";

const RESERVE_TOKENS = 16_384; // pi's default `compaction.reserveTokens`
const KEEP_RECENT_TOKENS = 20_000; // pi's default `compaction.keepRecentTokens`
const OWN_KEYS = new Set(["enabled", "command", "stateDir", "compaction", "modelTools"]);

/** What pi asks providers' caches for (`PI_CACHE_RETENTION`), and whether it keeps them warm while nothing runs. */
export interface Caching {
  retention: "short" | "long";
  idle: boolean;
}

export interface Settings {
  /** `contextPruning.enabled`; undefined where no file says it. */
  pruning: boolean | undefined;
  /** Program and first arguments; undefined leaves it to the client: $CTXMGR_COMMAND, else `ctxmgr` on the path. */
  command: string[] | undefined;
  stateDir: string | undefined;
  /** Whether the model gets tools of ctxmgr's. */
  modelTools: boolean;
  /** Keys of `contextPruning` that say nothing that can be followed. */
  passedOver: string[];
  /** The policy for `initialize`: pi's own numbers, and what `contextPruning` says. */
  policy: protocol.PolicyKeys;
  /** pi's own numbers alone. */
  bare: protocol.PolicyKeys;
  /** Who writes compactions. */
  by: "host" | "ctxmgr";
  /** pi's own compaction: whether it is on, and the tokens it keeps free. */
  compaction: { enabled: boolean; reserveTokens: number };
  caching: Caching;
}

/** Reads both files anew. `env` as process.env; `trusted`: whether the project's file counts. */
export function read(cwd: string, trusted: boolean, env: NodeJS.ProcessEnv, model?: Model): Settings {
  const global = file(join(agentDir(env), "settings.json"));
  const project = trusted ? file(join(cwd, ".pi", "settings.json")) : {};
  return made(global, project, model, env);
}

export function made(global: Json, project: Json, model?: Model, env: NodeJS.ProcessEnv = {}): Settings {
  const all = merged(global, project);
  const ours = object(all["contextPruning"]);
  const personal = object(global["contextPruning"]);
  const compaction = { ...object(all["compaction"]), ...override(object(all["compaction"]), model) };
  const reserveTokens = count(compaction["reserveTokens"], RESERVE_TOKENS);
  const enabled = compaction["enabled"] !== false;
  const own: protocol.CompactionPolicyKeys = {
    enabled,
    reserveTokens,
    keepRecentTokens: count(compaction["keepRecentTokens"], KEEP_RECENT_TOKENS),
    branchReserveTokens: count(object(all["branchSummary"])["reserveTokens"], RESERVE_TOKENS),
    weigher: "chars4", // pi cuts by characters / 4: the same numbers mean the same place
  };
  const writing: protocol.CompactionPolicyKeys = { ...own, ...spelledOut(ours["compaction"]) };
  const command = words(personal["command"]);
  const keys = Object.entries(ours).filter(([name]) => !OWN_KEYS.has(name));
  return {
    pruning: typeof ours["enabled"] === "boolean" ? ours["enabled"] : undefined,
    command,
    stateDir: text(personal["stateDir"]),
    modelTools: personal["modelTools"] === true,
    passedOver: command === undefined && (personal["command"] ?? null) !== null ? ["command"] : [],
    policy: { hostReserve: reserveTokens, ...Object.fromEntries(keys), compaction: writing },
    bare: { hostReserve: reserveTokens, compaction: own },
    by: writing.by === "ctxmgr" ? "ctxmgr" : "host",
    compaction: { enabled, reserveTokens },
    caching: {
      retention: env["PI_CACHE_RETENTION"] === "long" ? "long" : "short",
      idle: global["cacheWarming"] === "idle", // pi reads it of the user's own file alone, for it costs money
    },
  };
}

function agentDir(env: NodeJS.ProcessEnv): string {
  const given = text(env["PI_CODING_AGENT_DIR"]);
  if (given === undefined) return join(homedir(), ".pi", "agent");
  return given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given;
}

function file(path: string): Json {
  try {
    return object(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {}; // rule 3
  }
}

function merged(below: Json, above: Json): Json {
  const out: Json = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = out[name];
    out[name] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return out;
}

/** `compaction.modelOverrides["provider/id"]`, which newer versions of pi look up. */
function override(compaction: Json, model?: Model): Json {
  if (model === undefined) return {};
  return object(object(compaction["modelOverrides"])[`${model.provider ?? ""}/${model.id}`]);
}

function spelledOut(given: unknown): Json {
  return typeof given === "string" ? { by: given } : object(given);
}

/** A list of words, or one text in the spelling of $CTXMGR_COMMAND. */
function words(given: unknown): string[] | undefined {
  if (typeof given === "string") return commandWords(given);
  return Array.isArray(given) ? commandWords(JSON.stringify(given)) : undefined;
}

function text(given: unknown): string | undefined {
  return typeof given === "string" && given !== "" ? given : undefined;
}

function count(given: unknown, otherwise: number): number {
  const whole = typeof given === "number" && given >= 0 ? Math.round(given) : Number.NaN;
  return Number.isSafeInteger(whole) ? whole : otherwise; // rule 4
}

function isObject(given: unknown): given is Json {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

function object(given: unknown): Json {
  return isObject(given) ? given : {};
}
