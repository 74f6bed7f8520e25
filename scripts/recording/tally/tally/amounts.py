"""Amounts of money: what is written as `12.50 EUR`."""

import re
from dataclasses import dataclass

WRITTEN = re.compile(r"^(?P<sign>-?)(?P<number>[0-9][0-9,]*(?:\.[0-9]+)?) (?P<currency>[A-Z]{3})$")
TOLERANCE = 0.005  # two amounts nearer than this are the same


class AmountError(ValueError):
    """What was written is no amount."""


@dataclass(frozen=True)
class Amount:
    """So much of one currency."""

    value: float
    currency: str

    def __add__(self, other: "Amount") -> "Amount":
        if self.currency != other.currency:
            raise AmountError(f"{self.currency} and {other.currency} do not add up")
        return Amount(self.value + other.value, self.currency)

    def __neg__(self) -> "Amount":
        return Amount(-self.value, self.currency)

    def __mul__(self, factor: float) -> "Amount":
        return Amount(self.value * factor, self.currency)

    def is_zero(self) -> bool:
        """Nearer to nothing than half a cent?"""
        return abs(self.value) < TOLERANCE

    def __str__(self) -> str:
        return f"{self.value:,.2f} {self.currency}"


def parse_amount(text: str) -> Amount:
    """Reads `1,250.00 EUR`; AmountError when it is none."""
    match = WRITTEN.match(text.strip())
    if match is None:
        raise AmountError(f"no amount: {text.strip()!r}")
    number = float(match["number"].replace(",", ""))
    return Amount(-number if match["sign"] else number, match["currency"])
