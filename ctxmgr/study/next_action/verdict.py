"""Compares what a model does next with each list, against what chance alone would do.

Each list is sent twice: A and A' with the host's list, B and B' with ctxmgr's. A model seldom answers the same
twice, so the agreement of A with A', and of B with B', is how often a list agrees with itself. If A and B agree
less than that, the list made the difference. If the answers have probabilities p and q, the expected difference is
half the squared distance of p and q: zero if they are equal, and never negative. Its interval is a bootstrap over
calls.
"""

from collections.abc import Callable, Sequence
from statistics import fmean

import msgspec

from ctxmgr.study.figures import difference
from ctxmgr.study.next_action.actions import Action

FEWEST_CALLS = 10  # with fewer, an interval says nothing
UNSEEN = 0.05  # n calls show a change in more than 1 - UNSEEN ** (1 / n) of all calls, 19 times of 20

Same = Callable[[Action, Action], bool]


class Sample(msgspec.Struct, frozen=True):
    """The answers for one call. `number`: of the call in its session, from 1. `before`: A and A'. `after`: B and
    B'.
    """

    number: int
    before: tuple[Action, Action]
    after: tuple[Action, Action]


class Agreement(msgspec.Struct, frozen=True, rename="camel"):
    """Shares of calls, 0 to 1. `before`: A equals A'; `after`: B equals B'; `across`: one of each. `changed`: how
    much lower the agreement is across than within, with the ends of its 95 % interval, `low` and `high`.
    """

    before: float
    after: float
    across: float
    changed: float
    low: float
    high: float


def same_tool(one: Action, other: Action) -> bool:
    return one.tool == other.tool


def same_action(one: Action, other: Action) -> bool:
    return one == other


def agreement(samples: Sequence[Sample], same: Same) -> Agreement:
    """The agreement over at least one call."""
    before = [float(same(*sample.before)) for sample in samples]
    after = [float(same(*sample.after)) for sample in samples]
    across = [fmean(same(one, other) for one in sample.before for other in sample.after) for sample in samples]
    within = map(fmean, zip(before, after, strict=True))
    told = difference(list(zip(within, across, strict=True)))
    return Agreement(fmean(before), fmean(after), fmean(across), told["mean"], told["low"], told["high"])


def sentence(samples: Sequence[Sample]) -> str:
    """The conclusion in words."""
    calls = f"{len(samples)} call{'' if len(samples) == 1 else 's'}"
    if len(samples) < FEWEST_CALLS:
        are = "is" if len(samples) == 1 else "are"
        return f"{calls} {are} too few to say anything: ask for at least {FEWEST_CALLS}."
    action = agreement(samples, same_action)
    agree = f"the two lists agree {action.across:.0%} of the time, each with itself {_mean(action):.0%}"
    if action.low > 0:
        return f"ctxmgr's list changes the next action: over {calls} {agree}."
    hidden = max(action.high, 1 - UNSEEN ** (1 / len(samples)))
    return f"No change shown over {calls}: {agree}. A change of up to {hidden:.0%} could hide in that."


def _mean(told: Agreement) -> float:
    return (told.before + told.after) / 2
