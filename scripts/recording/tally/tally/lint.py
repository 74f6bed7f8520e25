"""Checks of a journal: what is legal and still looks wrong."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tally.journal import Journal
from tally.sums import Sum


@dataclass(frozen=True)
class Finding:
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text} [{self.rule}]"


def assertions(journal: Journal) -> Iterator[Finding]:
    """What an account was said to hold, and what it holds."""
    held: dict[str, Sum] = {}
    for _, posting in journal.postings():
        total = held.setdefault(posting.account, Sum())
        total.add(posting.amount)
        if posting.asserted is not None:
            there = total.of(posting.asserted.currency)
            if there.value != posting.asserted.value:
                yield Finding(posting.line, "assertion", f"{posting.account} holds {there}, not {posting.asserted}")


def order(journal: Journal) -> Iterator[Finding]:
    newest = None
    for one in journal.transactions:
        if newest is not None and one.day < newest:
            yield Finding(one.line, "order", f"{one.day} stands after {newest}")
        newest = max(newest, one.day) if newest else one.day


def duplicates(journal: Journal) -> Iterator[Finding]:
    """The same day, payee and amounts twice."""
    seen: Counter[tuple] = Counter()
    for one in journal.transactions:
        key = (one.day, one.payee, tuple((posting.account, posting.amount) for posting in one.postings))
        seen[key] += 1
        if seen[key] == 2:
            yield Finding(one.line, "duplicate", f"{one.payee} on {one.day} is there twice")


def rare_accounts(journal: Journal) -> Iterator[Finding]:
    """An account that is used once may be a slip of the pen."""
    counts = Counter(posting.account for _, posting in journal.postings())
    for _, posting in journal.postings():
        if counts[posting.account] == 1:
            yield Finding(posting.line, "rare", f"{posting.account} is used once")


def pending(journal: Journal) -> Iterator[Finding]:
    for one in journal.transactions:
        if one.state == "!":
            yield Finding(one.line, "pending", f"{one.payee} on {one.day} is pending")


CHECKS: dict[str, Callable[[Journal], Iterator[Finding]]] = {
    "assertion": assertions,
    "order": order,
    "duplicate": duplicates,
    "rare": rare_accounts,
    "pending": pending,
}


def lint(journal: Journal, without: tuple[str, ...] = ()) -> list[Finding]:
    """All findings by line, without those of some rules."""
    found = [one for name, check in CHECKS.items() if name not in without for one in check(journal)]
    return sorted(found, key=lambda one: (one.line, one.rule))
