import unittest

from tally.accounts import AccountError, check_name, is_below, parents, tree


class Names(unittest.TestCase):
    def test_parents(self):
        self.assertEqual(list(parents("expenses:food:bread")), ["expenses:food", "expenses"])

    def test_below(self):
        self.assertTrue(is_below("assets:bank", "assets"))
        self.assertFalse(is_below("assets:bankrupt", "assets:bank"))

    def test_tree(self):
        self.assertEqual(tree(["assets:bank", "expenses:food"]), ["assets", "assets:bank", "expenses", "expenses:food"])

    def test_empty_part(self):
        with self.assertRaises(AccountError):
            check_name("assets::bank")
