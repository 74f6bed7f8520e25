import unittest

from tally.lint import lint
from tally.parser import parse


class Findings(unittest.TestCase):
    def found(self, text, *without):
        return [str(one) for one in lint(parse(text), without)]

    def test_assertion_holds_to_the_cent(self):
        rows = "".join(f"2025-01-{n:02d} A\n    assets:cash  0.10 EUR = {n / 10:.2f} EUR\n    income:a\n\n" for n in range(1, 9))
        self.assertEqual(self.found(rows), [])

    def test_assertion_fails(self):
        text = "2025-01-01 A\n    assets:cash  1 EUR = 2 EUR\n    income:a\n"
        self.assertEqual(self.found(text, "rare"), ["line 2: assets:cash holds 1.00 EUR, not 2.00 EUR [assertion]"])

    def test_order(self):
        text = "2025-01-02 A\n    assets:a  1 EUR\n    income:a\n\n2025-01-01 A\n    assets:a  1 EUR\n    income:a\n"
        self.assertEqual(self.found(text), ["line 5: 2025-01-01 stands after 2025-01-02 [order]"])

    def test_duplicate(self):
        one = "2025-01-02 A\n    assets:a  1 EUR\n    income:a\n\n"
        self.assertEqual(self.found(one + one), ["line 5: A on 2025-01-02 is there twice [duplicate]"])
