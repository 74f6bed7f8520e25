"""Fills a budget with parts: headings and lines, with what has the better right to stay. Knows no subject."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from ctxmgr.model import Weigh

MOST_SKIPPED = 8  # lines of a part that are too long: of ten thousand not all are weighed
COUNT_TOKENS = 8  # of a heading's note on how many lines are not shown


class Part(msgspec.Struct, frozen=True):
    """A heading and the lines under it. `lines` stand in the order of reading; `ranked` has their places, the line
    with the best right to stay first. `share`: of the budget, what the part gets before all others are filled.
    `right`: its rank among the parts, 0 the best."""

    heading: str
    lines: tuple[str, ...]
    ranked: tuple[int, ...]
    share: float
    right: int = 0

    @property
    def whole(self) -> str:
        """The heading and all lines."""
        return "\n".join((self.heading, *self.lines))


def part_of(
    heading: str, lines: Sequence[str], share: float, ranked: Iterable[int] | None = None, right: int = 0
) -> Part:
    """A part of these lines. Without `ranked` the first line has the best right to stay."""
    return Part(heading, tuple(lines), tuple(range(len(lines)) if ranked is None else ranked), share, right)


FlexiblePart = Callable[[int], Part]
"""A part that is written for the tokens that the other parts leave."""


def newest_first(count: int) -> range:
    """The places of so many lines, from the last."""
    return range(count - 1, -1, -1)


def lengths(most: int, least: int) -> Iterator[int]:
    """Lengths in characters, from `most` down to `least`, each three quarters of the one before."""
    while most > least:
        yield most
        most = most * 3 // 4
    yield least


def fill(parts: Sequence[Part | FlexiblePart], budget: int, weigh: Weigh) -> str:
    """The text of the parts in at most `budget` tokens; "" where no line fits.

    Each part is filled within its share first, then the parts by their `right`. A line that is too long is passed
    over for those behind it. A heading says how many of its lines are not shown. Equal input, equal bytes.
    """
    room = budget - sum(weigh(part.whole) for part in parts if isinstance(part, Part))
    written = [part if isinstance(part, Part) else part(room) for part in parts]
    order = sorted(range(len(written)), key=lambda number: written[number].right)
    chosen = _chosen(written, order, budget, weigh)
    while True:
        text = "\n\n".join(_composed(part, lines) for part, lines in zip(written, chosen, strict=True) if lines)
        if not text or weigh(text) <= budget:
            return text
        # together the lines weigh a little more
        next(chosen[number] for number in reversed(order) if chosen[number]).pop()


def _chosen(parts: Sequence[Part], order: Sequence[int], budget: int, weigh: Weigh) -> list[list[int]]:
    """The indexes of the lines of each part that are shown, in the order in which they were chosen."""
    weights: dict[tuple[int, int], int] = {}
    chosen: list[list[int]] = [[] for _ in parts]
    room = budget
    for sharing in (True, False):
        for number in order:
            part = parts[number]
            heading = weigh(f"\n\n{part.heading}") + COUNT_TOKENS
            spent = sum(weights[number, index] for index in chosen[number]) + heading * bool(chosen[number])
            skipped, done = 0, frozenset(chosen[number])
            for index in (index for index in part.ranked if index not in done):
                weight = weights.setdefault((number, index), weigh(f"\n{part.lines[index]}"))
                extra = weight + heading * (not chosen[number])
                if skipped > MOST_SKIPPED or (sharing and spent + extra > part.share * budget):
                    break
                if extra > room:
                    skipped += 1
                    continue
                chosen[number].append(index)
                room -= extra
                spent += extra
    return chosen


def _composed(part: Part, chosen: Sequence[int]) -> str:
    missing = len(part.lines) - len(chosen)
    heading = f"{part.heading} ({missing} more not shown)" if missing else part.heading
    return "\n".join((heading, *(part.lines[index] for index in sorted(chosen))))
