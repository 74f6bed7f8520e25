"""Fills a budget with parts, which are headings and lines, by priority. Knows no subject."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from ctxmgr.model import Weigh

MOST_SKIPPED = 8  # lines of a part that are too long; limits how many lines are counted
COUNT_TOKENS = 8  # for a heading's note on how many lines are not shown


class Part(msgspec.Struct, frozen=True):
    """A heading and the lines under it. `lines` are in reading order. `ranked` has their indexes, the highest
    priority first. `share`: the fraction of the budget that the part gets before others may use it. `right`: its
    priority among the parts, 0 the highest.
    """

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
    """A part with these lines. Without `ranked`, earlier lines have the higher priority."""
    return Part(heading, tuple(lines), tuple(range(len(lines)) if ranked is None else ranked), share, right)


FlexiblePart = Callable[[int], Part]
"""Writes a part for the number of tokens that the other parts leave."""


def newest_first(count: int) -> range:
    """The indexes of `count` lines, from the last to the first."""
    return range(count - 1, -1, -1)


def lengths(most: int, least: int) -> Iterator[int]:
    """Lengths in characters, from `most` down to `least`. Each is three quarters of the one before."""
    while most > least:
        yield most
        most = most * 3 // 4
    yield least


def fill(parts: Sequence[Part | FlexiblePart], budget: int, weigh: Weigh) -> str:
    """The text of the parts in at most `budget` tokens, or "" if no line fits.

    First each part is filled up to its share, then the rest of the budget goes to the parts in the order of
    `right`. A line that is too long is skipped, and the lines after it are tried. A heading says how many of its
    lines are not shown. Equal input gives equal bytes.
    """
    room = budget - sum(weigh(part.whole) for part in parts if isinstance(part, Part))
    written = [part if isinstance(part, Part) else part(room) for part in parts]
    order = sorted(range(len(written)), key=lambda number: written[number].right)
    chosen = _chosen(written, order, budget, weigh)
    while True:
        text = "\n\n".join(_composed(part, lines) for part, lines in zip(written, chosen, strict=True) if lines)
        if not text or weigh(text) <= budget:
            return text
        # the joined text has slightly more tokens than its lines
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
