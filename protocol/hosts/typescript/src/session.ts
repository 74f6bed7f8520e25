// One session: what the host calls, and what it gets when there is no answer.
//
// Rules:
// 1. After anything but a good answer, the next list travels whole: what ctxmgr holds is not known then.
// 2. A session that ctxmgr does not hold is started before the next call, within the bound of that call; where
//    another call does that already, it is not waited for, but by `request`: who asks by name wants the cause.
// 3. An event that is not answered is held, and told to the next process before anything else (`events.ts`).
// 4. What may take minutes is waited for while the process answers anything at all.

import { ErrorCode } from "../../../ctxmgr.ts";
import { long } from "./bounds.ts";
import { Events, type Event } from "./events.ts";
import { SidecarFault } from "./fault.ts";
import type { Asked, MethodName, Params, RequestOptions, Result, Session, SessionOptions } from "./interface.ts";
import { continues, projected, size, unaided, type Projection } from "./lists.ts";

/** What a session needs of the sidecar. */
export interface Line {
  now(): number;
  /** Tokens kept free for the reply, as ctxmgr does: at most a quarter of the window. */
  reserve(modelId: string): number;
  /** Milliseconds an answer may take. */
  bound(method: MethodName): number;
  /** Rejects at once while there is no process; rejects with `SidecarFault` alone. */
  call(method: MethodName, params: object, options?: RequestOptions): Promise<any>;
  /** As `call`, without a bound and a word about what is late. */
  tell(method: MethodName, params: object): Promise<any>;
  /** Throws `SidecarFault` for a process that is in doubt: nothing is waited for then. */
  trusts(method: MethodName): void;
  /** A call that should be short was not answered in time. */
  late(fault: SidecarFault): void;
  after(milliseconds: number, run: () => void): () => void;
  /** The host waits for the process, until it calls what it is given. */
  wait(): () => void;
  /** Milliseconds; rule 4. */
  readonly probeMs: number;
  /** The answer to this method was good. */
  works(method: MethodName, sessionId?: string): void;
  /** A fault that the host is not told by a rejection. */
  note(fault: SidecarFault, sessionId?: string): void;
  /** A command in an answer, carried out as the request of that name is. */
  requested(params: Params<"requestCompaction">): Promise<Result<"requestCompaction">>;
  whenReady(): Promise<void>;
  forget(session: LiveSession<any>): void;
}

export class LiveSession<M extends object = object> implements Session<M> {
  readonly sessionId: string;
  restored: Session["restored"];
  lastReport: Session["lastReport"];
  lastStatus: Session["lastStatus"];
  readonly #line: Line;
  readonly #options: SessionOptions;
  #model: SessionOptions["model"];
  #starting: Promise<void> | undefined; // and afterwards
  #live = false;
  #lived = false;
  #base: string | undefined; // of the last answer, while it is known to hold
  #last: Projection<M> | undefined;
  readonly #events: Events;

  constructor(line: Line, options: SessionOptions) {
    this.#line = line;
    this.#options = options;
    this.#model = options.model;
    this.sessionId = options.sessionId;
    const ask = (method: Asked, params: object): Promise<any> => line.tell(method, { sessionId: this.sessionId, ...params });
    this.#events = new Events(ask, (event, answer) => this.#heard(event, answer), () => this.lost());
  }

  // ctxmgr and this session

  /** The process is another one, or has forgotten the session. */
  lost(): void {
    this.#starting = undefined;
    this.#live = false;
    this.#base = undefined;
  }

