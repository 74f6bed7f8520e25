"""Measures calls that open an epoch over a long list: how long they take, and how long another session's `context`
waits meanwhile.

There are two kinds of such calls. The first call with a list sends all of it, so it is read and counted before the
choice. In the other the list is already known, since pruning was off so far, and has nothing new: this measures
only the choice.
"""

from collections.abc import Callable, Sequence
from time import perf_counter

from benching.host import Host
from benching.lists import base
from benching.pair import MODEL, Options, Pair, checked
from benching.prepared import Growing, Part, appended, context, growing, request
from benching.stall import CONTEXT_ID, beyond_normal
from benching.table import Figure, Goal, figure

SIZES = (("1 MB", 1_000_000), ("8 MB", 8_000_000))
MODEL_OF_LONG = {**MODEL, "contextWindow": 200_000}  # tokens: each list exceeds it, so that an epoch is due
OTHER_BYTES = 20_000  # of the other session's list: short, and known
OPENED = b'"arithmetic":'  # only a newly opened epoch reports its arithmetic
MILLISECONDS = 1_000

# sends everything that precedes it, and returns the frame of a call of this session that opens an epoch
Due = Callable[[Pair, str, Growing], list[Part]]


def measure(options: Options) -> list[Figure]:
    pair = Pair(options)
    try:
        return [
            result
            for label, size in SIZES
            for way, due in (("first call", _first), ("list known", _known))
            for result in _opened(pair, f"{label}, {way}", growing(size, 0), due, size <= 1_000_000)
        ]
    finally:
        pair.close()


def _opened(pair: Pair, label: str, grown: Growing, due: Due, has_goal: bool) -> list[Figure]:
    """In each round one such call is timed alone, and one while another session calls."""
    times: list[float] = []
    waits: tuple[list[float], list[float]] = ([], [])
    for _ in range(pair.options.rounds):
        alone, beside, other = (pair.session(MODEL_OF_LONG) for _ in range(3))
        times.append(_timed(pair.ours, due(pair, alone, grown)))
        parts = due(pair, beside, grown)
        ping = context(5, other, growing(OTHER_BYTES, 0).joined)
        for host, kept in zip((pair.ours, pair.floor), waits, strict=True):
            kept.append(beyond_normal(host, ping, parts))
        for session in (alone, beside, other):
            pair.end(session)
    goal = Goal("ours", "at most", 5) if has_goal else None
    return [
        figure(f"epoch over {label}", "ms", times),
        figure(f"another's context waits, epoch over {label}", "ms", *waits, goal=goal),
    ]


def _first(pair: Pair, session: str, grown: Growing) -> list[Part]:
    return context(CONTEXT_ID, session, grown.joined, "edits")


def _known(pair: Pair, session: str, grown: Growing) -> list[Part]:
    """The list was shown while pruning was off. Pruning is on again, and the list has nothing new."""
    checked(pair.ours.ask(request(1, "setPruning", {"sessionId": session, "enabled": False})))
    tag = base(pair.ours, context(2, session, grown.joined, "edits"))
    checked(pair.ours.ask(request(3, "setPruning", {"sessionId": session, "enabled": True})))
    # without new content the price alone opens no epoch
    checked(pair.ours.ask(request(4, "prune", {"sessionId": session})))
    return appended(CONTEXT_ID, session, grown.counts[-1], tag, b"")


def _timed(host: Host, parts: Sequence[Part]) -> float:
    """Returns milliseconds."""
    start = perf_counter()
    answer = host.ask(parts)
    seconds = perf_counter() - start
    if OPENED not in bytes(checked(answer)):
        raise RuntimeError("no epoch was opened")
    return seconds * MILLISECONDS
