import unittest
from datetime import date

from tally.budget import parse_budget
from tally.parser import parse
from tally.reports import balance, budget_report, cash_flow, register

JOURNAL = """P 2025-01-01 USD 0.50 EUR

2025-01-02 Salary
    assets:bank  1,000.10 EUR
    income:work

2025-01-03 Market
    expenses:food  30.10 EUR
    assets:bank

2025-02-20 Diner
    expenses:food:out  20.00 USD
    assets:cash
"""


class Reports(unittest.TestCase):
    def setUp(self):
        self.journal = parse(JOURNAL)

    def test_balance(self):
        self.assertEqual(
            balance(self.journal, "expenses").splitlines(),
            ["30.10 EUR, 20.00 USD  expenses", "30.10 EUR, 20.00 USD    food", "           20.00 USD      out"],
        )

    def test_balance_in_one_currency(self):
        self.assertEqual(balance(self.journal, "expenses", "EUR").splitlines()[0], "40.10 EUR  expenses")

    def test_register(self):
        self.assertEqual(register(self.journal, "assets:bank").splitlines()[-1].split()[-4:], ["-30.10", "EUR", "970.00", "EUR"])

    def test_budget(self):
        text = budget_report(self.journal, parse_budget("expenses:food  60.20 EUR\n"), date(2025, 2, 10))
        self.assertIn("##########..........", text)

    def test_flow(self):
        self.assertEqual(cash_flow(self.journal).splitlines()[0].split()[-2:], ["970.00", "EUR"])
