"""What a journal holds: transactions with postings, prices, and where they stand in the file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from tally.amounts import Amount
from tally.sums import Sum


@dataclass(frozen=True)
class Posting:
    """One account and what is put into it. `asserted`: what the account holds afterwards, if that was said."""

    account: str
    amount: Amount
    line: int
    asserted: Amount | None = None
    comment: str = ""


@dataclass(frozen=True)
class Transaction:
    day: date
    payee: str
    postings: tuple[Posting, ...]
    line: int
    state: str = ""  # "*" cleared, "!" pending
    tags: dict[str, str] = field(default_factory=dict)

    def total(self) -> Sum:
        return Sum(posting.amount for posting in self.postings)


@dataclass(frozen=True)
class Price:
    """From `day` on one unit of `currency` is worth `worth`."""

    day: date
    currency: str
    worth: Amount


@dataclass
class Journal:
    transactions: list[Transaction] = field(default_factory=list)
    prices: list[Price] = field(default_factory=list)

    def postings(self) -> Iterator[tuple[Transaction, Posting]]:
        for transaction in self.transactions:
            for posting in transaction.postings:
                yield transaction, posting

    def accounts(self) -> set[str]:
        return {posting.account for _, posting in self.postings()}

    def between(self, first: date, last: date) -> "Journal":
        chosen = [one for one in self.transactions if first <= one.day <= last]
        return Journal(chosen, self.prices)


def balances(journal: Journal, accounts: Iterable[str]) -> dict[str, Sum]:
    """What each of these accounts holds, those below it included."""
    sums = {account: Sum() for account in accounts}
    for _, posting in journal.postings():
        for account, total in sums.items():
            if posting.account == account or posting.account.startswith(account + ":"):
                total.add(posting.amount)
    return sums
