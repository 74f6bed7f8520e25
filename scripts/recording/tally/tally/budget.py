"""Budgets: what was planned a month for an account, and what went out."""

from dataclasses import dataclass
from datetime import date

from tally.accounts import check_name, is_below
from tally.amounts import Amount, parse_amount
from tally.journal import Journal
from tally.prices import PriceList


@dataclass(frozen=True)
class Line:
    account: str
    monthly: Amount


@dataclass(frozen=True)
class Spent:
    """One account in one month. `share`: of the plan, 1.0 when it is used up."""

    account: str
    month: tuple[int, int]
    planned: Amount
    spent: Amount
    share: float


def parse_budget(text: str) -> list[Line]:
    """One account and amount a line, two blanks between."""
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        account, _, amount = line.strip().partition("  ")
        if not amount:
            raise ValueError(f"line {number}: no amount")
        lines.append(Line(check_name(account), parse_amount(amount)))
    return lines


def months(journal: Journal) -> list[tuple[int, int]]:
    return sorted({(one.day.year, one.day.month) for one in journal.transactions})


def compare(journal: Journal, budget: list[Line]) -> list[Spent]:
    prices = PriceList(journal.prices)
    found = []
    for month in months(journal):
        for line in budget:
            total = Amount(0.0, line.monthly.currency)
            for transaction, posting in journal.postings():
                day = transaction.day
                if (day.year, day.month) == month and is_below(posting.account, line.account):
                    total = total + prices.convert(posting.amount, line.monthly.currency, day)
            share = total.value / line.monthly.value if line.monthly.value else 0.0
            found.append(Spent(line.account, month, line.monthly, total, share))
    return found


def projected(spent: Spent, today: date) -> Amount:
    """What the month comes to if it goes on like this."""
    if (today.year, today.month) != spent.month:
        return spent.spent
    return spent.spent * (30 / today.day)
