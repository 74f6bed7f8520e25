// Processes that go: politely, by force, and with a host that just ends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { startSidecar } from "../src/index.ts";
import { MODEL, peer, Said, script } from "./children.ts";
import { StandingClock } from "./clock.ts";

const INDEX = new URL("../src/index.js", import.meta.url).href;

test("the end is polite, and the same however often it is asked for", async () => {
  const said = new Said();
  const sidecar = startSidecar({ command: peer(), onStderr: said.listen });
  for (const sessionId of ["one", "two"]) await sidecar.session({ sessionId, model: MODEL });
  const end = sidecar.dispose();
  assert.equal(sidecar.dispose(), end);
  await end;
  await said.until("exit", 1);
  const heard = said.messages.map(({ method, params }) => [method, params?.sessionId]);
  assert.deepEqual(heard.slice(-4), [
    ["session_shutdown", "one"],
    ["session_shutdown", "two"],
    ["shutdown", undefined],
    ["exit", undefined],
  ]);
});

test("who does not end is killed when its time is up, and open calls are settled", async () => {
  const clock = new StandingClock();
  const command = peer('for (const method of ["getStatus", "session_shutdown", "shutdown", "exit"]) delete answers[method]');
  const said = new Said();
  const sidecar = startSidecar({ command, clock, endMs: 700, onStderr: said.listen });
  const session = await sidecar.session({ sessionId: "s", model: MODEL });
  const open = assert.rejects(session.request("getStatus", {}), { kind: "exited" });
  await said.until("getStatus", 1);
  const end = sidecar.dispose();
  await clock.pass(700);
  await Promise.all([end, open]);
  assert.equal(sidecar.state, "disposed");
});

test("who is not there yet, or no more, ends as well", async () => {
  for (const command of [script("process.stdin.resume()"), script("process.exit(1)"), ["/nowhere/ctxmgr"]]) {
    const sidecar = startSidecar({ command, endMs: 100 });
    await sidecar.dispose();
    assert.equal(sidecar.state, "disposed");
  }
});

for (const [name, ending] of [
  ["comes to its end", ""],
  ["exits in the middle of a call", "void session.context([{ role: 'user', content: 'Fix it.' }]); process.exit(0)"],
] as const) {
  test(`a host that ${name} is not held up, and leaves no process behind`, async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // holds a connection as long as it lives, and would live for ever
    const stays = `
      const line = require("node:net").connect(${port}, "127.0.0.1");
      setInterval(() => undefined, 1000);
      answers.context = answers.exit = () => undefined;
      process.stdin.on("end", () => undefined);
      answers.session_start = (params, id) => void line.write("here", () => write({ id, result: { restored: false } }));`;
    const host = `
      import { startSidecar } from ${JSON.stringify(INDEX)};
      const sidecar = startSidecar({ command: ${JSON.stringify(peer(stays))} });
      const session = await sidecar.session({ sessionId: "s", model: { id: "m", contextWindow: 1000 } });
      console.error(sidecar.state);
      ${ending}`;
    const process_ = spawn(process.execPath, ["--input-type=module", "-e", host], { stdio: ["ignore", "pipe", "pipe"] });
    const [out, err]: string[][] = [[], []];
    process_.stdout.on("data", (bytes) => out!.push(String(bytes)));
    process_.stderr.on("data", (bytes) => err!.push(String(bytes)));
    const [line] = (await once(server, "connection")) as [Socket];
    line.resume().on("error", () => undefined); // killed, it may reset the connection
    const gone = once(line, "close");
    const [code] = await once(process_, "close");
    await gone;
    server.close();
    assert.deepEqual([code, out!.join(""), err!.join("")], [0, "", "ready\n"]);
  });
}
