import unittest

from tally.amounts import Amount, AmountError, parse_amount


class Parsing(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(str(parse_amount("12.50 EUR")), "12.50 EUR")

    def test_thousands(self):
        self.assertEqual(str(parse_amount("1,250.00 EUR")), "1,250.00 EUR")

    def test_negative(self):
        self.assertEqual(str(parse_amount("-0.10 EUR")), "-0.10 EUR")

    def test_without_decimals(self):
        self.assertEqual(str(parse_amount("7 USD")), "7.00 USD")

    def test_currency_in_front(self):
        with self.assertRaises(AmountError):
            parse_amount("EUR 12.50")

    def test_three_decimals_are_kept(self):
        self.assertEqual(str(parse_amount("1.799 EUR")), "1.799 EUR")


class Adding(unittest.TestCase):
    def test_ten_cents_ten_times(self):
        total = Amount.zero("EUR")
        for _ in range(10):
            total = total + parse_amount("0.10 EUR")
        self.assertEqual(total, parse_amount("1.00 EUR"))

    def test_two_currencies(self):
        with self.assertRaises(AmountError):
            parse_amount("1 EUR") + parse_amount("1 USD")

    def test_thirds_round_half_even(self):
        self.assertEqual(str(parse_amount("0.05 EUR").share(1, 2)), "0.02 EUR")
        self.assertEqual(str(parse_amount("0.15 EUR").share(1, 2)), "0.08 EUR")
