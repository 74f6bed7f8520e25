"""Sums over several currencies: what an account holds."""

from collections.abc import Iterable

from tally.amounts import Amount


class Sum:
    """One amount a currency. Mutable, for adding up."""

    def __init__(self, amounts: Iterable[Amount] = ()) -> None:
        self.parts: dict[str, float] = {}
        for amount in amounts:
            self.add(amount)

    def add(self, amount: Amount) -> None:
        self.parts[amount.currency] = self.parts.get(amount.currency, 0.0) + amount.value

    def include(self, other: "Sum") -> None:
        for amount in other.amounts():
            self.add(amount)

    def amounts(self) -> list[Amount]:
        """Those that are not zero, by currency."""
        found = [Amount(value, currency) for currency, value in sorted(self.parts.items())]
        return [amount for amount in found if not amount.is_zero()]

    def of(self, currency: str) -> Amount:
        return Amount(self.parts.get(currency, 0.0), currency)

    def is_zero(self) -> bool:
        return not self.amounts()

    def __str__(self) -> str:
        return ", ".join(str(amount) for amount in self.amounts()) or "0"
