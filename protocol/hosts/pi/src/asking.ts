/** What a person or the model asks of ctxmgr by name: an answer in words, in bounded time, whatever goes wrong. */

import { BOUND } from "./bounded.ts";
import type { Bridge } from "./bridge.ts";
import type { Context, Message } from "./pi.ts";
import { absent } from "./showing.ts";
import type { Session } from "../../typescript/src/index.ts";

export type Ask<Given> = (session: Session<Message>, given: Given, bridge: Bridge) => Promise<string>;

export interface Said {
  text: string;
  type: "info" | "warning";
}

export async function said<Given>(bridge: Bridge, context: Context, given: Given, ask: Ask<Given>): Promise<Said> {
  const asked = () => bridge.with((session) => answered(session, given, bridge, ask));
  return (await bridge.told(context, BOUND.event, asked)) ?? { text: absent(bridge.trouble), type: "warning" };
}

async function answered<Given>(
  session: Session<Message>,
  given: Given,
  bridge: Bridge,
  ask: Ask<Given>,
): Promise<Said> {
  try {
    return { text: await ask(session, given, bridge), type: "info" };
  } catch (fault) {
    return { text: `ctxmgr: ${fault instanceof Error ? fault.message : String(fault)}`, type: "warning" };
  }
}
