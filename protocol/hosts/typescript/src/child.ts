// One process and the connection to it: calls with a bound, and one end for all of them.
//
// Rules:
// 1. Every call settles: with the answer, or a `SidecarFault`. vscode-jsonrpc leaves a call open for good when the
//    process dies, so they are settled here.
// 2. Nothing thrown or emitted escapes into the host: a stream without an error listener ends its process.
// 3. The host's process may end whenever it likes: nothing here keeps it alive but a call that it waits for.
// 4. A fault of the process names the program, how it ended (exit code or signal) and the last line of its stderr.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  ProgressType,
  StreamMessageReader,
  StreamMessageWriter,
  type CancellationToken,
  type MessageConnection,
  type ResponseError,
} from "vscode-jsonrpc/node";
import { environment } from "./environment.ts";
import { SidecarFault } from "./fault.ts";
import type { Clock, Params, RequestOptions } from "./interface.ts";

/** Answers a request of ctxmgr. */
export type Answering = (params: any, signal: AbortSignal) => unknown;

export interface ChildOptions {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly answering: ReadonlyMap<string, Answering>;
  readonly hearing: ReadonlyMap<string, (params: Params<"telemetry/event">) => void>;
  readonly onStderr: (text: string) => void;
  /** The process wrote to its output. */
  readonly onSign: () => void;
}

/** Without `timeoutMs` there may be an answer as long as the process lives, and the host does not wait for it. */
export type CallOptions = RequestOptions;

const PROGRESS = new ProgressType<Params<"$/progress">["value"]>();
const C = "C".charCodeAt(0); // both headers of the protocol start with it
const LAST_LINE_CHARACTERS = 200;
const TURNS = 50; // of the event loop that stderr's end is waited for: what was written is there, the rest is the pipe's

export class Child {
  /** Why it ended. Never rejects. */
  readonly ended: Promise<SidecarFault>;
  readonly #clock: Clock;
  readonly #process: ChildProcessWithoutNullStreams | undefined;
  readonly #connection: MessageConnection | undefined;
  readonly #open = new Set<(fault: SidecarFault) => void>();
  #waits = 0; // of the host
  readonly #kill = () => void this.#process?.kill("SIGKILL");
  #end: (fault: SidecarFault) => void = () => undefined;
  #fault: SidecarFault | undefined;
  #why: SidecarFault | undefined;
  #leaving = false;
  #tokens = 0;
  #line = ""; // the beginning of the newest line on stderr
  #lastLine = ""; // of the newest that is not blank

