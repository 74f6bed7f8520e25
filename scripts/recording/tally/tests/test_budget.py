import unittest
from datetime import date

from tally.budget import compare, parse_budget, projected
from tally.parser import parse

JOURNAL = """P 2025-01-01 USD 0.50 EUR

2025-01-03 Market
    expenses:food  30.10 EUR
    assets:cash

2025-01-20 Diner
    expenses:food:out  20.00 USD
    assets:cash
"""


class Compared(unittest.TestCase):
    def setUp(self):
        (self.spent,) = compare(parse(JOURNAL), parse_budget("expenses:food  80.20 EUR\n"))

    def test_in_the_currency_of_the_plan(self):
        self.assertEqual(str(self.spent.spent), "40.10 EUR")

    def test_share(self):
        self.assertEqual(round(self.spent.share, 3), 0.5)

    def test_projected(self):
        self.assertEqual(str(projected(self.spent, date(2025, 1, 10))), "120.30 EUR")

    def test_no_amount(self):
        with self.assertRaises(ValueError):
            parse_budget("expenses:food\n")
