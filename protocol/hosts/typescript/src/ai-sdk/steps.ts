// Vercel's AI SDK, 6 and 7: the list of each step, by `prepareStep`, and its usage, by `onStepFinish`.
//
//     const context = aiSdkContext({ policy: { preset: "balanced" } });
//     await generateText({ model, tools, messages, ...context.of("conversation-1") });
//
// Rules:
// 1. The history that the program holds stays whole; only the step is made with less.
// 2. AI SDK 7 begins a step with the list that the step before was given: it is made whole again first.
// 3. Usage of a step is fed once. Both settings feed it, for a program may take but one of them.
// 4. No step fails because of what is here: on any fault it goes on with the list that it had.

import type { Session, Sidecar, SidecarOptions } from "../interface.ts";
import { startSidecar } from "../sidecar.ts";
import { asAnthropic, fitted, type Json } from "./messages.ts";

const WINDOW = 200_000; // tokens, where nobody tells the model's

/** A step that has ended, as far as it is read here. */
export interface Step {
  readonly usage: { readonly inputTokens: number | undefined };
  readonly response: { readonly messages: readonly object[] };
}

export interface StepOptions<M> {
  readonly model: unknown;
  readonly steps: readonly Step[];
  readonly stepNumber: number;
  readonly messages: M[];
}

export interface AiSdkOptions extends Omit<SidecarOptions, "messageFormat"> {
  /** The model's, in tokens. Default: 200 000. */
  readonly contextWindow?: number;
}

/** Starts a sidecar for conversations of the AI SDK. */
export function aiSdkContext({ contextWindow = WINDOW, ...options }: AiSdkOptions = {}): AiSdkContext {
  const told = { clientInfo: { name: "ctxmgr-ai-sdk" }, ...options, messageFormat: "anthropic" };
  return new AiSdkContext(startSidecar(told), contextWindow);
}

export class AiSdkContext {
  readonly sidecar: Sidecar;
  readonly #window: number;
  readonly #open = new Map<string, Conversation>();

  constructor(sidecar: Sidecar, contextWindow: number) {
    this.sidecar = sidecar;
    this.#window = contextWindow;
  }

  /** Settings for `generateText`, `streamText` or an agent in the conversation of this name, one run at a time. */
  of(sessionId: string): Conversation {
    const found = this.#open.get(sessionId) ?? new Conversation(this.sidecar, sessionId, this.#window);
    this.#open.set(sessionId, found);
    return found;
  }

  /** The conversation is saved and let go; `of` goes on with it from what was saved. */
  async end(sessionId: string): Promise<void> {
    const found = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await found?.end();
  }

  /** The sidecar saves and ends. From then on lists go out as they come. */
  dispose(): Promise<void> {
    return this.sidecar.dispose();
  }
}

/** What is spread into settings are its two functions alone. */
export class Conversation {
  readonly #sidecar: Sidecar;
  readonly #sessionId: string;
  readonly #window: number;
  readonly #heard = new WeakSet<Step>();
  #model = "";
  #open: Promise<Session<Json>> | undefined;
  #last: { whole: readonly object[]; sent: readonly object[] } = { whole: [], sent: [] };

  constructor(sidecar: Sidecar, sessionId: string, contextWindow: number) {
    this.#sidecar = sidecar;
    this.#sessionId = sessionId;
    this.#window = contextWindow;
  }

  readonly prepareStep = async <M extends object>(options: StepOptions<M>): Promise<{ messages: M[] } | undefined> => {
    try {
      const whole = this.#whole(options);
      const session = await this.#session(options.model);
      for (const step of options.steps) await this.onStepFinish(step);
      const messages = await fitted(whole, (given) => session.context(given));
      this.#last = { whole, sent: messages };
      return { messages };
    } catch {
      return undefined; // rule 4
    }
  };

  readonly onStepFinish = async (step: Step): Promise<void> => {
    try {
      if (this.#heard.has(step) || !step.usage.inputTokens) return; // without usage nothing is fed
      this.#heard.add(step);
      const message = step.response.messages.findLast((one: Json) => one.role === "assistant");
      if (message) await (await this.#open)?.turnEnd({ message: asAnthropic(message), usage: used(step.usage) });
    } catch {
      // rule 4
    }
  };

  async end(): Promise<void> {
    await (await this.#open)?.end();
    this.#open = undefined;
  }

  /** Rule 2. */
  #whole<M extends object>({ stepNumber, messages }: StepOptions<M>): M[] {
    const { whole, sent } = this.#last;
    const goesOn = stepNumber > 0 && sent.length > 0 && sent.every((one, at) => one === messages[at]);
    return goesOn ? [...(whole as M[]), ...messages.slice(sent.length)] : messages;
  }

  async #session(model: any): Promise<Session<Json>> {
    const id = String(typeof model === "string" ? model : (model?.modelId ?? "unknown"));
    const spec = { id, contextWindow: this.#window };
    const changed = this.#open !== undefined && id !== this.#model;
    this.#model = id;
    this.#open ??= this.#sidecar.session<Json>({ sessionId: this.#sessionId, model: spec });
    const session = await this.#open;
    if (changed) await session.modelSelect(spec);
    return session;
  }
}

/** Usage in the words of `turn_end`. The SDK's input holds what a cache held. */
function used({ inputTokens = 0, outputTokens = 0, totalTokens, inputTokenDetails: of = {} }: Json): Json {
  const [cacheRead, cacheWrite] = [of.cacheReadTokens ?? 0, of.cacheWriteTokens ?? 0];
  const input = Math.max(0, inputTokens - cacheRead - cacheWrite);
  return { input, output: outputTokens, cacheRead, cacheWrite, totalTokens: totalTokens ?? inputTokens + outputTokens };
}
