"""Sums measured sessions into figures by length, and over all; and shows the figures: in one sentence, as a table
for the terminal, and as a page with the same rows and notes.

1. The length of a session is its number of model calls.
2. Dollars cover the sessions with a known price. The cost under a policy is their cost times the policy's share
   over them together, dollars over dollars.
3. Its interval is a bootstrap of that share over sessions. With fewer than LEAST_SESSIONS there is none, since they
   say too little about how sessions differ.
4. `kept` is pooled over all measured sessions, bytes over bytes.
5. The sentence says whose sessions they are, what they cost, what they would have cost under the policy, and for
   which lengths it changes nothing. The first matching row of `CASES` gives the cost under the policy, those of
   `LENGTHS_SAY` the lengths. Cases are distinguished by the interval, or with few sessions by the share alone. A
   share within `SAME` of the bill counts as equal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from ctxmgr.engine.retention import KEEP
from ctxmgr.model import currency
from ctxmgr.study.console import TextTable, figure
from ctxmgr.study.figures import interval
from ctxmgr.study.observations import Ratio, total
from ctxmgr.study.report import BASE, PolicyPoint, escaped, page
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


SAME = 0.005  # of the bill: nobody would notice a smaller difference
WHOLE_DOLLARS = 20.0  # from here on cents mean nothing in an estimate


class Scope(NamedTuple):
    """About the sessions: how many were `found`, and `when`, such as "of the last 30 days"; "" if the user named
    them. `is_exact`: each cost comes from the provider's count and the model's own prices.
    """

    found: int
    when: str
    is_exact: bool = True


class PolicyBill(NamedTuple):
    """What a number of sessions cost in dollars, and would have cost under a policy, as shares of that; with few
    sessions without an interval.
    """

    sessions: int
    dollars: float
    share: float
    low: float | None
    high: float | None

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval; without one, the share is both ends."""
        return self.share if self.low is None else self.low, self.share if self.high is None else self.high

    @property
    def is_same(self) -> bool:
        return all(abs(end - 1) <= SAME for end in self.ends)

    @property
    def between(self) -> str:
        low, high = (estimate(end * self.dollars) for end in self.ends)
        return f"about {low}" if low == high else f"{low} to {high}"

    @property
    def doubt(self) -> str:
        """What few sessions leave uncertain."""
        few = f"{self.sessions} sessions are" if self.sessions > 1 else "one session is"
        return "" if self.low else f", though {few} too few to tell"


class Case(NamedTuple):
    fits: Callable[[PolicyBill], bool]
    says: Callable[[PolicyBill], str]


CASES = (
    Case(lambda bill: bill.is_same, lambda bill: "would have cost the same"),
    Case(lambda bill: bill.ends[1] < 1, lambda bill: f"would have cost {bill.between}{bill.doubt}"),
    Case(lambda bill: bill.ends[0] > 1, lambda bill: f"would have cost more, {bill.between}{bill.doubt}"),
    Case(lambda bill: True, lambda bill: f"would have cost {bill.between}, so no saving is shown"),
)
LENGTHS_SAY: tuple[tuple[Callable[[float], bool], str], ...] = (  # for lengths with such a share
    (lambda share: abs(share - 1) <= SAME, "save nothing"),
    (lambda share: share > 1 + SAME, "would have cost more"),
)


def sentence(rows: Sequence[LengthSum], policy: str, scope: Scope) -> str:
    """`rows`: from `summing.summed`; the last one covers all sessions."""
    *lengths, every = rows
    if not scope.found:
        return f"No sessions {scope.when or 'in what you named'} were found."
    if not every.sessions:
        return f"Of {_found(scope)} none could be measured."
    if not every.priced:
        return f"Of {_found(scope)} none has a model whose price is known, so none has a cost."
    bill = _bill(every, policy)
    said = next(case for case in CASES if case.fits(bill)).says(bill)
    found = _found(scope)
    some = f"{every.priced:,} of {found} {'has' if every.priced == 1 else 'have'} a known cost:"
    whose = f"{found} cost" if every.priced == scope.found else some
    about = "" if scope.is_exact else "about "
    cost = f"{whose[0].upper()}{whose[1:]} {about}{currency.amount(every.dollars)} in input at list prices"
    tail = "".join(f"; {text}" for text in (() if bill.is_same else _of_lengths(lengths, policy)))
    return f"{cost}; {policy} {said}{tail}."


def _bill(row: LengthSum, policy: str) -> PolicyBill:
    figures = row.policies[policy]
    return PolicyBill(row.priced, row.dollars, figures.share or 0.0, figures.low, figures.high)


def _found(scope: Scope) -> str:
    sessions = f"{scope.found:,} session{'' if scope.found == 1 else 's'}"
    return f"your {sessions} {scope.when}" if scope.when else f"the {sessions} that you named"


def estimate(dollars: float) -> str:
    """Rounded to what an estimate can claim."""
    return currency.amount(dollars, ",.0f" if dollars >= WHOLE_DOLLARS else ",.2f")


def _of_lengths(lengths: Sequence[LengthSum], policy: str) -> Iterator[str]:
    """One part of the sentence for each matching row; none if there is only one length."""
    shares = {row.name: _bill(row, policy).share for row in lengths if row.priced}
    for fits, says in LENGTHS_SAY:
        names = [name for name, share in shares.items() if fits(share)]
        if names and len(shares) > 1:
            yield f"sessions {' and '.join(names)} {says}"


