import unittest

from tally.parser import ParseError, parse

BAKERY = """2025-01-03 * Bakery Ohlsen
    expenses:food:bread      4.20 EUR  ; two loaves
    assets:cash
"""


class Transactions(unittest.TestCase):
    def test_amount_left_out(self):
        (one,) = parse(BAKERY).transactions
        self.assertEqual([str(posting.amount) for posting in one.postings], ["4.20 EUR", "-4.20 EUR"])

    def test_state_and_comment(self):
        (one,) = parse(BAKERY).transactions
        self.assertEqual((one.state, one.postings[0].comment), ("*", "two loaves"))

    def test_many_small_amounts_add_up(self):
        rows = "".join(f"    expenses:food:item{n}  0.10 EUR\n" for n in range(30))
        (one,) = parse(f"2025-01-03 Market\n{rows}    assets:cash  -3.00 EUR\n").transactions
        self.assertTrue(one.total().is_zero())

    def test_half_a_cent_too_much_is_a_fault(self):
        with self.assertRaises(ParseError):
            parse("2025-01-03 Fuel\n    expenses:car  1.799 EUR\n    assets:cash  -1.795 EUR\n")

    def test_does_not_add_up(self):
        with self.assertRaises(ParseError) as caught:
            parse("2025-01-03 A\n    expenses:a  1 EUR\n    assets:b  -2 EUR\n")
        self.assertEqual(str(caught.exception), "line 1: does not add up: -1.00 EUR too much")

    def test_two_amounts_left_out(self):
        with self.assertRaises(ParseError):
            parse("2025-01-03 A\n    expenses:a\n    assets:b\n")

    def test_unknown_root(self):
        with self.assertRaises(ParseError) as caught:
            parse("2025-01-03 A\n    foo:a  1 EUR\n    assets:b\n")
        self.assertEqual(caught.exception.line, 2)

    def test_a_price_that_is_none_has_its_line(self):
        with self.assertRaises(ParseError) as caught:
            parse("P 2025-01-03 USD cheap\n")
        self.assertEqual(caught.exception.line, 1)

    def test_tags(self):
        (one,) = parse("2025-01-03 A\n    ; trip: oslo\n    expenses:a  1 EUR\n    assets:b\n").transactions
        self.assertEqual(one.tags, {"trip": "oslo"})
