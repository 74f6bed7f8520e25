"""Measures a start, a first list and events, beside the floor."""

import random
import sys
from collections.abc import Sequence
from time import perf_counter

from scripts.benching.figures import Figure, figure
from scripts.benching.host import Host
from scripts.benching.pair import (
    FLOOR,
    MODEL,
    Options,
    Pair,
    checked,
    environment,
    initialize,
    serve_command,
    spent,
)
from scripts.benching.prepared import Part, context, growing, prose, request

MILLISECONDS = 1_000
STARTS, START_BYTES = 5, 20_000
WINDOW_TOKENS = 200_000  # most of the first list is removed
FIRST_BYTES, FIRST_RESULT_CHARACTERS = 15_000_000, 1_970  # 10,000 messages
EVENTS, EVENT_CHARACTERS = 1_000, 80  # in one round; of an event's text
UNDER_WAY = 32  # requests that a host without waiting has written before it reads


def starts(options: Options) -> list[Figure]:
    """CPU time from the spawn to the answer of the first `context`."""
    ours, floor = [], []
    for number in range(STARTS + 1):
        mine = _cpu_of_start(options, serve_command(options.state_dir), f"spawned-{number}")
        theirs = _cpu_of_start(options, [sys.executable, str(FLOOR)], "floor")
        if number:  # each program's first spawn writes compiled modules
            ours.append(mine * MILLISECONDS)
            floor.append(theirs * MILLISECONDS)
    return [figure("spawn to the first context, CPU", "ms", ours, floor)]


def _cpu_of_start(options: Options, command: list[str], session: str) -> float:
    """Returns seconds."""
    host = Host(command, environment(options))
    checked(host.ask(initialize()))
    checked(host.ask(request(1, "session_start", {"sessionId": session, "model": MODEL})))
    checked(host.ask(context(2, session, growing(START_BYTES, 0).joined)))
    seconds = host.cpu_seconds()
    host.close()
    return seconds


def first_lists(options: Options) -> list[Figure]:
    """CPU time of the first call with a list of 10,000 messages. The floor decodes and encodes each message once:
    a list cannot be received and returned for less.
    """
    grown = growing(FIRST_BYTES, 0, FIRST_RESULT_CHARACTERS)
    ours, floor = [], []
    with Pair(options, each=True) as pair:
        for _ in range(options.rounds):
            session = pair.session({**MODEL, "contextWindow": WINDOW_TOKENS})
            parts = context(1, session, grown.joined, "edits")
            ours.append(spent(pair.ours, parts) * MILLISECONDS)
            checked(pair.ours.last)
            floor.append(spent(pair.floor, parts) * MILLISECONDS)
            pair.end(session)
    return [figure("first context, 15 MB, 10,000 messages", "ms", ours, floor)]


def events(options: Options) -> list[Figure]:
    """`turn_end`, answers per second: one at a time, and many concurrently."""
    figures = []
    with Pair(options) as pair:
        for name, run in (
            ("turn_end, snapshot line written", _one_by_one),
            ("turn_end, many under way", _many_under_way),
        ):
            ours: list[float] = []
            floor: list[float] = []
            for number in range(options.rounds):
                session = pair.session()
                frames = _turn_ends(session)
                order = ((pair.ours, ours), (pair.floor, floor))
                for host, rates in order if number % 2 else reversed(order):
                    rates.append(EVENTS / run(host, frames))
                pair.end(session)
            figures.append(figure(name, "/s", ours, floor))
    return figures


def _turn_ends(session: str) -> list[list[Part]]:
    """`turn_end` requests, each with its own short text, a usage and an entry id."""
    chance = random.Random(3)
    out = []
    for number in range(EVENTS):
        content = [{"type": "text", "text": prose(chance, EVENT_CHARACTERS)}]
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
