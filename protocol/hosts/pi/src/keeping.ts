/** Pins, and what is brought back: what the user types and the model calls, into ctxmgr's methods and back into words. */

import type { Message } from "./pi.ts";
import { number, plural } from "./showing.ts";
import type { protocol, Session } from "../../typescript/src/index.ts";

const PINNING = "balanced"; // the preset that goes by pins, and so keeps what an undo brings back

export type Kept = Pick<protocol.PinParams, "path" | "tool" | "digest">;

/** `src/a.py`, `tool bash`, or `#12`: a message of the last request, by its number there. */
export async function wanted(session: Session<Message>, args: string): Promise<Kept> {
  const [, tool] = /^tool\s+(\S+)$/.exec(args) ?? [];
  if (tool !== undefined) return { tool };
  const [, place] = /^#(\d+)$/.exec(args) ?? [];
  if (place === undefined) return { path: args };
  const { verdicts } = await session.request("explain", {});
  const found = verdicts.find(({ index }) => index === Number(place));
  if (found === undefined) throw new Error(`the last request had no ${args}: see /ctx-explain`);
  return { digest: found.digest };
}

export async function pin(session: Session<Message>, kept: Kept, name: string): Promise<string> {
  const { status } = await session.request("pin", kept);
  if (status.preset !== PINNING) return `${name} is pinned, but preset ${status.preset} goes by no pins: ${PINNING} does.`;
  return `${name} stays as it is from the next request on; ${plural(status.pins, "pin")}.`;
}

export async function unpin(session: Session<Message>, kept: Kept, name: string): Promise<string> {
  const { status } = await session.request("unpin", kept);
  return `${name} may leave again; ${plural(status.pins, "pin")}.`;
}

/** Takes back what left at an epoch: `args` is its number, "" the newest at which something left. */
export async function undo(session: Session<Message>, args: string): Promise<string> {
  if (!/^\d*$/.test(args)) return "/undo takes back what left last; /undo 3 what left at epoch 3.";
  const { epochs } = await session.request("explain", {});
  const epoch = args === "" ? epochs.findLast(({ count }) => count > 0)?.epoch : Number(args);
  if (epoch === undefined) return "Nothing has left yet.";
  const { pins, preset } = await session.request("getStatus", {});
  if (preset !== PINNING) return `Preset ${preset} takes nothing back: ${PINNING} does.`;
  const { status } = await session.request("undo", { epoch });
  if (status.pins === pins) return `What left at epoch ${epoch} was taken back before.`;
  const { count = 0, before = 0, after = 0 } = epochs.find((one) => one.epoch === epoch) ?? {};
  const what = `${plural(count, "thing")}, ${number(before - after)} tokens`;
  return `What left at epoch ${epoch} comes back with the next request, and is pinned: ${what}.`;
}
