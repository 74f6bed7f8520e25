"""Reads a journal's text. One pass, line by line; the first fault ends it with its line number."""

import re
from datetime import date

from tally.accounts import AccountError, check_name
from tally.amounts import Amount, AmountError, parse_amount
from tally.journal import Journal, Posting, Price, Transaction
from tally.sums import Sum

HEAD = re.compile(r"^(?P<day>\d{4}-\d{2}-\d{2})(?: (?P<state>[*!]))? (?P<payee>.+)$")
PRICE = re.compile(r"^P (?P<day>\d{4}-\d{2}-\d{2}) (?P<currency>[A-Z]{3}) (?P<worth>.+)$")
POSTING = re.compile(r"^ {4}(?P<account>\S+(?: \S+)*)(?: {2,}(?P<rest>.*))?$")
TAG = re.compile(r"^(?P<name>[a-z-]+): (?P<value>.+)$")


class ParseError(ValueError):
    """Where the text is no journal: `line` counts from 1."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line


class Parser:
    def __init__(self) -> None:
        self.journal = Journal()
        self.head: tuple[int, re.Match[str]] | None = None
        self.rows: list[tuple[int, str, Amount | None, Amount | None, str]] = []
        self.tags: dict[str, str] = {}

    def feed(self, number: int, line: str) -> None:
        if not line.strip():
            self.end()
        elif line.startswith("    ;"):
            self.comment(line.strip()[1:].strip())
        elif line.startswith("    "):
            self.posting(number, line)
        elif line.startswith(";"):
            return
        elif line.startswith("P "):
            self.end()
            self.price(number, line)
        else:
            self.end()
            self.open(number, line)

    def open(self, number: int, line: str) -> None:
        match = HEAD.match(line)
        if match is None:
            raise ParseError(number, f"neither a transaction nor a price: {line!r}")
        self.head = number, match

    def comment(self, text: str) -> None:
        if match := TAG.match(text):
            self.tags[match["name"]] = match["value"]

    def posting(self, number: int, line: str) -> None:
        if self.head is None:
            raise ParseError(number, "a posting without a transaction")
        match = POSTING.match(line)
        if match is None:
            raise ParseError(number, f"no posting: {line!r}")
        try:
            account = check_name(match["account"])
            written, _, comment = (match["rest"] or "").partition(";")
            value, _, asserted = written.partition("=")
            amount = parse_amount(value) if value.strip() else None
            held = parse_amount(asserted) if asserted.strip() else None
        except (AccountError, AmountError) as error:
            raise ParseError(number, str(error)) from None
        self.rows.append((number, account, amount, held, comment.strip()))

    def price(self, number: int, line: str) -> None:
        match = PRICE.match(line)
        if match is None:
            raise ParseError(number, f"no price: {line!r}")
        worth = parse_amount(match["worth"])
        self.journal.prices.append(Price(day_of(number, match["day"]), match["currency"], worth))

    def end(self) -> None:
        """The transaction is complete: the amount that was left out is what makes it add up."""
        if self.head is None:
            return
        number, match = self.head
        open_rows = [row for row in self.rows if row[2] is None]
        if len(open_rows) > 1:
            raise ParseError(open_rows[1][0], "a second posting without an amount")
        total = Sum(row[2] for row in self.rows if row[2] is not None)
        postings = []
        for line, account, amount, held, comment in self.rows:
            if amount is not None:
                postings.append(Posting(account, amount, line, held, comment))
            else:
                postings += [Posting(account, -part, line, held, comment) for part in total.amounts()]
        if not open_rows and not total.is_zero():
            raise ParseError(number, f"does not add up: {total} too much")
        self.journal.transactions.append(
            Transaction(day_of(number, match["day"]), match["payee"], tuple(postings), number, match["state"] or "", self.tags)
        )
        self.head, self.rows, self.tags = None, [], {}


def day_of(number: int, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ParseError(number, f"no such day: {text}") from None


def parse(text: str) -> Journal:
    """The whole text; ParseError at the first fault."""
    parser = Parser()
    for number, line in enumerate(text.splitlines(), start=1):
        parser.feed(number, line)
    parser.end()
    return parser.journal
