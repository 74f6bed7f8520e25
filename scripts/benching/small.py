"""Measures small events and queries: round trips per second, one at a time and many concurrently."""

import random
from collections.abc import Sequence
from time import perf_counter

from benching.host import Host
from benching.pair import Options, Pair, checked
from benching.prepared import Part, prose, request
from benching.table import Figure, Goal, figure

TEXT_CHARACTERS = 80
EVENTS = 1_000  # in one round
UNDER_WAY = 32  # requests that a host without waiting has written before it reads


def measure(options: Options) -> list[Figure]:
    pair = Pair(options)
    try:
        return [*_turn_ends(pair), _statuses(pair)]
    finally:
        pair.close()


def events(options: Options) -> list[Figure]:
    """Only `turn_end`."""
    pair = Pair(options)
    try:
        return _turn_ends(pair)
    finally:
        pair.close()


def turn_ends(session: str, count: int) -> list[list[Part]]:
    """`turn_end` requests, each with its own short text, a usage and an entry id."""
    chance = random.Random(3)
    out = []
    for number in range(count):
        content = [{"type": "text", "text": prose(chance, TEXT_CHARACTERS)}]
        message = {"role": "assistant", "content": content, "stopReason": "stop", "timestamp": number}
        params = {
            "sessionId": session,
            "message": message,
            "toolResults": [],
            "usage": {"input": 10, "output": 90, "cacheRead": 9_000 + number, "cacheWrite": 500},
            "at": 1_700_000_000_000 + number,
            "entryIds": {"message": f"entry-{number}"},
        }
        out.append(request(100 + number, "turn_end", params))
    return out


def _turn_ends(pair: Pair) -> list[Figure]:
    count = pair.options.times(EVENTS)
    alone: tuple[list[float], list[float]] = ([], [])
    many: tuple[list[float], list[float]] = ([], [])
    for number in range(pair.options.rounds):
        for run, kept in ((_one_by_one, alone), (_many_under_way, many)):
            session = pair.session()
            frames = turn_ends(session, count)
            order = ((pair.ours, kept[0]), (pair.floor, kept[1]))
            for host, rates in order if number % 2 else reversed(order):
                rates.append(count / run(host, frames))
            pair.end(session)
    note = f"{UNDER_WAY} written before one is read"
    return [
        figure("turn_end, snapshot line written", "/s", *alone, goal=Goal("ratio", "at least", 0.3)),
        figure("turn_end, many under way", "/s", *many, goal=Goal("ratio", "at least", 0.15), note=note),
    ]


def _statuses(pair: Pair) -> Figure:
    session, count = pair.session(), pair.options.times(EVENTS)
    frames = [request(number, "getStatus", {"sessionId": session}) for number in range(100, 100 + count)]
    ours: list[float] = []
    floor: list[float] = []
    for number in range(pair.options.rounds):
        order = ((pair.ours, ours), (pair.floor, floor))
        for host, rates in order if number % 2 else reversed(order):
            rates.append(count / _one_by_one(host, frames))
    pair.end(session)
    return figure("getStatus", "/s", ours, floor)


def _one_by_one(host: Host, frames: Sequence[list[Part]]) -> float:
    """Returns seconds."""
    start = perf_counter()
    for parts in frames:
        answer = host.ask(parts)
    seconds = perf_counter() - start
    checked(answer)
    return seconds


def _many_under_way(host: Host, frames: Sequence[list[Part]]) -> float:
    """Returns seconds; `UNDER_WAY` requests are always unanswered."""
    start = perf_counter()
    for parts in frames[:UNDER_WAY]:
        host.write(parts)
    for parts in frames[UNDER_WAY:]:
        host.read()
        host.write(parts)
    for _ in frames[:UNDER_WAY]:
        answer = host.read()
    seconds = perf_counter() - start
    checked(answer)
    return seconds
