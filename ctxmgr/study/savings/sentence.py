"""Turns the figures into one sentence for people.

It says whose sessions they are, what they cost, what they would have cost under the policy, and for which lengths
it changes nothing. The first matching row of `CASES` gives the cost under the policy, those of `LENGTHS_SAY` the
lengths. Cases are distinguished by the interval, or with few sessions by the share alone. A share within `SAME` of
the bill counts as equal.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ctxmgr.model import currency
from ctxmgr.study.savings.summing import LengthSum

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