  /** Tells ctxmgr of this session, once. Rejects with `SidecarFault`; the next call tries again. */
  start(options?: RequestOptions): Promise<void> {
    this.#starting ??= this.#start(options).catch((fault: unknown) => {
      this.lost();
      throw fault;
    });
    return this.#starting;
  }

  async #start(options?: RequestOptions): Promise<void> {
    const { sessionId, cwd, tools, entries, leafId } = this.#options;
    // a value is old by the second time, and ctxmgr has a snapshot
    const now = <T>(given: T | (() => T)): T | undefined =>
      given instanceof Function ? given() : this.#lived ? undefined : given;
    const params = { sessionId, cwd, tools, model: this.#model, entries: now(entries), leafId: now(leafId) };
    const answer = await this.#line.call("session_start", params, options);
    this.#line.works("session_start", this.sessionId);
    this.#live = this.#lived = true;
    this.restored = answer?.restored;
    this.lastStatus = answer?.status ?? this.lastStatus;
    this.#events.send();
  }

  async #begun(timeoutMs: number): Promise<void> {
    if (this.#live) return;
    if (this.#starting) throw new SidecarFault("starting", "the session is starting");
    await this.start({ timeoutMs });
  }

  async #call<K extends Asked>(method: K, params: object, options: RequestOptions = {}): Promise<Result<K>> {
    await this.#begun(options.timeoutMs ?? this.#line.bound(method));
    this.#events.send();
    try {
      const named = { sessionId: this.sessionId, ...params };
      const answer = await (long(method) ? this.#long(method, named, options) : this.#line.call(method, named, options));
      if (method !== "context") this.#line.works(method, this.sessionId);
      this.lastStatus = (method === "getStatus" ? answer : answer?.status) ?? this.lastStatus;
      return answer;
    } catch (fault) {
      if ((fault as SidecarFault).code === ErrorCode.UnknownSession) this.lost();
      throw fault;
    }
  }

  async #tell<K extends Asked>(method: K, params: object, options?: RequestOptions): Promise<Result<K> | undefined> {
    try {
      return await this.#call(method, params, options);
    } catch (fault) {
      this.#failed(fault, method);
      return undefined;
    }
  }

  /** Rule 4. */
  async #long(method: MethodName, params: object, options: RequestOptions): Promise<any> {
    const controller = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal;
    let dead: SidecarFault | undefined;
    const again = (): (() => void) => this.#line.after(this.#line.probeMs, () => void probe());
    const probe = async (): Promise<void> => {
      try {
        await this.#line.call("getStatus", { sessionId: this.sessionId }, { signal: controller.signal });
      } catch (fault) {
        if ((fault as SidecarFault).kind !== "error") dead = fault as SidecarFault;
      }
      if (dead) controller.abort();
      else takeBack = again();
    };
    let takeBack = again();
    try {
      return await this.#line.call(method, params, { ...options, signal });
    } catch (fault) {
      throw dead ?? fault;
    } finally {
      controller.abort(); // and the probe with it
      takeBack();
    }
  }

  #failed(thrown: unknown, method: MethodName): void {
    this.#base = undefined;
    const odd = (): SidecarFault => new SidecarFault("error", "the arguments cannot be read", method);
    const fault = thrown instanceof SidecarFault ? thrown : odd();
    if (fault.kind !== "cancelled") this.#line.note(fault, this.sessionId);
  }

  // the list

  context: Session<M>["context"] = async (messages, options = {}) => {
    const given = [...messages]; // the host's may grow while we wait
    let sizes: number[] = [];
    let list: M[];
    try {
      sizes = given.map(size);
      const answer = await this.#ask(given, sizes, options);
      list = projected(given, answer);
      this.#line.works("context", this.sessionId);
      this.#base = answer.base || undefined;
      this.#last = { given, sizes, list, tokens: answer.report?.tokens };
      this.lastReport = answer.report;
    } catch (fault) {
      this.#failed(fault, "context");
      this.lastReport = undefined;
      const { id, contextWindow: window } = this.#model;
      const room = window - Math.min(this.#line.reserve(id), window / 4) - (options.overheadTokens ?? 0);
      list = unaided(given, sizes, this.#last, room);
    }
    return [...list]; // an array of the caller's own: what is done to it is done to no other list
  };

  /** Sends the new messages alone where ctxmgr holds the others. Both tries share the time of one. */
  async #ask(messages: M[], sizes: number[], options: object): Promise<Result<"context">> {
    const bound = this.#line.bound("context");
    const until = this.#line.now() + bound;
    const ask = (list: object, timeoutMs: number): Promise<Result<"context">> =>
      this.#call("context", { ...list, at: this.#line.now(), ...options, answer: "edits" }, { timeoutMs });
    const [base, last] = [this.#base, this.#last];
    if (base === undefined || !last || !continues(messages, sizes, last)) return ask({ messages }, bound);
    const after = last.given.length;
    try {
      return await ask({ append: { after, base, messages: messages.slice(after) } }, bound);
    } catch (fault) {
      if ((fault as SidecarFault).code !== ErrorCode.ContentModified) throw fault;
      return ask({ messages }, Math.max(1, until - this.#line.now()));
    }
  }

  // events

  /** What `#carryOut` takes is not in the answer: a host must not compact twice. */
  turnEnd: Session["turnEnd"] = async (params) => {
    const answer = await this.#event("turn_end", params);
    return answer && { ...answer, commands: answer.commands.filter(({ method }) => method !== "requestCompaction") };
  };

  /** Rule 3. Undefined where there is no answer in time. */
  async #event<K extends Asked>(method: K, params: object): Promise<Result<K> | undefined> {
    let takeBack: (() => void) | undefined;
    let release: (() => void) | undefined;
    try {
      const event = this.#events.add(method, params);
      const bound = this.#line.bound(method);
      await this.#begun(bound);
      this.#events.send();
      const { answer } = event;
      if (answer === undefined) return undefined; // it was let go
      const late = new Promise<never>((_, reject) => {
        takeBack = this.#line.after(bound, () => {
          const fault = new SidecarFault("timeout", `no answer to ${method} within ${bound} ms`, method);
          this.#line.late(fault);
          reject(fault);
        });
      });
      this.#line.trusts(method);
      release = this.#line.wait();
      const found = await Promise.race([answer, late]);
      return method === "turn_end" && !holdsCommands(found) ? undefined : found;
    } catch (fault) {
      this.#failed(fault, method);
      return undefined;
    } finally {
      takeBack?.();
      release?.();
    }
  }

  /** An event was answered, in time or late. */
  #heard({ method }: Event, answer: any): void {
    if (method === "turn_end" && !holdsCommands(answer)) return this.#failed(noAnswer(method), method);
    this.#line.works(method, this.sessionId);
    this.lastStatus = answer?.status ?? this.lastStatus;
    if (method !== "turn_end") return;
    for (const { method: named, params } of answer.commands) {
      if (named === "requestCompaction") void this.#carryOut(params);
    }
  }

  /** Not waited for: a host may compact before it answers, and needs the end of the turn for that. */
  async #carryOut(params: Params<"requestCompaction">): Promise<void> {
    const { accepted, reason } = await this.#line.requested(params);
    if (!accepted) await this.sessionCompactFailed({ reason: reason ?? "refused" });
  }

  modelSelect: Session["modelSelect"] = (model) => {
    this.#model = model;
    return this.#event("model_select", { model });
  };

  sessionCompact: Session["sessionCompact"] = (params) => {
    this.#base = undefined;
    return this.#event("session_compact", params);
  };

  sessionTree: Session["sessionTree"] = (params) => {
    this.#base = undefined;
    return this.#event("session_tree", params);
  };

  sessionCompactFailed: Session["sessionCompactFailed"] = (params) =>
    this.#event("session_compact_failed", params);
  beforeCompact: Session["beforeCompact"] = (params, options) => this.#tell("session_before_compact", params, options);
  beforeTree: Session["beforeTree"] = (params, options) => this.#tell("session_before_tree", params, options);
  status: Session["status"] = () => this.#tell("getStatus", {});

  request: Session["request"] = async (method, params, options) => {
    await this.#line.whenReady();
    if (!this.#live) await this.#starting;
    return this.#call(method, params, options);
  };

  async end(): Promise<void> {
    if (this.#live) await this.#tell("session_shutdown", {});
    this.#events.clear();
    this.#line.forget(this);
  }
}

/** Whether `turn_end` was answered by what can be carried out. */
function holdsCommands(answer: any): boolean {
  const isCommand = (one: any): boolean => typeof one?.method === "string" && typeof (one.params ?? 0) === "object";
  return Array.isArray(answer?.commands) && answer.commands.every(isCommand);
}

function noAnswer(method: MethodName): SidecarFault {
  return new SidecarFault("garbage", `the answer to ${method} is invalid`, method);
}
