"""Turns amounts of one currency into another by the prices of the journal."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import date

from tally.amounts import Amount
from tally.journal import Price


class NoPrice(LookupError):
    """No price leads from one currency to the other on that day."""


class PriceList:
    def __init__(self, prices: Iterable[Price]) -> None:
        self.by_pair: dict[tuple[str, str], list[tuple[date, float]]] = {}
        for price in prices:
            self._enter(price.currency, price.worth.currency, price.day, price.worth.value)
            self._enter(price.worth.currency, price.currency, price.day, 1 / price.worth.value)
        for rates in self.by_pair.values():
            rates.sort()

    def _enter(self, source: str, target: str, day: date, rate: float) -> None:
        self.by_pair.setdefault((source, target), []).append((day, rate))

    def rate(self, source: str, target: str, day: date) -> float:
        """The newest rate up to that day."""
        if source == target:
            return 1.0
        rates = self.by_pair.get((source, target), [])
        place = bisect_right(rates, (day, float("inf")))
        if place == 0:
            raise NoPrice(f"no price from {source} to {target} on {day}")
        return rates[place - 1][1]

    def convert(self, amount: Amount, currency: str, day: date) -> Amount:
        rate = self.rate(amount.currency, currency, day)
        return Amount(round(amount.value * rate, 2), currency)
