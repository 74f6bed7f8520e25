"""Turns a course into the arrays that a schedule is chosen on: what each first kept step leaves out, saves, misses.

1. What the user said stays in place whatever the first kept step is; all other messages leave with their step. What
   stands before the first step leaves with it.
2. The newest `NEWEST` steps of a call's list can not be left out.
3. Two lists that differ in the first kept step have in common what stays before the first message that one of them
   leaves out: `front` of the lower of the two.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

import msgspec

from ctxmgr.study.baselines.last_mention import Standing
from ctxmgr.study.baselines.timeline import Course
from ctxmgr.study.metrics.billing import Prices, is_cold

NEWEST = 2  # steps: the running call and what it was made from


class Ground(msgspec.Struct, frozen=True):
    """Lists by call or by step; weights in tokens. `limit`: no list is longer where it can be shorter, None for no
    limit (a host compacts at its window, so that it has none longer either).

    `held[call]`: of all messages so far. `choices[call]`: the first kept step is one of so many. `cold[call]`: the
    cache is. `gone[step]`: what is left out where this is the first kept one; `front[step]`: rule 3.
    `missed[call][step]`: names; `names` in all.
    """

    prices: Prices
    limit: int | None
    held: tuple[int, ...]
    choices: tuple[int, ...]
    cold: tuple[bool, ...]
    gone: tuple[int, ...]
    front: tuple[int, ...]
    missed: tuple[tuple[int, ...], ...]
    names: int


def starts(found: Course) -> list[int]:
    """The places of the steps; the first is the list's start (rule 1)."""
    return [0, *[cut for cut in found.cuts if found.items[cut].role == "assistant"][1:]]


def ground(
    found: Course,
    stood: Sequence[Standing],
    weigh: Callable[[bytes], int],
    prices: Prices,
    limit: int | None = None,
) -> Ground:
    """`stood` by call; `weigh`: bytes of a message to tokens."""
    steps = starts(found)
    leaves = [one.role != "user" for one in found.items]
    weights = [weigh(one.raw) for one in found.items]
    held = list(accumulate(weights, initial=0))
    gone = list(accumulate((weight * may for weight, may in zip(weights, leaves, strict=True)), initial=0))
    leaving = [place for place, may in enumerate(leaves) if may] or [0]
    fronts = [leaving[bisect_left(leaving, step, 0, len(leaving) - 1)] for step in steps]
    choices = tuple(max(1, bisect_left(steps, one.end) + 1 - NEWEST) for one in found.asked)
    times = [one.at for one in found.asked]
    return Ground(
        prices=prices,
        limit=limit,
        held=tuple(held[one.end] for one in found.asked),
        choices=choices,
        cold=tuple(is_cold(before, now, prices.ttl_ms) for before, now in zip([None, *times], times, strict=False)),
        gone=tuple(gone[step] for step in steps),
        front=tuple(held[front] - gone[front] for front in fronts),
        missed=tuple(_missed(one.last, steps, many) for one, many in zip(stood, choices, strict=True)),
        names=sum(one.names for one in stood),
    )


def _missed(last: Sequence[int], steps: Sequence[int], choices: int) -> tuple[int, ...]:
    """By first kept step: so many names stood last in a step before it."""
    counts = [0] * (len(steps) + 1)
    for place in last:
        counts[bisect_right(steps, place)] += 1
    return tuple(accumulate(counts[:choices]))
