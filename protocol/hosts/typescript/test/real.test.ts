// With the real sidecar: what travels, what comes back, and what it asks.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Params, Result, Sidecar, SidecarOptions } from "../src/index.ts";
import { asGiven, MODEL, REAL, using } from "./children.ts";
import { StandingClock } from "./clock.ts";

type Message = { role: string; [member: string]: unknown };

const PATIENT = { initialize: 30_000, session_start: 30_000, context: 30_000, turn_end: 30_000, compact: 30_000 };
// known packets, whatever the default is, and little is promised
const POLICY = { preset: "turns" as const, tokenizer: "estimate" as const, workingSet: { results: 0, tokens: 0 } };

/** `body` with the real sidecar on a state directory of its own. `heard` are the host's lines, after the end. */
async function real(options: SidecarOptions, body: (sidecar: Sidecar, directory: string) => Promise<void>): Promise<any[]> {
  const directory = mkdtempSync(join(tmpdir(), "ctxmgr-client-"));
  const record = join(directory, "record.jsonl");
  try {
    const args = ["--record", record];
    const all = { command: REAL, stateDir: directory, args, policy: POLICY, timeoutsMs: PATIENT, sessionMs: 60_000, endMs: 20_000 };
    await using({ ...all, ...options }, (sidecar) => body(sidecar, directory));
    const lines = readFileSync(record, "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line)).flatMap(({ from, message }) => (from === "host" ? [message] : []));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** One turn: a question, a call, its result, an answer. */
function turn(number: number, characters = 20): Message[] {
  const call = { type: "toolCall", id: `c${number}`, name: "read", arguments: { path: "a.py" } };
  const result = { role: "toolResult", toolCallId: `c${number}`, toolName: "read", isError: false };
  return [
    { role: "user", content: `question ${number}`, timestamp: number },
    { role: "assistant", content: [call], stopReason: "toolUse", timestamp: number },
    { ...result, content: [{ type: "text", text: "x".repeat(characters) }], timestamp: number },
    { role: "assistant", content: [{ type: "text", text: `answer ${number}` }], stopReason: "stop", timestamp: number },
  ];
}

const shapes = (heard: any[]): unknown[] =>
  heard
    .filter(({ method }) => method === "context")
    .map(({ params }) => (params.append ? [params.append.after, params.append.messages.length] : params.messages.length));

test("only what is new travels, and what is kept is what was given", async () => {
  const heard = await real({}, async (sidecar) => {
    const session = await sidecar.session<Message>({ sessionId: "s", model: MODEL });
    assert.deepEqual([sidecar.state, session.restored], ["ready", false]);
    const list: Message[] = [];
    for (let number = 1; number <= 9; number++) {
      list.push(turn(number, 400)[0]!);
      const made = await session.context(list);
      if (number <= 6) asGiven(made, list); // all six turns of the green zone
      else assert.equal(made[0]!.customType, "ctxmgr.packet");
      if (number > 6) assert.ok(made.slice(1).every((message) => list.includes(message)));
      assert.equal(made.at(-1), list.at(-1));
      assert.equal(session.lastReport?.turnsDropped, Math.max(0, number - 6));
      list.push(...turn(number, 400).slice(1));
      await session.turnEnd({ message: list.at(-1)!, usage: { input: 2_000, output: 10 } });
    }
    assert.equal(session.lastStatus?.seq, 9);
    assert.equal(sidecar.lastFault, undefined);
  });
  assert.deepEqual(shapes(heard), [1, ...[1, 5, 9, 13, 17, 21, 25, 29].map((after) => [after, 4])]);
});

test("a host that copies its list, or changes it, is understood", async () => {
  const heard = await real({}, async (sidecar) => {
    const session = await sidecar.session<Message>({ sessionId: "s", model: MODEL });
    const list = [1, 2, 3, 4, 5, 6, 7].flatMap((number) => turn(number));
    await session.context(structuredClone(list));
    const copy = structuredClone([...list, ...turn(8)]);
    const made = await session.context(copy);
    assert.ok(made.slice(1).every((message) => copy.includes(message)));
    copy[30]!.content = [{ type: "text", text: "pruned" }]; // changed in place
    await session.context(copy);
    await session.context(copy.slice(4)); // a message less than before
    await sidecar.request("session_tree", { sessionId: "s", newLeafId: "e1", oldLeafId: "e2" }); // voids the base unseen
    await session.context([...copy.slice(4), ...turn(9)]);
    await session.sessionCompact({ compactionEntry: { summary: "## Goal\nAnswer." } });
    await session.context(copy.slice(4));
    assert.equal(sidecar.lastFault, undefined);
  });
  assert.deepEqual(shapes(heard), [28, [28, 4], 32, 28, [28, 4], 32, 28]);
});

test("a command in an answer is carried out as the request is, and a refusal is told", async () => {
  const asked: Params<"requestCompaction">[] = [];
  const onRequestCompaction = (params: Params<"requestCompaction">): { accepted: boolean } => {
    asked.push(params);
    return { accepted: params.sessionId === "willing" };
  };
  await real({ onRequestCompaction, deliver: "midRun" }, async (sidecar) => {
    for (const sessionId of ["willing", "busy"]) {
      const session = await sidecar.session<Message>({ sessionId, model: MODEL });
      const answer = await session.turnEnd({ message: turn(1)[3]!, usage: { input: 190_000, output: 10 } });
      assert.deepEqual(answer?.commands, []); // the callback has it
    }
    assert.deepEqual(
      asked.map(({ sessionId, reason, deliver }) => [sessionId, reason, deliver]),
      [
        ["willing", "threshold", "now"],
        ["busy", "threshold", "now"],
      ],
    );
    const busy = await sidecar.session({ sessionId: "busy", model: MODEL });
    while ((await busy.status())?.latch.state !== "cooldown"); // the refusal follows by itself
    const willing = await sidecar.session({ sessionId: "willing", model: MODEL });
    assert.equal((await willing.status())?.latch.state, "asked");
  });
});

const entries = [1, 2, 3, 4, 5, 6].flatMap((number) =>
  turn(number, 400).map((message, at) => ({
    type: "message",
    id: `e${number}-${at}`,
    parentId: at > 0 ? `e${number}-${at - 1}` : number > 1 ? `e${number - 1}-3` : null,
    timestamp: number,
    message,
  })),
);
const WRITTEN: Record<string, string> = {
  history: "## Goal\nAnswer six questions.\n\n## Progress\n### Done\n- [x] Four of them\n\n## Next Steps\n1. Go on",
  "turn-prefix":
    "## Original Request\nquestion 5\n\n## Progress So Far\n- Read a.py\n\n## Context Needed to Continue\n- (none)",
};
const COMPACTING = { ...POLICY, compaction: { by: "ctxmgr" as const, keepRecentTokens: 200, reserveTokens: 4_000 } };

test("a compaction by the host's model, and how far it is", async () => {
  const purposes: string[] = [];
  const kinds: string[] = [];
  const onComplete = async ({ purpose }: Params<"complete">): Promise<{ text: string; stopReason: "stop" }> => {
    purposes.push(purpose);
    return { text: WRITTEN[purpose] ?? "", stopReason: "stop" };
  };
  await real({ onComplete, policy: COMPACTING }, async (sidecar) => {
    const session = await sidecar.session({ sessionId: "s", model: MODEL });
    const onProgress = ({ kind }: { kind: string }): void => void kinds.push(kind);
    const { compaction } = await session.request("compact", { entries }, { onProgress });
    assert.match(compaction.summary, /Answer six questions/);
    assert.ok(purposes.includes("history"));
    assert.deepEqual([kinds[0], kinds.at(-1)], ["begin", "end"]);
    const preparation = { firstKeptEntryId: "e6-0", messagesToSummarize: [] };
    const before = await session.beforeCompact({ preparation, branchEntries: entries });
    assert.match(before?.compaction?.summary ?? "", /Answer six questions/);
    assert.equal(sidecar.lastFault, undefined);
  });
});

test("a summary at the end of the host's own list", async () => {
  const asked: string[] = [];
  const onComplete = async (): Promise<never> => assert.fail("a copy was asked for");
  const onCompleteOnContext = async ({ instruction, prompt, purpose }: Params<"complete">): Promise<Result<"complete">> => {
    asked.push(instruction ?? "none");
    assert.equal(prompt, "");
    return { text: WRITTEN[purpose] ?? "", stopReason: "stop" };
  };
  await real({ onComplete, onCompleteOnContext, policy: COMPACTING }, async (sidecar) => {
    const session = await sidecar.session<Message>({ sessionId: "s", model: MODEL });
    const talk = [1, 2, 3, 4, 5, 6].flatMap((number): Message[] => [
      { role: "user", content: `Tell me of part ${number}. `.repeat(200), timestamp: number },
      { role: "assistant", content: [{ type: "text", text: `Part ${number} is this. `.repeat(200) }], stopReason: "stop", timestamp: number },
    ]);
    const tree = talk.map((message, at) => ({ type: "message", id: `e${at}`, parentId: at > 0 ? `e${at - 1}` : null, message }));
    await session.context(talk);
    const { compaction } = await session.request("compact", { entries: tree });
    assert.match(compaction.summary, /Answer six questions/);
    assert.equal(asked.length, 1);
    assert.match(asked[0]!, /## Next Steps/);
    assert.equal(sidecar.lastFault, undefined);
  });
});

test("a compaction that the host gives up is cancelled, and its model call too", async () => {
  let given = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (given = resolve));
  const giveUp = new AbortController();
  const onComplete = (_: unknown, signal: AbortSignal): Promise<never> => {
    signal.addEventListener("abort", given);
    giveUp.abort();
    return new Promise(() => undefined);
  };
  await real({ onComplete, policy: COMPACTING }, async (sidecar) => {
    const session = await sidecar.session({ sessionId: "s", model: MODEL });
    const options = { signal: giveUp.signal };
    await assert.rejects(session.request("compact", { entries }, options), { kind: "cancelled" });
    await session.status(); // keeps us alive until ctxmgr has heard of it
    await stopped;
    const preparation = { firstKeptEntryId: "e6-0", messagesToSummarize: [] };
    assert.equal(await session.beforeCompact({ preparation, branchEntries: entries }, options), undefined);
    assert.equal(sidecar.lastFault, undefined);
  });
});

test("killed, it comes back with what it knew", { skip: process.platform === "win32" }, async () => {
  const clock = new StandingClock();
  await real({}, async (_, directory) => {
    const pid = join(directory, "pid");
    const command = ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', pid, ...REAL];
    const options = { command, stateDir: join(directory, "killed"), policy: POLICY, clock };
    await using(options, async (sidecar) => {
      const session = await sidecar.session<Message>({ sessionId: "s", model: MODEL });
      const list = [1, 2, 3, 4, 5, 6, 7].flatMap((number) => turn(number));
      const made = await session.context(list);
      process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
      while (sidecar.state === "ready") await session.status();
      const longer = [...list, turn(8)[0]!];
      assert.deepEqual(await session.context(longer), [...made, longer.at(-1)]);
      await clock.pass(250);
      await sidecar.session({ sessionId: "s", model: MODEL });
      assert.deepEqual([sidecar.state, session.restored], ["ready", true]);
      const again = await session.context(longer);
      assert.equal(again[0]!.customType, "ctxmgr.packet");
      assert.equal(again.at(-1), longer.at(-1));
      assert.equal(sidecar.lastFault, undefined);
    });
  });
});

test("a long run is held flat by epochs, and between two of them a list only grows", async () => {
  const workingSet = { results: 2, tokens: 1_000 };
  const policy = { tokenizer: "estimate" as const, hostReserve: 1_000, keep: "lean" as const, workingSet }; // the default preset
  const heard = await real({ policy }, async (sidecar) => {
    const session = await sidecar.session<Message>({ sessionId: "s", model: { ...MODEL, contextWindow: 16_000 } });
    assert.equal(sidecar.server?.policy.preset, "balanced");
    const list: Message[] = [turn(0)[0]!];
    let before: Message[] = [];
    const epochs: number[] = [];
    for (let number = 1; number <= 60; number++) {
      const [, call, result] = turn(number, 1_600) as [Message, Message, Message];
      list.push(call, result);
      const made = [...(await session.context(list))];
      const { epoch, firstChangedIndex, tokens } = session.lastReport!;
      const same = firstChangedIndex < 0 ? before.length : firstChangedIndex;
      assert.deepEqual(made.slice(0, same), before.slice(0, same));
      if (firstChangedIndex < 0) assert.deepEqual(made.slice(same), list.slice(number === 1 ? 0 : -2));
      else epochs.push(epoch);
      assert.deepEqual(made.slice(-2), [call, result]);
      assert.ok(tokens < 9_000, `${tokens} tokens at step ${number}`);
      before = made;
    }
    assert.ok(epochs.length >= 2 && epochs.length <= 15, `epochs ${epochs}`);
    assert.deepEqual(epochs, epochs.map((_, at) => at + 1)); // a list changes with an epoch, and with nothing else
    const { epochs: receipts } = await session.request("explain", {});
    assert.deepEqual(receipts.map(({ epoch }) => epoch), epochs);
    assert.equal(sidecar.lastFault, undefined);
  });
  assert.deepEqual(shapes(heard).slice(0, 3), [3, [3, 2], [5, 2]]);
});

test("what the host's own tools do is told for all sessions, and for one beside", async () => {
  const tools = [{ name: "load", reads: "doc" }];
  const more = [{ name: "store", writes: "doc" }];
  const heard = await real({ tools }, async (sidecar) => {
    const session = await sidecar.session({ sessionId: "s", model: MODEL, tools: more });
    assert.deepEqual([session.restored, sidecar.lastFault], [false, undefined]);
    await sidecar.session({ sessionId: "wrong", model: MODEL, tools: [{ name: "store", writes: 3 as any }] });
    assert.deepEqual([sidecar.lastFault?.kind, sidecar.lastFault?.method], ["error", "session_start"]);
  });
  const told = (method: string): unknown => heard.find((message) => message.method === method).params.tools;
  assert.deepEqual([told("initialize"), told("session_start")], [tools, more]);
});

test("any method can be asked for by name", async () => {
  await real({}, async (sidecar) => {
    const { methods } = (await sidecar.request("rpc.discover", {})) as { methods: { name: string }[] };
    assert.ok(methods.some(({ name }) => name === "context"));
    assert.equal(sidecar.server?.serverInfo.name, "ctxmgr");
    const session = await sidecar.session({ sessionId: "s", model: MODEL });
    assert.equal((await session.request("getPolicy", {})).policy.preset, sidecar.server?.policy.preset);
    const wrong = { name: "SidecarFault", kind: "error", code: -32602, method: "setPolicy" };
    await assert.rejects(session.request("setPolicy", { policy: { nonsense: 1 } as any }), wrong);
    await session.end();
    await assert.rejects(sidecar.request("getStatus", { sessionId: "s" }), { code: -32001 });
    assert.equal(sidecar.lastFault, undefined); // who asks by name is told by name
  });
});