TITLE = "What your sessions cost, and would have cost"
SHARE_OF = 100_000  # a share has five digits
NAMED_MODELS = 3  # shown by name


class Findings(msgspec.Struct, frozen=True):
    """What there is to show. `found`: number of sessions. `measured`: of them, with and without faults.
    `unreadable`: places that contain sessions and cannot be read. `seconds`: the time limit, if it was too short
    for all sessions.
    """

    said: str
    rows: Sequence[LengthSum]
    measured: Sequence[MeasuredSession]
    found: int
    unreadable: int
    seconds: float


def table(findings: Findings) -> TextTable:
    policies = list(findings.rows[-1].policies)
    heads = ("length", "sessions", "calls", "cost", *(head for name in policies for head in (name, "kept")))
    return TextTable("by length of session, with 95 % intervals", heads, [_row(row) for row in findings.rows])


def _row(row: LengthSum) -> list[str]:
    cost = currency.amount(row.dollars) if row.priced else "-"
    sessions = (
        f"{row.sessions:,}" if row.priced == row.sessions else f"{row.sessions:,} ({row.priced:,} with a cost)"
    )
    counts = [row.name.removeprefix("of "), sessions, f"{row.calls:,}", cost]
    return counts + [cell for policy in row.policies.values() for cell in _cells(policy, row.dollars)]


def _cells(policy: PolicySum, dollars: float) -> tuple[str, str]:
    if policy.share is None:
        return "-", figure(policy.kept, 3)
    ends = " to ".join(currency.amount(end * dollars) for end in (policy.low, policy.high) if end is not None)
    return currency.amount(policy.share * dollars) + (f" ({ends})" if ends else ""), figure(policy.kept, 3)


def notes(findings: Findings) -> Iterator[str]:
    """The basis of the figures, and what they do not include, one sentence each."""
    good = [one for one in findings.measured if not one.fault]
    if len(findings.measured) < findings.found:
        yield (
            f"In {findings.seconds:g} seconds (--seconds), {len(findings.measured):,} of {findings.found:,} "
            "sessions were read, in a random order that is the same in every run; a faster run reads more."
        )
    if empty := sum(one.is_empty for one in findings.measured):
        yield f"Not counted, for no model was called in them: {empty:,}."
    faulty = [one for one in findings.measured if one.fault and not one.is_empty]
    if failed := Counter(one.session.title for one in faulty):
        some = ", ".join(f"{title} {count:,}" for title, count in sorted(failed.items()) if title)
        whose = f" ({some})" if some else ""
        yield (
            f"Not measured, because they cannot be read as sessions: {failed.total():,}{whose}; "
            "in --json, `fault` of each session says why."
        )
    if findings.unreadable:
        yield f"Places that hold sessions and cannot be read: {findings.unreadable:,} (`unreadable` in --json)."
    yield from _of_prices(good)
    if good:
        yield (
            "Cost: what providers counted, at list prices; a subscription is billed otherwise. A policy's cost: "
            "that, times its closed-loop cost as a share of the host's alone. Kept: of what replies repeat of the "
            "old conversation, the share that the list had; 1 is all of it."
        )
    if 0 < findings.rows[-1].priced < LEAST_SESSIONS:
        yield f"Fewer than {LEAST_SESSIONS} sessions have no interval."


def _of_prices(good: Sequence[MeasuredSession]) -> Iterator[str]:
    priced = [one for one in good if one.dollars is not None]
    if without := Counter(one.model for one in good if one.dollars is None):
        yield f"Without a known price, so without a cost: {_sessions(without.total())} ({_names(without)})."
    guessed = Counter(f"{one.model} as {one.priced_as}" for one in priced if not one.is_known)
    if guessed:
        yield f"By the prices of the nearest model of the family: {_sessions(guessed.total())} ({_names(guessed)})."
    if uncounted := sum(not one.is_counted for one in priced):
        yield f"Cost by the list alone, for its provider's count was not recorded: {_sessions(uncounted)}."


def _sessions(count: int) -> str:
    return f"{count:,} session{'' if count == 1 else 's'}"


def _names(counts: Counter[str]) -> str:
    names = [name for name, _ in counts.most_common(NAMED_MODELS)]
    more = len(counts) - len(names)
    return ", ".join(names) + (f", and {more} more" if more else "")


def html(findings: Findings) -> str:
    """The page."""
    shown = table(findings)
    body = f"<h1>{escaped(TITLE)}</h1><p><b>{escaped(findings.said)}</b></p>"
    body += _picture(findings.rows[-1])
    body += page.text_table(shown.title.capitalize(), shown.heads, shown.rows)
    return page.document(TITLE, body + "".join(map(page.soft, notes(findings))))


def _picture(row: LengthSum) -> str:
    """Cost against kept over all sessions: the policies, the agents alone, and the floor."""
    alone = PolicyPoint(BASE, row.sessions, 1.0, _ratio(row.alone_kept))
    points = [
        PolicyPoint(name, row.sessions, policy.share, _ratio(policy.kept), KEEP[name])
        for name, policy in row.policies.items()
    ]
    return page.points_drawing([alone, *points], row.floor, cost="closed")


def _ratio(share: float | None) -> Ratio:
    return Ratio(0, 0) if share is None else Ratio(round(SHARE_OF * share), SHARE_OF)
