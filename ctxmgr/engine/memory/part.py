"""One part of a packet: a heading and lines, with what has the better right to stay. Knows no subject."""

from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.model import Weigh

MOST_SKIPPED = 8  # lines of a part that are too long: of ten thousand not all are weighed
COUNT_TOKENS = 8  # of a heading's note on how many lines are not shown


class PacketPart(msgspec.Struct, frozen=True):
    """`lines` in the order of reading, `ranked` their places, the best right to stay first. `share`: of the budget,
    that it gets before the others are filled."""

    heading: str
    lines: tuple[str, ...]
    ranked: tuple[int, ...]
    share: float

    @property
    def whole(self) -> str:
        """All of it."""
        return "\n".join((self.heading, *self.lines))


def part_of(heading: str, lines: Sequence[str], share: float, ranked: Iterable[int] | None = None) -> PacketPart:
    """`ranked`: without it as they stand."""
    return PacketPart(heading, tuple(lines), tuple(range(len(lines)) if ranked is None else ranked), share)


def newest_first(count: int) -> range:
    """The places of so many lines, from the last."""
    return range(count - 1, -1, -1)


def fitted(parts: Sequence[PacketPart], budget: int, weigh: Weigh, rights: Sequence[int] | None = None) -> str:
    """The parts in at most `budget` tokens: each within its share first, then by `rights`, their places by right to
    stay (None: as they stand); "" where no line fits. A line that is too long makes way for those behind it. A
    heading says how many lines are not shown. Equal input, equal bytes."""
    rights = range(len(parts)) if rights is None else rights
    weights: dict[tuple[int, int], int] = {}
    chosen: list[list[int]] = [[] for _ in parts]
    room = budget
    for sharing in (True, False):
        for number in rights:
            part = parts[number]
            heading = weigh(f"\n\n{part.heading}") + COUNT_TOKENS
            spent = sum(weights[number, at] for at in chosen[number]) + heading * bool(chosen[number])
            skipped, done = 0, frozenset(chosen[number])
            for at in (one for one in part.ranked if one not in done):
                weight = weights.setdefault((number, at), weigh(f"\n{part.lines[at]}"))
                extra = weight + heading * (not chosen[number])
                if skipped > MOST_SKIPPED or (sharing and spent + extra > part.share * budget):
                    break
                if extra > room:
                    skipped += 1
                    continue
                chosen[number].append(at)
                room -= extra
                spent += extra
    while True:
        text = "\n\n".join(_composed(part, at) for part, at in zip(parts, chosen, strict=True) if at)
        if not text or weigh(text) <= budget:
            return text
        next(chosen[at] for at in reversed(rights) if chosen[at]).pop()  # lines weigh a little more together


def _composed(part: PacketPart, chosen: Sequence[int]) -> str:
    missing = len(part.lines) - len(chosen)
    heading = f"{part.heading} ({missing} more not shown)" if missing else part.heading
    return "\n".join((heading, *(part.lines[at] for at in sorted(chosen))))
