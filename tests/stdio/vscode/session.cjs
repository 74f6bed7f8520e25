// A session as a stock vscode-jsonrpc client holds it. Usage: node session.cjs COMMAND...
// Spawns the command, and prints what it saw as one line of JSON.
const { spawn } = require("node:child_process");
const rpc = require("vscode-jsonrpc/node");

const TURNS = 12;
const TOKENS_A_TURN = 15_000;

async function main() {
  const child = spawn(process.argv[2], process.argv.slice(3), { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
  );
  const seen = { asked: [], sizes: [], errors: [] };
  let heard;
  const asked = new Promise((done) => (heard = done));
  connection.onRequest("requestCompaction", (params) => {
    seen.asked.push(params);
    heard();
    return { accepted: true };
  });
  connection.onError(([error]) => seen.errors.push(String(error)));
  connection.listen();

  const started = await connection.sendRequest("initialize", {
    protocolVersion: "1.0",
    clientInfo: { name: "stock" },
    capabilities: { requestCompaction: "whenIdle" },
    processId: process.pid,
  });
  seen.version = started.protocolVersion;
  await connection.sendNotification("initialized");
  const sessionId = "stock \u{1F989}";
  await connection.sendRequest("session_start", { sessionId, model: { id: "m", contextWindow: 200_000 } });
  const messages = [];
  for (let turn = 1; turn <= TURNS; turn++) {
    // cut in the middle of an owl, as a host does that truncates by length
    messages.push({ role: "user", content: "question " + turn + " \u{1F989}".slice(0, 2), timestamp: turn });
    const answer = await connection.sendRequest("context", { sessionId, messages, answer: "messages" });
    seen.sizes.push(answer.messages.length);
    seen.mended = answer.report.mended;
    const usage = { input: turn * TOKENS_A_TURN, output: 10, cacheRead: 0, cacheWrite: 0 };
    const message = { role: "assistant", content: [{ type: "text", text: "answer " + turn }], usage, stopReason: "stop" };
    messages.push(message);
    await connection.sendNotification("turn_end", { sessionId, message, usage, toolResults: [] });
  }
  await asked;
  const before = await connection.sendRequest("getStatus", { sessionId });
  seen.seq = before.seq;
  seen.latch = before.latch.state;
  const compactionEntry = { id: "e1", summary: "## Goal\nAnswer twelve questions." };
  await connection.sendNotification("session_compact", { sessionId, compactionEntry });
  const after = await connection.sendRequest("getStatus", { sessionId });
  seen.latchAfter = after.latch.state;
  seen.unknown = await connection.sendRequest("nope", {}).catch((error) => error.code);
  const source = new rpc.CancellationTokenSource();
  const long = [{ role: "user", content: "word ".repeat(400_000), timestamp: 1 }];
  const cancelled = connection.sendRequest("context", { sessionId, messages: long }, source.token);
  source.cancel();
  seen.cancelled = await cancelled.then(() => "answered", (error) => error.code);
  seen.shutdown = await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  seen.code = await ended;
  connection.dispose();
  console.log(JSON.stringify(seen));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
