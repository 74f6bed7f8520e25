"""Measures `context`: complete lists of three sizes, and `append` with `edits`."""

import re
from collections.abc import Callable
from statistics import median
from typing import Any

import msgspec

from benching.host import Host
from benching.pair import KEEP_ALL, KEEP_ALL_MODEL, MODEL, PIN_ALL, Options, Pair, checked, timed
from benching.prepared import Growing, appended, context, growing
from benching.table import Figure, Goal, figure, percentile

SIZES = (("0.1 MB", 100_000), ("1 MB", 1_000_000), ("8 MB", 8_000_000))
STEADY_CALLS = 15  # in one round; each call adds one step
APPEND_MESSAGES = 2_000  # about as many as 100 turns with results of 1 kB
APPEND_STEPS_A_TURN = 10
APPEND_CALLS = 200  # in one round
MILLISECONDS = 1_000
BASE = re.compile(rb'"base":"([^"]*)"')


Both = tuple[list[float], list[float]]
Start = Callable[[], str]  # begins a session and returns its id


class List(msgspec.Struct, frozen=True):
    """`messages` in the answer to the first list and to the last one, for the check."""

    messages: list[msgspec.Raw]


class Answer(msgspec.Struct, frozen=True):
    result: List


def measure(options: Options) -> list[Figure]:
    pair = Pair(options)
    try:
        figures = []
        for label, size in SIZES:
            figures += _whole(pair, label, size, lambda: pair.session(KEEP_ALL_MODEL, pin=PIN_ALL))
        for label, size in SIZES[1:]:
            start = lambda: pair.session(KEEP_ALL_MODEL, KEEP_ALL)  # noqa: E731
            figures += _whole(pair, f"{label}, preset turns", size, start)
        figures += _pruned(pair, "1 MB", 1_000_000)
        figures += _appends(pair, "100 turns", APPEND_STEPS_A_TURN, MODEL)
        figures += _appends(pair, "one turn", 0, KEEP_ALL_MODEL)
        return figures
    finally:
        pair.close()


def _whole(pair: Pair, label: str, size: int, start: Start) -> list[Figure]:
    """Returns the whole list: nothing is removed, and the answer is requested as messages."""
    calls = pair.options.times(STEADY_CALLS)
    grown = growing(size, calls)
    first, steady = _rounds(pair, grown, size, calls, start, whole=True)
    goal = Goal("ratio", "at most", 1.0) if size >= 1_000_000 else None
    return [
        figure(f"context {label}, first call", "ms", *first),
        figure(f"context {label}, steady, full list back", "ms", *steady, goal=goal),
    ]


def _pruned(pair: Pair, label: str, size: int) -> list[Figure]:
    """As in real sessions: most of the list is removed."""
    calls = pair.options.times(STEADY_CALLS)
    grown = growing(size, calls)
    model = {**MODEL, "contextWindow": 200_000}
    first, steady = _rounds(pair, grown, size, calls, lambda: pair.session(model), whole=False)
    return [
        figure(f"context {label}, as a session runs, first call", "ms", *first),
        figure(
            f"context {label}, as a session runs, steady", "ms", *steady, note="the floor echoes the whole list"
        ),
    ]


def _rounds(pair: Pair, grown: Growing, size: int, calls: int, start: Start, whole: bool) -> tuple[Both, Both]:
    """Milliseconds of the first call and of the median steady call, for ctxmgr and the floor, by round."""
    reached = grown.first_of(size)
    first: Both = ([], [])
    steady: Both = ([], [])
    for _ in range(pair.options.rounds):
        session = start()
        times: Both = ([], [])
        for number in range(calls):
            parts = context(100 + number, session, grown.upto(reached + number), "messages")
            order = ((pair.ours, times[0]), (pair.floor, times[1]))
            for host, kept in order if number % 2 else reversed(order):
                kept.append(timed(host, parts) * MILLISECONDS)
        if whole:
            _check(pair, session, grown, reached + calls)
        pair.end(session)
        for side in (0, 1):
            first[side].append(times[side][0])
            steady[side].append(median(times[side][1:]))
    return first, steady


def _check(pair: Pair, session: str, grown: Growing, number: int) -> None:
    """Checks once for each round, unmeasured, that all messages come back byte for byte."""
    number = min(number, len(grown.ends) - 1)
    for host in (pair.ours, pair.floor):
        answer = checked(host.ask(context(99, session, grown.upto(number), "messages")))
        messages = msgspec.json.decode(answer, type=Answer).result.messages
        if len(messages) != grown.counts[number] or b",".join(messages) != grown.upto(number):
            raise RuntimeError(f"{len(messages)} messages came back, {grown.counts[number]} were sent")


def _appends(pair: Pair, label: str, steps_a_turn: int, model: dict[str, Any]) -> list[Figure]:
    """In the default preset. Some of the calls open an epoch, which shows in p99."""
    calls = pair.options.times(APPEND_CALLS)
    grown = growing(APPEND_MESSAGES * 1_000, calls + 1, steps_a_turn, 1_000)
    start = next(number for number, count in enumerate(grown.counts) if count >= APPEND_MESSAGES)
    middle: Both = ([], [])
    high: Both = ([], [])
    for _ in range(pair.options.rounds):
        session = pair.session(model)
        tag = base(pair.ours, context(1, session, grown.upto(start), "edits"))
        times: Both = ([], [])
        for number in range(start + 1, min(start + calls, len(grown.ends) - 1) + 1):
            new = grown.between(number - 1, number)
            parts = appended(number, session, grown.counts[number - 1], tag, new)
            times[1].append(timed(pair.floor, parts) * MILLISECONDS)
            times[0].append(timed(pair.ours, parts) * MILLISECONDS)
            tag = base(pair.ours, None)
        pair.end(session)
        for side in (0, 1):
            middle[side].append(percentile(times[side], 0.5))
            high[side].append(percentile(times[side], 0.99))
    name = f"append + edits, {APPEND_MESSAGES:,} messages, {label}"
    return [
        figure(f"{name}, p50", "ms", *middle, goal=Goal("ours", "at most", 1.0)),
        figure(f"{name}, p99", "ms", *high),
    ]


def base(host: Host, parts: Any) -> bytes:
    """The tag in the answer to these parts; without parts, in the last answer."""
    answer = host.ask(parts) if parts else host.last
    match = BASE.search(checked(answer))
    if match is None:
        raise RuntimeError("an answer without a base")
    return match.group(1)
