// The life of the process: spawned, greeted, spawned again when it has ended, and let go.
//
// Rules:
// 1. A process that hangs (`life.ts`) is killed, and counts as ended.
// 2. What will not mend itself is not tried again: no such program, `initialize` refused.
// 3. A new process hears of all sessions before anything else; until then nothing is sent to it.

import { long, bound } from "./bounds.ts";
import { Child } from "./child.ts";
import { SidecarFault } from "./fault.ts";
import { answering, commandLine, compactionAnswer, greeting, guarded, hearing, reserve } from "./given.ts";
import type * as seen from "./interface.ts";
import { Life } from "./life.ts";
import { Restarts } from "./restarts.ts";
import { LiveSession, type Line } from "./session.ts";
import { Stretch } from "./stretch.ts";

const SESSION_MS = 5_000; // a person waits for it; a cold interpreter takes one or two
const END_MS = 3_000;
const PROBE_MS = 5_000;
const HANG_MS = 15_000; // without a sign of life after a late call: longer than a loaded machine makes one wait

const REAL: seen.Clock = {
  now: () => Date.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

export function startSidecar(options: seen.SidecarOptions = {}): seen.Sidecar {
  return new LiveSidecar(options);
}

class LiveSidecar implements seen.Sidecar, Line {
  state: seen.SidecarState = "starting";
  server: seen.Sidecar["server"];
  readonly #options: seen.SidecarOptions;
  readonly #clock: seen.Clock;
  readonly #stretch: Stretch;
  readonly #sessions = new Map<string, LiveSession<any>>();
  #restarts: Restarts;
  #takeBack: () => void = () => undefined; // of the restart that is waited for
  #child!: Child;
  #down: SidecarFault | undefined = new SidecarFault("starting", "ctxmgr is starting"); // why nothing can be sent
  #ready: Promise<void> = Promise.resolve();
  #life!: Life;
  #disposed: Promise<void> | undefined;

  constructor(options: seen.SidecarOptions) {
    this.#options = options;
    this.#clock = options.clock ?? REAL;
    this.#restarts = new Restarts(options.restart);
    const begins = (fault: SidecarFault): void => guarded(() => options.onFault?.(fault));
    this.#stretch = new Stretch(begins, () => guarded(() => options.onRecovery?.()));
    this.#start();
  }

  get lastFault(): seen.Fault | undefined {
    return this.#stretch.last;
  }

  // the process

  #start(): void {
    const { cwd, env, onStderr, hangMs = HANG_MS } = this.#options;
    const life = new Life(this.#clock, hangMs, (fault) => child.kill(fault));
    const child = new Child({
      command: commandLine(this.#options),
      cwd,
      env,
      clock: this.#clock,
      answering: answering(this.#options),
      hearing: hearing(this.#options),
      onStderr: (text) => guarded(() => onStderr?.(text)),
      onSign: () => life.sign(),
    });
    this.state = "starting";
    this.#life = life;
    this.#child = child;
    this.#ready = this.#greet(child);
    void child.ended.then((fault) => {
      life.sign(); // nothing is waited for any more
      this.#ended(fault);
    });
  }

  async #greet(child: Child): Promise<void> {
    try {
      const answer: any = await child.call("initialize", greeting(this.#options), {
        timeoutMs: this.bound("initialize"),
      });
      if (typeof answer?.protocolVersion !== "string") {
        throw new SidecarFault("garbage", "the answer to initialize is invalid", "initialize");
      }
      this.server = answer;
    } catch (fault) {
      child.kill(fault as SidecarFault);
      await child.ended;
      return;
    }
    if (this.#disposed) return;
    child.notify("initialized");
    this.state = "ready";
    this.#down = undefined;
    await Promise.all([...this.#sessions.values()].map((session) => this.#begin(session)));
  }

  #ended(fault: SidecarFault): void {
    for (const session of this.#sessions.values()) session.lost();
    if (this.#disposed) return;
    this.#down = fault;
    this.note(fault);
    const lasting = fault.kind === "missing" || (fault.method === "initialize" && fault.kind === "error");
    const delay = lasting ? undefined : this.#restarts.delay(this.#clock.now());
    this.state = delay === undefined ? "failed" : "waiting";
    if (delay !== undefined) {
      this.#takeBack = this.#clock.after(delay, () => this.#start());
    } else if (!lasting) {
      this.#down = new SidecarFault("gaveUp", `ctxmgr ended too often; the last time: ${fault.message}`);
      this.note(this.#down);
    }
  }

  restart(): void {
    if (this.state !== "failed") return;
    this.#restarts = new Restarts(this.#options.restart);
    this.#start();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    const running = this.state === "ready" || this.state === "starting";
    this.state = "disposed";
    this.#takeBack();
    this.#down = new SidecarFault("disposed", "the sidecar was disposed");
    if (!running) return;
    const timeoutMs = this.#options.endMs ?? END_MS;
    const takeBack = this.#clock.after(timeoutMs, () => child.kill());
    child.leave();
    const ends = [...this.#sessions.keys()].map((sessionId) =>
      child.call("session_shutdown", { sessionId }, { timeoutMs }),
    );
    await Promise.allSettled([...ends, child.call("shutdown", {}, { timeoutMs })]);
    child.notify("exit");
    await child.ended;
    takeBack();
  }

  // sessions

  async session<M extends object = object>(options: seen.SessionOptions): Promise<seen.Session<M>> {
    const session: LiveSession<M> = this.#sessions.get(options.sessionId) ?? new LiveSession<M>(this, options);
    this.#sessions.set(options.sessionId, session);
    await this.#atMost(this.#options.sessionMs ?? SESSION_MS, this.#told(session));
    return session;
  }

  /** Once ctxmgr has heard of it, or cannot. A process that is being greeted hears of all sessions then. */
  async #told(session: LiveSession<any>): Promise<void> {
    const greeted = this.state !== "starting";
    await this.#ready;
    if (greeted) await this.#begin(session);
  }

  /** What is not done by then goes on. */
  #atMost(milliseconds: number, doing: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const takeBack = this.#clock.after(milliseconds, resolve);
      void doing.then(() => {
        takeBack();
        resolve();
      });
    });
  }

  #begin(session: LiveSession<any>): Promise<void> {
    return session.start().catch((fault: SidecarFault) => this.note(fault, session.sessionId));
  }

  forget(session: LiveSession<any>): void {
    this.#sessions.delete(session.sessionId);
    this.#stretch.forget(session.sessionId);
  }

  // calls

  async request<K extends seen.Asked>(
    method: K,
    params: seen.Params<K>,
    options?: seen.RequestOptions,
  ): Promise<seen.Result<K>> {
    await this.#ready;
    const answer = await this.call(method, params as object, options);
    this.works(method);
    return answer as seen.Result<K>;
  }

  async call(method: string, params: object, options: seen.RequestOptions = {}): Promise<unknown> {
    if (this.#down) throw this.#down;
    const [child, life] = [this.#child, this.#life];
    if (method === "context" || long(method)) this.trusts(method);
    const timeoutMs = options.timeoutMs ?? bound(method, params, this.#options.timeoutsMs);
    try {
      const answer = await child.call(method, params, { ...options, timeoutMs });
      life.answered();
      return answer;
    } catch (thrown) {
      const fault = thrown as SidecarFault;
      if (fault.kind === "error") life.answered();
      if (fault.kind === "timeout" && !long(method)) life.late(fault);
      throw fault;
    }
  }

  async tell(method: seen.MethodName, params: object): Promise<unknown> {
    if (this.#down) throw this.#down;
    const [child, life] = [this.#child, this.#life];
    const answer = await child.call(method, params, {});
    life.answered();
    return answer;
  }

  trusts(method: string): void {
    if (!this.#life.doubted) return;
    throw new SidecarFault("timeout", "the process has not answered since a late call", method);
  }

  late = (fault: SidecarFault): void => this.#life.late(fault);
  wait = (): (() => void) => this.#child.wait();
  after = (milliseconds: number, run: () => void): (() => void) => this.#clock.after(milliseconds, run);
  now = (): number => this.#clock.now();
  get probeMs(): number {
    return this.#options.probeMs ?? PROBE_MS;
  }

  reserve = (modelId: string): number => reserve(this.#options, modelId);
  bound = (method: string): number => bound(method, {}, this.#options.timeoutsMs);
  works = (method: string, sessionId?: string): void => this.#stretch.works(method, sessionId);
  whenReady = (): Promise<void> => this.#ready;
  requested: Line["requested"] = (params) => compactionAnswer(this.#options, params);

  note(fault: SidecarFault, sessionId?: string): void {
    if (fault.kind !== "disposed") this.#stretch.note(fault, sessionId);
  }
}