  constructor(options: ChildOptions) {
    this.#clock = options.clock;
    this.ended = new Promise((resolve) => {
      this.#end = (fault) => {
        if (this.#fault) return;
        this.#fault = this.#why ?? fault;
        process.removeListener("exit", this.#kill);
        this.#connection?.dispose();
        for (const fail of [...this.#open]) fail(this.#fault);
        resolve(this.#fault);
      };
    });
    const [program = "", ...args] = options.command;
    try {
      const { cwd } = options;
      const env = environment(options.env ?? process.env, cwd ?? ".");
      this.#process = spawn(program, args, { cwd, env, stdio: "pipe", windowsHide: true });
      this.#connection = this.#connect(this.#process, options);
    } catch (error) {
      this.#end(missing(program, options.cwd, error));
    }
  }

  #connect(child: ChildProcessWithoutNullStreams, options: ChildOptions): MessageConnection {
    process.once("exit", this.#kill);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
    child.on("error", (error) => {
      if (child.pid === undefined) this.#end(missing(options.command[0] ?? "", options.cwd, error));
    });
    let closed = false;
    child.on("exit", async (code, signal) => {
      for (let turn = 0; turn < TURNS && !child.stderr.readableEnded; turn++) await new Promise(setImmediate);
      const how = closed && signal ? "closed its output" : left(code, signal);
      this.#end(new SidecarFault("exited", `${options.command[0]} ${how}${cause(this.#lastLine)}`));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#listen(text);
      options.onStderr(text);
    });
    child.stdout.once("data", (bytes: Buffer) => {
      if (bytes[0] !== C) this.kill(new SidecarFault("garbage", "the process wrote something that is not the protocol"));
    });
    child.stdout.on("data", options.onSign);
    const reader = new StreamMessageReader(child.stdout);
    reader.onError(() => this.kill(new SidecarFault("garbage", "the process wrote something that cannot be read")));
    const connection = createMessageConnection(reader, new StreamMessageWriter(child.stdin));
    connection.onClose(() => {
      closed = !this.#leaving;
      if (closed) this.kill();
    });
    for (const [method, answer] of options.answering) {
      connection.onRequest(method, (params, token: CancellationToken) => answer(params, aborting(token)));
    }
    for (const [method, hear] of options.hearing) connection.onNotification(method, hear);
    connection.listen();
    this.#hold(false);
    return connection;
  }

  #listen(text: string): void {
    for (const [at, piece] of text.split("\n").entries()) {
      if (at > 0) this.#line = "";
      if (this.#line.length >= LAST_LINE_CHARACTERS) continue;
      this.#line = (this.#line + piece.slice(0, LAST_LINE_CHARACTERS)).trimStart().slice(0, LAST_LINE_CHARACTERS);
      this.#lastLine = this.#line || this.#lastLine;
    }
  }

  call(method: string, params: object | undefined, options: CallOptions): Promise<unknown> {
    const { signal, onProgress, timeoutMs } = options;
    return new Promise((resolve, reject) => {
      const connection = this.#connection;
      if (this.#fault || !connection) return reject(this.#fault);
      if (signal?.aborted) return reject(cancelled(method));
      const cancel = new CancellationTokenSource();
      const token = onProgress && `progress-${++this.#tokens}`;
      const progress = onProgress && connection.onProgress(PROGRESS, token!, onProgress);
      const settle = (): boolean => {
        if (!this.#open.delete(fail)) return false;
        takeBack?.();
        release?.();
        signal?.removeEventListener("abort", abort);
        progress?.dispose();
        return true;
      };
      const fail = (fault: SidecarFault): void => {
        if (!settle()) return;
        if (!this.#fault && !this.#leaving) cancel.cancel();
        reject(fault);
      };
      const abort = (): void => fail(cancelled(method));
      const late = `no answer to ${method} within ${timeoutMs} ms`;
      const bound = (ms: number) => this.#clock.after(ms, () => fail(new SidecarFault("timeout", late, method)));
      const takeBack = timeoutMs === undefined ? undefined : bound(timeoutMs);
      const release = timeoutMs === undefined ? undefined : this.wait();
      signal?.addEventListener("abort", abort);
      this.#open.add(fail);
      const sent = token ? { ...params, progressToken: token } : params;
      const ask = async (): Promise<unknown> => connection.sendRequest(method, sent, cancel.token);
      ask().then(
        (result) => settle() && resolve(result),
        (error: unknown) => {
          if (!this.#broken && settle()) reject(refused(method, error));
        },
      );
    });
  }

  /** The host waits for the process, until it calls what it is given. */
  wait(): () => void {
    if (this.#waits++ === 0) this.#hold(true);
    return () => {
      if (--this.#waits === 0) this.#hold(false);
    };
  }

  /** Nothing can be written any more: the end is near, and tells more than the write that failed. */
  get #broken(): boolean {
    return this.#process?.stdin.writable === false;
  }

  notify(method: string): void {
    const tell = async (): Promise<void> => this.#connection?.sendNotification(method);
    if (!this.#fault) tell().catch(() => undefined);
  }

  /** From now on the process may close its pipes, and is waited for. */
  leave(): void {
    this.#leaving = true;
    this.#hold(true);
  }

  /** Its end is waited for; `ended` tells `why`. */
  kill(why?: SidecarFault): void {
    this.#why ??= why;
    this.leave();
    this.#kill();
  }

  /** Whether the process keeps the host's alive. */
  #hold(held: boolean): void {
    if (!this.#process || this.#fault) return;
    const { stdin, stdout, stderr } = this.#process;
    for (const one of [this.#process, stdin, stdout, stderr] as unknown as NodeJS.Timeout[]) {
      if (held || this.#leaving) one.ref();
      else one.unref();
    }
  }
}

function missing(program: string, cwd: string | undefined, error: unknown): SidecarFault {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown fault";
  // spawn says ENOENT of the folder, too
  const why = code !== "ENOENT" ? "" : cwd === undefined || existsSync(cwd) ? "no such program, " : `no folder ${cwd}, `;
  return new SidecarFault("missing", `${program} cannot be started: ${why}${code}`);
}

function left(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `was killed by ${signal}` : `exited with code ${code}`;
}

/** ": ..." with the beginning of the last line. "" where there is none, and for JSON: it is no cause but data, which may
 *  be conversation. */
function cause(line: string): string {
  return /^$|^[{[]/.test(line) ? "" : `: ${line.trimEnd()}`;
}

function cancelled(method: string): SidecarFault {
  return new SidecarFault("cancelled", `${method} was cancelled`, method);
}

function refused(method: string, error: unknown): SidecarFault {
  const { code, message } = error as ResponseError<unknown>;
  if (code === ErrorCodes.MessageWriteError) return new SidecarFault("error", `${method} cannot be sent`, method);
  return new SidecarFault("error", `${method}: ${message}`, method, code);
}

function aborting(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
