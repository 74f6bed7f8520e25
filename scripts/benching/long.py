"""Measures long sessions: the first call with a list of megabytes, and epochs over 10,000 messages.

Results are multiples of a floor: the same request echoed by the bench's own process, which decodes and encodes each
message once. A list cannot be received and returned for less.
"""

from benching.epochs import OPENED
from benching.host import Host
from benching.pair import MODEL, Clock, Options, Pair, checked, passed, spent, timed
from benching.prepared import Growing, context, growing, pasted, request
from benching.table import Figure, Goal, figure, percentile

WINDOW_TOKENS = 200_000  # most of each list is removed
MILLISECONDS = 1_000
FIRST_FLOORS = 8
EPOCHS = 6  # in one round
EPOCH_P50_FLOORS, EPOCH_P99_FLOORS = 3, 6
# name, bytes, characters of a result: some sessions have much longer messages than others
LISTS = (
    ("1 MB", 1_000_000, 2_500),
    ("8 MB", 8_000_000, 2_500),
    ("15 MB, 10,000 messages", 15_000_000, 1_970),
    ("40 MB, 50,000 messages", 40_000_000, 500),
)


def measure(options: Options) -> list[Figure]:
    pair = Pair(options, each=True)
    try:
        figures = []
        for label, size, characters in LISTS:
            grown = growing(size, 0, result_characters=characters)
            figures.append(_first(pair, label, grown))
            if grown.counts[-1] // 1_000 == 10:
                figures += _epochs(pair, grown)
        figures.append(_first(pair, "8 MB in one message", pasted(8_000_000)))
        return figures
    finally:
        pair.close()


def first_of_ten_thousand(options: Options) -> list[Figure]:
    """CPU time of the first call with the list of 10,000 messages."""
    label, size, characters = LISTS[2]
    pair = Pair(options, each=True)
    try:
        return [_first(pair, label, growing(size, 0, result_characters=characters), spent)]
    finally:
        pair.close()


def _first(pair: Pair, label: str, grown: Growing, clock: Clock = passed) -> Figure:
    """Of a new session."""
    ours, floor = [], []
    for _ in range(pair.options.rounds):
        session = pair.session({**MODEL, "contextWindow": WINDOW_TOKENS})
        parts = context(1, session, grown.joined, "edits")
        ours.append(timed(pair.ours, parts, clock) * MILLISECONDS)
        checked(pair.ours.last)
        floor.append(timed(pair.floor, parts, clock) * MILLISECONDS)
        pair.end(session)
    goal = Goal("ratio", "at most", FIRST_FLOORS)
    return figure(f"first context, {label}", "ms", ours, floor, goal)


def _epochs(pair: Pair, grown: Growing) -> list[Figure]:
    """The list was shown whole while pruning was off, so it is known. It is sent once more when pruning is on
    again.
    """
    middle: tuple[list[float], list[float]] = ([], [])
    high: tuple[list[float], list[float]] = ([], [])
    for _ in range(pair.options.rounds):
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(pair.options.times(EPOCHS)):
            session = pair.session({**MODEL, "contextWindow": WINDOW_TOKENS})
            parts = context(1, session, grown.joined, "edits")
            _call(pair.ours, session, "setPruning", enabled=False)
            checked(pair.ours.ask(parts))
            _call(pair.ours, session, "setPruning", enabled=True)
            _call(pair.ours, session, "prune")
            times[0].append(timed(pair.ours, parts) * MILLISECONDS)
            if OPENED not in bytes(checked(pair.ours.last)):
                raise RuntimeError("no epoch was opened")
            times[1].append(timed(pair.floor, parts) * MILLISECONDS)
            pair.end(session)
        for side in (0, 1):
            middle[side].append(percentile(times[side], 0.5))
            high[side].append(percentile(times[side], 0.99))
    name = f"epoch over {grown.counts[-1]:,} messages"
    return [
        figure(f"{name}, p50", "ms", *middle, goal=Goal("ratio", "at most", EPOCH_P50_FLOORS)),
        figure(f"{name}, p99", "ms", *high, goal=Goal("ratio", "at most", EPOCH_P99_FLOORS)),
    ]


def _call(host: Host, session: str, method: str, **params: bool) -> None:
    checked(host.ask(request(2, method, {"sessionId": session, **params})))
