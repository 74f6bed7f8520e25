"""Measures a steady `context` with one new step in each call, in the four presets, beside a floor that echoes the
list.

Results are in CPU time, which a busy machine does not change. There are three kinds of answers:

1. A list that stays whole, in the default form of answer: it says that nothing is to be removed. The bytes of the
   list go one way, where the floor's go both ways.
2. The same list, answered as messages: its bytes go both ways, which alone is about a quarter of the floor.
3. A list that exceeds its window, with the preset's defaults: what stays is returned.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from scripts.benching.figures import Figure, figure
from scripts.benching.pair import MODEL, Options, Pair, checked, spent
from scripts.benching.prepared import Growing, context, growing

SIZES = (("1 MB", 1_000_000, 30), ("8 MB", 8_000_000, 10))  # name, bytes, and calls in one round
WINDOWS = {"whole": 1_000_000_000, "outgrown": 200_000}  # tokens
Policies = dict[str, dict[str, Any]]
WHOLE: Policies = {
    "off": {"preset": "off"},
    "tools": {"preset": "tools", "protectedTools": ["read"]},
    "turns": {"preset": "turns", "recentUserTurns": {"green": 1_000_000}, "distill": {"green": 1_000_000_000}},
    "balanced": {"preset": "balanced", "keep": 1_000_000_000},
}
"""All of a list stays."""
OUTGROWN: Policies = {preset: {"preset": preset} for preset in WHOLE if preset != "off"}
UNCHANGED = b'"unchanged":true'
MILLISECONDS = 1_000

Times = tuple[list[float], list[float]]  # of ctxmgr and the floor, by round


def measure(
    options: Options,
    sizes: Sequence[tuple[str, int, int]] = SIZES,
    whole: Policies = WHOLE,
    outgrown: Policies = OUTGROWN,
) -> list[Figure]:
    with Pair(options) as pair:
        return [
            figure(name, "ms", *times)
            for label, size, calls in sizes
            for grown in [growing(size, calls)]
            for name, times in (
                *_rows(pair, label, grown, grown.first_of(size), "whole", whole, ("", "messages")),
                *_rows(pair, label, grown, grown.first_of(size), "outgrown", outgrown, ("",)),
            )
        ]


def _rows(
    pair: Pair, label: str, grown: Growing, start: int, kind: str, policies: Policies, answers: tuple[str, ...]
) -> list[tuple[str, Times]]:
    """Names of figures, and milliseconds of CPU of the median call of each round."""
    return [
        (f"steady context, {label}, {kind}, {preset}{', messages' if answer else ''}", times)
        for preset, policy in policies.items()
        for answer, times in _asked(pair, grown, start, WINDOWS[kind], policy, answers).items()
    ]


def _asked(
    pair: Pair, grown: Growing, start: int, window: int, policy: dict[str, Any], answers: tuple[str, ...]
) -> dict[str, Times]:
    """By kind of answer. The kinds of answer, and the floor, are called in turn."""
    found: dict[str, Times] = {answer: ([], []) for answer in answers}
    for _ in range(pair.options.rounds):
        session = pair.session({**MODEL, "contextWindow": window}, policy)
        checked(pair.ours.ask(context(1, session, grown.upto(start))))
        ours: dict[str, list[float]] = {answer: [] for answer in answers}
        floor: list[float] = []
        for number in range(start + 1, len(grown.ends)):
            answer = answers[number % len(answers)]
            parts = context(2, session, grown.upto(number), answer or None)
            ours[answer].append(spent(pair.ours, parts) * MILLISECONDS)
            told = bytes(checked(pair.ours.last)[:64])
            if window == WINDOWS["whole"] and (UNCHANGED in told) == (answer == "messages"):
                raise RuntimeError(f"a list that stays whole was answered otherwise: {told!r}")
            floor.append(spent(pair.floor, parts) * MILLISECONDS)
        pair.end(session)
        for answer, (mine, theirs) in found.items():
            mine.append(median(ours[answer]))
            theirs.append(median(floor))
    return found
