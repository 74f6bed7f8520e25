import unittest
from datetime import date

from tally.amounts import parse_amount
from tally.parser import parse
from tally.prices import NoPrice, PriceList

PRICES = "P 2025-01-03 USD 0.9705 EUR\nP 2025-03-01 USD 0.9600 EUR\n"


class Rates(unittest.TestCase):
    def setUp(self):
        self.prices = PriceList(parse(PRICES).prices)

    def converted(self, text, currency, day):
        return str(self.prices.convert(parse_amount(text), currency, date.fromisoformat(day)))

    def test_newest_of_the_day(self):
        self.assertEqual(self.converted("100.00 USD", "EUR", "2025-02-01"), "97.05 EUR")
        self.assertEqual(self.converted("100.00 USD", "EUR", "2025-03-01"), "96.00 EUR")

    def test_the_other_way(self):
        self.assertEqual(self.converted("97.05 EUR", "USD", "2025-01-03"), "100.00 USD")

    def test_there_and_back_is_the_same(self):
        for cents in range(1, 400, 7):
            text = f"{cents // 100}.{cents % 100:02d} USD"
            there = self.converted(text, "EUR", "2025-03-02")
            self.assertEqual(self.converted(there, "USD", "2025-03-02"), text)

    def test_before_the_first(self):
        with self.assertRaises(NoPrice):
            self.converted("1 USD", "EUR", "2024-12-31")
