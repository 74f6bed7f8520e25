// A host in types: everything here compiles, but for the lines that are marked, and those must not.
import { ErrorCode, PROTOCOL_VERSION } from "./ctxmgr";
import type {
  Answered, Command, ContextResult, Edit, Methods, ParamsOf, PolicyKeys, RequestMessage, ResultOf, ToCtxmgr, ToHost,
} from "./ctxmgr";

declare function request<Name extends ToCtxmgr & Answered>(name: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>;
declare function notify<Name extends ToCtxmgr>(name: Name, params: ParamsOf<Name>): void;
declare function serve<Name extends ToHost>(
  name: Name, answer: (params: ParamsOf<Name>) => ResultOf<Name> | Promise<ResultOf<Name>>): void;

interface Mine { role: string; content: unknown; timestamp?: number }

export async function session(list: Mine[]): Promise<Mine[]> {
  const hello = await request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "host" },
    capabilities: { requestCompaction: "midRun", complete: true },
    policy: { preset: "turns", compaction: { by: "ctxmgr", strategy: "single-shot" }, packetTokens: 800 },
  });
  const kept: number = hello.policy.recentUserTurns.green;
  notify("initialized", {});
  const started = await request("session_start", { sessionId: "s", model: { id: "m", contextWindow: 200_000 }, cwd: null });
  const tokens: number | null = started.status.tokens;
  const answer = await request("context", { sessionId: "s", messages: list, answer: "edits", at: null });
  const end = await request("turn_end", { sessionId: "s", message: list[0], usage: { input: kept, output: tokens } });
  for (const command of end.commands) carryOut(command);
  notify("turn_end", { sessionId: "s", message: list[0] });
  const nothing: null = await request("shutdown", {});
  return nothing ?? apply(answer, list);
}

function apply(answer: ContextResult, list: Mine[]): Mine[] {
  if (answer.edits !== undefined) return answer.edits.flatMap((edit: Edit) =>
    "keep" in edit ? list.slice(edit.keep[0], edit.keep[1]) : [edit.put as Mine]);
  return (answer.messages as Mine[] | undefined) ?? list;
}

function carryOut(command: Command): void {
  const when: "now" | "whenIdle" = command.params.deliver;
  const ready: string | undefined = command.params.compaction?.summary;
  console_(command.method === "requestCompaction" ? when : ready);
}
declare function console_(said: string | undefined): void;

serve("requestCompaction", (params) => ({ accepted: params.zone !== "green" }));
serve("complete", async (params) => ({ text: params.prompt.slice(0, params.maxTokens), stopReason: "stop" }));
serve("embed", (params) => ({ vectors: params.texts.map(() => [0, 1]) }));
serve("$/progress", (params) => { console_(params.value.message); });

export const code: -32801 = ErrorCode.ContentModified;
export const kind: "event" = null as unknown as Methods["turn_end"]["kind"];
export const taken: PolicyKeys = { zones: { red: null }, models: { m: { compaction: "host" } } };
export const message: RequestMessage = { jsonrpc: "2.0", id: 1, method: "getStatus", params: { sessionId: "s" } };

// @ts-expect-error a session is named
request("getStatus", {});
// @ts-expect-error no such answer
request("context", { sessionId: "s", messages: [], answer: "list" });
// @ts-expect-error no such method
request("doMagic", {});
// @ts-expect-error a notification is not answered
request("exit", {});
// @ts-expect-error ctxmgr sends it
request("requestCompaction", {});
// @ts-expect-error the host sends it
serve("context", () => ({}));
// @ts-expect-error accepted has to be said
serve("requestCompaction", () => ({}));
// @ts-expect-error no such word
export const when: NonNullable<ParamsOf<"initialize">["capabilities"]> = { requestCompaction: "always" };
// @ts-expect-error no such key
export const strange: PolicyKeys = { colour: "red" };
// @ts-expect-error a window is a number
request("model_select", { sessionId: "s", model: { id: "m", contextWindow: "big" } });
// @ts-expect-error no such code
export const none = ErrorCode.Magic;
