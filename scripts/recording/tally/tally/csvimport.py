"""Turns the rows of a bank's CSV file into transactions of a journal."""

import csv
import io
from dataclasses import dataclass
from datetime import date

from tally.amounts import Amount
from tally.journal import Posting, Transaction
from tally.rules import Rule, account_for

COLUMNS = ("booked", "payee", "purpose", "amount", "currency", "balance")


class ImportFault(ValueError):
    """A row that can not be read."""


@dataclass(frozen=True)
class Row:
    day: date
    payee: str
    purpose: str
    amount: Amount
    balance: Amount
    line: int


def read_rows(text: str) -> list[Row]:
    reader = csv.DictReader(io.StringIO(text), delimiter=";")
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise ImportFault(f"line 1: columns {reader.fieldnames}, wanted {', '.join(COLUMNS)}")
    rows = []
    for number, cells in enumerate(reader, start=2):
        try:
            day, month, year = cells["booked"].split(".")
            rows.append(
                Row(
                    day=date(int(year), int(month), int(day)),
                    payee=cells["payee"].strip(),
                    purpose=cells["purpose"].strip(),
                    amount=Amount(german(cells["amount"]), cells["currency"]),
                    balance=Amount(german(cells["balance"]), cells["currency"]),
                    line=number,
                )
            )
        except (ValueError, AttributeError) as error:
            raise ImportFault(f"line {number}: {error}") from None
    return rows


def german(text: str) -> float:
    """Reads `-1.234,56`."""
    return float(text.replace(".", "").replace(",", "."))


def reconcile(rows: list[Row]) -> list[str]:
    """Where the bank's own balance is not the one before plus the amount."""
    faults = []
    for before, row in zip(rows, rows[1:]):
        expected = before.balance.value + row.amount.value
        if expected != row.balance.value:
            faults.append(f"line {row.line}: balance {row.balance}, expected {Amount(expected, row.amount.currency)}")
    return faults


def transactions(rows: list[Row], rules: list[Rule], account: str) -> list[Transaction]:
    found = []
    for row in rows:
        other = account_for(rules, f"{row.payee} {row.purpose}")
        postings = (Posting(other, -row.amount, row.line), Posting(account, row.amount, row.line))
        found.append(Transaction(row.day, row.payee, postings, row.line, "*"))
    return found


def written(found: list[Transaction]) -> str:
    """As a journal's text."""
    blocks = []
    for one in found:
        lines = [f"{one.day} {one.state + ' ' if one.state else ''}{one.payee}"]
        lines += [f"    {posting.account:<32}  {posting.amount}" for posting in one.postings]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
