import unittest

from tally.rules import RuleError, account_for, parse_rules, unused

RULES = parse_rules("# food\nohlsen|brot -> expenses:food:bread\nmarkt -> expenses:food\nohlsen nord -> expenses:food:rolls\n")


class Rules(unittest.TestCase):
    def test_first_wins(self):
        self.assertEqual(account_for(RULES, "OHLSEN Markt"), "expenses:food:bread")

    def test_unknown(self):
        self.assertEqual(account_for(RULES, "Kino"), "expenses:unknown")

    def test_bad_pattern(self):
        with self.assertRaises(RuleError):
            parse_rules("( -> expenses:a\n")

    def test_unused(self):
        self.assertEqual([rule.line for rule in unused(RULES, ["Ohlsen Nord", "Markt"])], [4])
