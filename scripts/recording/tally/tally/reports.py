"""The reports: a journal into text."""

from datetime import date

from tally.accounts import depth, is_below, parts, tree
from tally.budget import Line, compare, projected
from tally.journal import Journal, balances
from tally.prices import PriceList
from tally.sums import Sum
from tally.tables import bar, table


def balance(journal: Journal, below: str = "", currency: str = "") -> str:
    """One line an account, those below it included; in one currency where that is asked for."""
    accounts = [name for name in tree(journal.accounts()) if not below or is_below(name, below)]
    sums = balances(journal, accounts)
    if currency:
        last = max((one.day for one in journal.transactions), default=date.min)
        sums = {name: converted(total, journal, currency, last) for name, total in sums.items()}
    rows = [(str(sums[name]), "  " * depth(name) + parts(name)[-1]) for name in accounts if not sums[name].is_zero()]
    return table(rows, "rl")


def converted(total: Sum, journal: Journal, currency: str, day: date) -> Sum:
    prices = PriceList(journal.prices)
    return Sum(prices.convert(amount, currency, day) for amount in total.amounts())


def register(journal: Journal, account: str) -> str:
    """Each posting of an account with the sum so far."""
    rows, total = [], Sum()
    for transaction, posting in journal.postings():
        if is_below(posting.account, account):
            total.add(posting.amount)
            rows.append((str(transaction.day), transaction.payee, posting.account, str(posting.amount), str(total)))
    return table(rows, "lllrr")


def budget_report(journal: Journal, budget: list[Line], today: date) -> str:
    rows = []
    for one in compare(journal, budget):
        year, month = one.month
        likely = projected(one, today)
        rows.append((f"{year}-{month:02d}", one.account, str(one.spent), str(one.planned), bar(one.share), str(likely)))
    return table(rows, "llrrlr")


def cash_flow(journal: Journal) -> str:
    """Income and expenses a month, and what is left of it."""
    rows = []
    for year, month in sorted({(one.day.year, one.day.month) for one in journal.transactions}):
        came, went = Sum(), Sum()
        for transaction, posting in journal.postings():
            if (transaction.day.year, transaction.day.month) != (year, month):
                continue
            if is_below(posting.account, "income"):
                came.add(-posting.amount)
            elif is_below(posting.account, "expenses"):
                went.add(posting.amount)
        left = Sum([*came.amounts(), *(-amount for amount in went.amounts())])
        rows.append((f"{year}-{month:02d}", str(came), str(went), str(left)))
    return table(rows, "lrrr")
