"""Turns the weights of a session's unmanaged list into the calls at which probes are asked, the same for all.

1. EVEN points evenly over the tokens from FROM_TOKENS on: the ends of as many equal stretches, the last at the last
   call.
2. Where the list first weighs each of SHARES of the window.
3. Where the recorded host had compacted.
"""

from collections.abc import Iterable, Sequence

EVEN = 8
FROM_TOKENS = 30_000
SHARES = (0.5, 0.7, 0.9, 1.0)


def points(weights: Sequence[int], window: int, compacted: Iterable[int] = ()) -> tuple[int, ...]:
    """Numbers of calls, ascending, each once. `weights`: tokens of the whole list at each call; `window` in tokens;
    `compacted`: numbers of the first calls after a recorded compaction."""
    if not weights:
        return ()
    total = weights[-1]
    wanted = [FROM_TOKENS + (total - FROM_TOKENS) * number / EVEN for number in range(1, EVEN + 1)]
    wanted = wanted if total > FROM_TOKENS else []
    wanted += [share * window for share in SHARES]
    found = {call for tokens in wanted if (call := _first(weights, tokens)) is not None}
    return tuple(sorted(found.union(call for call in compacted if call < len(weights))))


def _first(weights: Sequence[int], tokens: float) -> int | None:
    return next((call for call, weight in enumerate(weights) if weight >= tokens), None)
