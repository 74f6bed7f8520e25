import unittest

from tally.csvimport import ImportFault, read_rows, reconcile, transactions, written
from tally.rules import parse_rules

HEAD = "booked;payee;purpose;amount;currency;balance\n"


class Rows(unittest.TestCase):
    def test_german_numbers(self):
        (row,) = read_rows(HEAD + "03.01.2025;Ohlsen;Brot;-1.234,56;EUR;99,10\n")
        self.assertEqual((str(row.amount), str(row.balance)), ("-1,234.56 EUR", "99.10 EUR"))

    def test_three_cents_reconcile(self):
        rows = read_rows(HEAD + "03.01.2025;a;b;0,10;EUR;0,10\n03.01.2025;a;b;0,20;EUR;0,30\n")
        self.assertEqual(reconcile(rows), [])

    def test_a_gap_is_told(self):
        rows = read_rows(HEAD + "03.01.2025;a;b;0,10;EUR;0,10\n03.01.2025;a;b;0,20;EUR;0,40\n")
        self.assertEqual(reconcile(rows), ["line 3: balance 0.40 EUR, expected 0.30 EUR"])

    def test_bad_day(self):
        with self.assertRaises(ImportFault):
            read_rows(HEAD + "31.02.2025;a;b;0,10;EUR;0,10\n")

    def test_written(self):
        rows = read_rows(HEAD + "03.01.2025;Ohlsen;Brot;-4,20;EUR;99,10\n")
        text = written(transactions(rows, parse_rules("ohlsen -> expenses:food:bread\n"), "assets:bank"))
        self.assertIn("expenses:food:bread               4.20 EUR", text)
