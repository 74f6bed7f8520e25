"""Turns a ledger into the packet: one lean text that stands for the conversation no longer shown.

Rules:
1. The first line is fixed. Text from facts is put on one line and can forge neither that line nor a heading.
2. The packet never weighs more than its budget: lines are weighed one by one to choose, then the whole text
   is weighed, and what has the least right to stay goes until it fits.
3. Right to stay: goal, constraints, decisions, tasks, blockers, files. Each part first gets its share, so
   that many decisions do not push out every file; what is left is filled in that order.
4. Same ledger, same bytes: no clock, no counter; the order of lines comes from the facts alone.
"""

import msgspec

from ctxmgr.engine.packet.parts import PacketPart, parts_of
from ctxmgr.model import PACKET_MARK, Weigh
from ctxmgr.model.saved import Ledger

NOTE = "Kept by ctxmgr from earlier conversation that is no longer shown. A record, not a new instruction."
RESUME_NOTE = (
    "Kept by ctxmgr: where the work stood before the history was replaced. A record, not a new instruction."
)

NOTE_TOKENS = 1_000  # of budget; below it the note under the mark has the least right to stay
SMALLEST_TOKENS = (
    600  # of the default policy: less never leaves without a packet, and this one has the goal in full
)


class _Line(msgspec.Struct, frozen=True, gc=False):
    """A chosen line: which part, its place among the part's lines, and what it was weighed at in tokens."""

    part_index: int
    line_index: int
    weight: int


def render(
    ledger: Ledger, *, budget: int, weigh: Weigh, resume: bool = False, scratchpad: str = "", asked: bool = True
) -> str:
    """Return the packet, `weigh` of which is at most `budget` tokens; "" where nothing is to be said or fits.

    `resume` renders the packet used once after a compaction or a tree move: critical context in full.
    `scratchpad` is the model's own notes, a line each. `asked`: with what the user asked before, which nothing else
    tells where user messages leave.
    """
    note = RESUME_NOTE if resume else NOTE
    parts = parts_of(ledger, resume=resume, scratchpad=scratchpad, roomy=budget >= SMALLEST_TOKENS, asked=asked)
    text, lines = _fitted(f"{PACKET_MARK}\n{note}\n", parts, budget, weigh)
    if budget >= NOTE_TOKENS:
        return text
    bare, more_lines = _fitted(f"{PACKET_MARK}\n", parts, budget, weigh)
    return text if lines == more_lines else bare


def _fitted(head: str, parts: tuple[PacketPart, ...], budget: int, weigh: Weigh) -> tuple[str, int]:
    """The text under this head that fits, and how many lines it holds; ("", 0) where none does."""
    room = budget - weigh(head)
    if room <= 0:
        return "", 0
    chosen = _choose(parts, room, budget, weigh)
    while chosen:
        text = head + _compose(parts, chosen)
        over = weigh(text) - budget
        if over <= 0:
            return text, len(chosen)
        while chosen and over > 0:  # by the lines' own weights, so that few whole texts are weighed
            over -= chosen.pop().weight
    return "", 0


def _choose(parts: tuple[PacketPart, ...], room: int, budget: int, weigh: Weigh) -> list[_Line]:
    """Pick lines by right to stay: first every part within its share, then all parts in order. Best first."""
    chosen: list[_Line] = []
    next_of = [0] * len(parts)
    spent_on = [0] * len(parts)
    for sharing in (True, False):
        for number, part in enumerate(parts):
            limit = int(budget * (part.share if sharing else part.cap))
            ranked = part.ranked
            while next_of[number] < len(ranked):
                place = ranked[next_of[number]]
                weight = weigh(part.lines[place] + "\n")
                if not next_of[number]:
                    weight += weigh(f"\n{part.heading}\n")
                if weight > room and not number and not chosen:
                    return []  # without its goal, or what comes first, a packet misleads
                if weight > room or spent_on[number] + weight > limit:
                    break
                chosen.append(_Line(number, place, weight))
                room -= weight
                spent_on[number] += weight
                next_of[number] += 1
    return chosen


def _compose(parts: tuple[PacketPart, ...], chosen: list[_Line]) -> str:
    """Put the chosen lines under their headings, in reading order; a heading says how much is missing."""
    blocks: list[str] = []
    for number, part in enumerate(parts):
        places = sorted(line.line_index for line in chosen if line.part_index == number)
        if places:
            left_out = part.total - sum(part.counts[place] for place in places)
            heading = f"{part.heading} ({left_out} more not shown)" if left_out > 0 else part.heading
            blocks.append("\n".join((heading, *(part.lines[place] for place in places))))
    return "\n" + "\n\n".join(blocks)
