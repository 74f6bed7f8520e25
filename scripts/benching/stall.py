"""Measures how long the loop is blocked while new text is counted: one session sends a megabyte of it, another
requests its status back to back over the same connection. Also measures it while a vocabulary loads. The figure is
the longest wait.
"""

import random
import sys
from itertools import count
from statistics import median
from time import perf_counter

from benching.host import Host
from benching.pair import (
    FLOOR,
    KEEP_ALL,
    KEEP_ALL_MODEL,
    MODEL,
    Options,
    Pair,
    checked,
    environment,
    initialize,
    serve_command,
)
from benching.prepared import Part, assistant, context, growing, prose, request, result, user
from benching.table import Figure, Goal, figure

NEW_TEXT = 1_000_000  # characters
CONTEXT_ID = 7
PINGS_BEFORE = 200  # to find the normal time
MILLISECONDS = 1_000
LOADED_SECONDS = 30.0  # within which a vocabulary is loaded or unavailable
ESTIMATED = b'"weigher":"estimate"'

_numbers = count(1)


def measure(options: Options) -> list[Figure]:
    pair = Pair(options)
    chance = random.Random(5)
    text = prose(chance, NEW_TEXT)
    lists: tuple[tuple[str, bytes], ...] = (
        ("many messages", growing(NEW_TEXT, 0).joined),
        ("one result", b",".join([user(0, "Read it."), assistant(chance, 1), result(chance, 1, NEW_TEXT)])),
        ("one user message", user(0, text)),
        ("one letter", user(0, "a" * NEW_TEXT)),
    )
    try:
        return [*(_stall(pair, label, joined) for label, joined in lists), _loading(options)]
    finally:
        pair.close()


def _loading(options: Options) -> Figure:
    """A host that reports no usage, so the vocabulary is loaded after its first event."""
    bare = Host([sys.executable, str(FLOOR)], options.transport, environment(options), small=True)
    ours, floor = zip(*[_while_loading(options, bare) for _ in range(options.rounds)], strict=True)
    bare.close()
    name = "largest wait while the vocabulary loads"
    return figure(name, "ms", ours, floor, Goal("ours", "at most", 5), "beyond the usual answer")


def _while_loading(options: Options, bare: Host) -> tuple[float, float]:
    """Milliseconds, and those of the floor, which loads nothing and is called in turn, to show the effect of a busy
    machine.
    """
    host = Host(serve_command(options.state_dir), options.transport, environment(options), small=True)
    session = f"loading-{next(_numbers)}"
    checked(host.ask(initialize()))
    checked(host.ask(request(1, "session_start", {"sessionId": session, "model": MODEL})))
    ping = request(5, "getStatus", {"sessionId": session})
    usual = median(_round_trips(host, ping, PINGS_BEFORE))
    reply = {"role": "assistant", "content": [{"type": "text", "text": "So it is."}], "stopReason": "stop"}
    event = {"sessionId": session, "message": {**reply, "timestamp": 1}, "toolResults": []}
    checked(host.ask(request(2, "turn_end", event)))
    largest, beside, begun = 0.0, 0.0, perf_counter()
    while ESTIMATED in bytes(host.last) or not largest:
        if perf_counter() - begun > LOADED_SECONDS:
            raise RuntimeError("no vocabulary was loaded")
        largest = max(largest, *_round_trips(host, ping, 1))
        beside = max(beside, *_round_trips(bare, ping, 1))
    host.close()
    return (largest - usual) * MILLISECONDS, (beside - usual) * MILLISECONDS


def _stall(pair: Pair, label: str, joined: bytes) -> Figure:
    ours, floor = [], []
    for _ in range(pair.options.rounds):
        asking = pair.session()
        weighing = pair.session(KEEP_ALL_MODEL, KEEP_ALL)
        ping = request(5, "getStatus", {"sessionId": asking})
        parts = context(CONTEXT_ID, weighing, joined, "messages")
        ours.append(beyond_normal(pair.ours, ping, parts))
        floor.append(beyond_normal(pair.floor, ping, parts))
        pair.end(asking)
        pair.end(weighing)
    name = f"largest wait while 1 MB is weighed: {label}"
    return figure(name, "ms", ours, floor, Goal("ours", "at most", 5), "beyond the usual answer")


def beyond_normal(host: Host, ping: list[Part], parts: list[Part]) -> float:
    """Milliseconds. The request and its own answer travel meanwhile, and are part of the wait."""
    usual = median(_round_trips(host, ping, PINGS_BEFORE))
    host.write(parts)
    largest, answered = 0.0, False
    while not answered:
        start = perf_counter()
        host.write(ping)
        while True:
            answer = host.read()
            if not _is_context(answer):
                break
            checked(answer)
            answered = True
        largest = max(largest, perf_counter() - start)
    return (largest - usual) * MILLISECONDS


def _is_context(answer: memoryview) -> bool:
    return b'"id":%d,' % CONTEXT_ID in bytes(answer[:32])


def _round_trips(host: Host, ping: list[Part], count: int) -> list[float]:
    out = []
    for _ in range(count):
        start = perf_counter()
        host.ask(ping)
        out.append(perf_counter() - start)
    return out
