"""Turns a ledger into the packet: one lean text that stands for the conversation no longer shown.

Rules:
1. The first line is fixed, and so is the note under it, which only a small packet does without. Text from facts is
   put on one line and can forge neither that line nor a heading.
2. The packet never weighs more than its budget: lines are weighed one by one to choose, then the whole text
   is weighed, and what has the least right to stay goes until it fits.
3. Right to stay: goal, constraints, decisions, tasks, blockers, files. Each part first gets its share, so
   that many decisions do not push out every file; what is left is filled in that order.
4. Same ledger, same bytes: no clock, no counter; the order of lines comes from the facts alone.
5. Of a summary that nothing else shows, something stands under each of its headings, if only in short.
"""

from collections.abc import Container

import msgspec

from ctxmgr.engine.ledger import GOAL_CHARACTERS
from ctxmgr.engine.packet.in_view import InView
from ctxmgr.engine.packet.part import PacketPart
from ctxmgr.engine.packet.parts import NOTHING_SHOWN, SMALL_GOAL_CHARACTERS, parts_of
from ctxmgr.engine.text import shorten
from ctxmgr.model import CHARACTERS_A_TOKEN, PACKET_MARK, Weigh
from ctxmgr.model.saved import Ledger

NOTE = "Kept by ctxmgr from earlier conversation that is no longer shown. A record, not a new instruction."
RESUME_NOTE = (
    "Kept by ctxmgr: where the work stood before the history was replaced. A record, not a new instruction."
)

NOTE_TOKENS = 1_000  # of budget, or of a whole packet: below it the note under the mark may go first
SMALLEST_TOKENS = (
    600  # of the default policy: less never leaves without a packet, and this one has the goal in full
)

RESUME_GOAL_PART = 4  # of its budget a resume packet tells the goal in, whole where that holds it
HEADING_CHARACTERS = 120  # of the first line under a summary's heading, where the whole does not fit


class _Line(msgspec.Struct, frozen=True, gc=False):
    """A chosen line: which part, its place among the part's lines, its text, and what it was weighed at in
    tokens."""

    part_index: int
    line_index: int
    text: str
    weight: int


def render(
    ledger: Ledger,
    *,
    budget: int,
    weigh: Weigh,
    resume: bool = False,
    scratchpad: str = "",
    shown: Container[str] | InView = NOTHING_SHOWN,
) -> str:
    """Return the packet, `weigh` of which is at most `budget` tokens; "" where nothing is to be said or fits.

    `resume` renders the packet used once after a compaction or a tree move: critical context in full.
    `scratchpad` is the model's own notes, a line each. `shown`: the origins (digests) of messages and summaries
    that the list shows itself: what was asked there, and what a summary says, is not told again. Where
    it is an `InView`, nothing is that the list states.
    """
    note = RESUME_NOTE if resume else NOTE
    most = GOAL_CHARACTERS if budget >= SMALLEST_TOKENS else SMALL_GOAL_CHARACTERS
    if resume:
        most = max(most, budget * CHARACTERS_A_TOKEN // RESUME_GOAL_PART)
    parts = parts_of(ledger, resume=resume, scratchpad=scratchpad, goal_characters=most, shown=shown)
    text, lines = _fitted(f"{PACKET_MARK}\n{note}\n", parts, budget, weigh)
    if budget >= NOTE_TOKENS:
        return text
    bare, more_lines = _fitted(f"{PACKET_MARK}\n", parts, budget, weigh)
    return text if lines == more_lines else bare


def noted(text: str, resume: bool, weigh: Weigh) -> str:
    """A whole packet, whose facts may be a small part of it, with the note under its mark (rule 1)."""
    note = RESUME_NOTE if resume else NOTE
    head, _, rest = text.partition("\n")
    if head != PACKET_MARK or rest.startswith(note) or weigh(text) < NOTE_TOKENS:
        return text
    return f"{PACKET_MARK}\n{note}\n{rest}"


def _fitted(head: str, parts: tuple[PacketPart, ...], budget: int, weigh: Weigh) -> tuple[str, list[_Line]]:
    """The text under this head that fits, and the lines it holds; none where none does."""
    room = budget - weigh(head)
    if room <= 0:
        return "", []
    chosen = _Choice(parts, room, budget, weigh).lines()
    while chosen:
        text = head + _composed(parts, chosen)
        over = weigh(text) - budget
        if over <= 0:
            return text, chosen
        while chosen and over > 0:  # by the lines' own weights, so that few whole texts are weighed
            over -= chosen.pop().weight
    return "", []


class _Choice:
    """The lines of a packet while they are chosen, by right to stay: what comes first, something under each heading
    of a summary, every part within its share, then all parts in order."""

    def __init__(self, parts: tuple[PacketPart, ...], room: int, budget: int, weigh: Weigh) -> None:
        self.parts, self.room, self.budget, self.weigh = parts, room, budget, weigh
        self.chosen: dict[tuple[int, int], _Line] = {}
        self.spent_on = [0] * len(parts)

    def lines(self) -> list[_Line]:
        """Those that fit, best first; none where what comes first does not: without its goal a packet misleads."""
        if not self.parts or not self._take(0, self.parts[0].ranked[0], self.room):
            return []
        if self.budget >= SMALLEST_TOKENS:
            self._represent()
        for sharing in (True, False):
            for number, part in enumerate(self.parts):
                limit = int(self.budget * part.share) if sharing else self.budget
                for place in part.ranked:
                    if not self._take(number, place, limit):
                        break
        return list(self.chosen.values())

    def _represent(self) -> None:
        """Rule 5."""
        for number, part in enumerate(self.parts):
            told = {part.groups[place] for of, place in self.chosen if of == number and part.groups}
            for place in part.ranked if part.groups else ():
                group = part.groups[place]
                if group and group not in told and self._take(number, place, self.room, HEADING_CHARACTERS):
                    told.add(group)

    def _take(self, number: int, place: int, limit: int, characters: int = 0) -> bool:
        """Is this line in, cut to so many characters (0: whole)? One that is in already, cut, becomes whole."""
        part, before = self.parts[number], self.chosen.get((number, place))
        text = shorten(part.lines[place], characters) if characters else part.lines[place]
        if before is not None and before.text == text:
            return True
        weight = self.weigh(text + "\n")
        if before is not None:
            weight += before.weight - self.weigh(before.text + "\n")  # its heading, where it is the first
        elif not self.spent_on[number]:
            more = f" ({part.total} more not shown)" if self.budget >= SMALLEST_TOKENS else ""
            weight += self.weigh(f"\n{part.heading}{more}\n")
        extra = weight - (before.weight if before is not None else 0)
        if extra > self.room or self.spent_on[number] + extra > limit:
            return before is not None  # what is there in short holds nobody up
        self.chosen[number, place] = _Line(number, place, text, weight)
        self.room -= extra
        self.spent_on[number] += extra
        return True


def _composed(parts: tuple[PacketPart, ...], chosen: list[_Line]) -> str:
    """Put the chosen lines under their headings, in reading order; a heading says how much is missing."""
    blocks: list[str] = []
    for number, part in enumerate(parts):
        lines = sorted((line.line_index, line.text) for line in chosen if line.part_index == number)
        if lines:
            left_out = part.total - sum(part.counts[place] for place, _ in lines)
            heading = f"{part.heading} ({left_out} more not shown)" if left_out > 0 else part.heading
            blocks.append("\n".join((heading, *(text for _, text in lines))))
    return "\n" + "\n\n".join(blocks)
