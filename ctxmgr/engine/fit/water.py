"""Turns weights and what they are over by into the cap at which they fit: only what is heavier is cut, to it."""

from collections.abc import Sequence

Vessel = tuple[int, int]
"""What something weighs, and the least that it may be cut to, in tokens."""


def water_level(vessels: Sequence[Vessel], over: float) -> int:
    """The highest cap, in tokens, at which these lose `over`: each is cut to the cap or to its least, whichever is
    more. 0 where even that would not do."""
    low, high = 0, max((weight for weight, _ in vessels), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if lost(vessels, middle) >= over:
            low = middle
        else:
            high = middle - 1
    return low


def lost(vessels: Sequence[Vessel], cap: int) -> int:
    """What they lose at this cap, in tokens."""
    return sum(max(0, weight - max(cap, least)) for weight, least in vessels)
