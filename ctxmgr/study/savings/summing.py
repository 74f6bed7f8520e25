"""Sums measured sessions into figures by length, and over all.

1. The length of a session is its number of model calls.
2. Dollars cover the sessions with a known price. The cost under a policy is their cost times the policy's share
   over them together, dollars over dollars.
3. Its interval is a bootstrap of that share over sessions. With fewer than LEAST_SESSIONS there is none, since they
   say too little about how sessions differ.
4. `kept` is pooled over all measured sessions, bytes over bytes.
"""

from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.study.figures import interval
from ctxmgr.study.observations import Ratio, total
from ctxmgr.study.savings.measuring import MeasuredSession, PolicyFigures

LEAST_SESSIONS = 10  # with fewer, a bootstrap's 95 % interval covers much less than 95 %


class Length(msgspec.Struct, frozen=True):
    """Sessions with at least and with fewer than these numbers of calls. `name`: continues "sessions ..."."""

    name: str
    least: int
    below: float

    def holds(self, calls: int) -> bool:
        return self.least <= calls < self.below


LENGTHS = (
    Length("under 25 calls", 0, 25),
    Length("of 25 to 60 calls", 25, 61),
    Length("of 61 to 150 calls", 61, 151),
    Length("over 150 calls", 151, float("inf")),
)
ALL = Length("all", 0, float("inf"))


class PolicySum(msgspec.Struct, frozen=True, rename="camel"):
    """`share`: of what the sessions cost, with its interval `low` to `high` if there is one; None if no session has
    a price. `kept`: None if nothing was repeated.
    """

    share: float | None
    low: float | None
    high: float | None
    kept: float | None


class LengthSum(msgspec.Struct, frozen=True, rename="camel"):
    """The sum over `sessions`, of which `priced` have a price: `calls`, and `dollars` of input. `alone_kept`: of
    the host without ctxmgr. `floor`: as a share of what the sessions cost.
    """

    name: str
    sessions: int
    priced: int
    calls: int
    dollars: float
    policies: dict[str, PolicySum]
    alone_kept: float | None = None
    floor: float | None = None


def summed(sessions: Sequence[MeasuredSession], policies: Sequence[str]) -> list[LengthSum]:
    """One row for each length that has sessions, and a last one over all. `sessions` must have no faults."""
    rows = [(length, [one for one in sessions if length.holds(one.calls)]) for length in (*LENGTHS, ALL)]
    return [_sum(length, some, policies) for length, some in rows if some or length is ALL]


def _sum(length: Length, sessions: Sequence[MeasuredSession], policies: Sequence[str]) -> LengthSum:
    ordered = sorted(sessions, key=lambda one: (one.session.path, one.session.id))  # independent of their order
    priced = [one for one in ordered if one.dollars]
    return LengthSum(
        name=length.name,
        sessions=len(sessions),
        priced=len(priced),
        calls=sum(one.calls for one in sessions),
        dollars=sum(one.dollars or 0.0 for one in priced),
        policies={name: _policy(name, ordered, priced) for name in policies},
        alone_kept=_kept(one.alone for one in ordered),
        floor=_floor(priced),
    )


def _kept(some: Iterable[PolicyFigures | None]) -> float | None:
    """Rule 4."""
    return total(Ratio(one.kept_bytes, one.repeated_bytes) for one in some if one is not None).share


def _floor(priced: Sequence[MeasuredSession]) -> float | None:
    """Rule 2 for the floor, over the sessions whose floor is known; None if there are none."""
    floors = [(one.dollars or 0.0, one.floor_share) for one in priced]
    known = [(dollars, dollars * share) for dollars, share in floors if share is not None]
    return sum(floor for _, floor in known) / sum(dollars for dollars, _ in known) if known else None


def _policy(name: str, sessions: Sequence[MeasuredSession], priced: Sequence[MeasuredSession]) -> PolicySum:
    """Rules 2 to 4."""
    costs = [one.dollars or 0.0 for one in priced]
    with_policy = [cost * one.policies[name].share for cost, one in zip(costs, priced, strict=True)]

    def share(drawn: Sequence[int]) -> float:
        return sum(map(with_policy.__getitem__, drawn)) / sum(map(costs.__getitem__, drawn))

    kept = _kept(one.policies[name] for one in sessions)
    low, high = interval(len(priced), share) if len(priced) >= LEAST_SESSIONS else (None, None)
    return PolicySum(share(range(len(priced))) if priced else None, low, high, kept)
