"""One part of the packet: a heading and lines, with what has the better right to stay. Knows no subject."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from ctxmgr.engine.text import words_of
from ctxmgr.model.saved import Fact

MOST_LINES = 200  # candidates a part: more would not fit the largest packet, and weighing them costs


class PacketPart(msgspec.Struct, frozen=True):
    """One part. `lines` in the order of reading, `ranked` their places, the best right to stay first.

    `share` is the part of the budget that it gets before the others are filled.
    `counts` says how many statements each line holds, `total` how many there are, shown or not. `groups`: of which
    heading of a summary each line is, "" for none.
    """

    heading: str
    lines: tuple[str, ...]
    ranked: tuple[int, ...]
    counts: tuple[int, ...]
    total: int
    share: float
    groups: tuple[str, ...] = ()


def part_of(
    heading: str,
    lines: Sequence[str],
    share: float,
    *,
    ranked: Iterable[int] | None = None,
    counts: Sequence[int] | None = None,
    total: int | None = None,
) -> PacketPart:
    counts = tuple(counts) if counts is not None else (1,) * len(lines)
    places = tuple(ranked) if ranked is not None else tuple(range(len(lines)))
    return PacketPart(heading, tuple(lines), places, counts, total or sum(counts), share)


def grouped(part: PacketPart, groups: Iterable[str]) -> PacketPart:
    return msgspec.structs.replace(part, groups=tuple(groups))


def within(facts: Sequence[Fact], most: int, heading: Callable[[Fact], str]) -> list[Fact]:
    """The newest facts, so many, and the first under each heading that would have none."""
    first: dict[str, int] = {}
    for at, fact in enumerate(facts):
        first.setdefault(heading(fact), at)
    cut = max(0, len(facts) - most)
    newest = {heading(fact) for fact in facts[cut:]}
    early = sorted(at for name, at in first.items() if name not in newest)
    return [*(facts[at] for at in early), *facts[cut:]]


def summarised(fact: Fact, heading: str) -> str:
    """The group of a fact that stood under this heading of a summary; "" for one that somebody else stated."""
    return heading if fact.source in ("summary", "branch") else ""


def newest_first(count: int) -> range:
    return range(count - 1, -1, -1)


def repeats(fact: Fact, wording: str) -> bool:
    """Does a summary only repeat words of the goal? `wording`: its words, between spaces."""
    repeated = fact.slot in ("goal", "constraint", "context") and fact.source in ("summary", "branch")
    return repeated and f" {words_of(fact.text)} " in wording
