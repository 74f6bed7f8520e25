import unittest

from greenhouse.units import format_temperature, parse_temperature, to_celsius, to_fahrenheit


class Conversion(unittest.TestCase):
    def test_there(self) -> None:
        self.assertAlmostEqual(to_fahrenheit(21.5), 70.7)

    def test_back(self) -> None:
        self.assertAlmostEqual(to_celsius(70.7), 21.5)

    def test_freezing_is_32(self) -> None:
        self.assertEqual(to_fahrenheit(0), 32)

    def test_round_trip(self) -> None:
        for tenths in range(-200, 450, 7):
            self.assertAlmostEqual(to_celsius(to_fahrenheit(tenths / 10)), tenths / 10)


class Text(unittest.TestCase):
    def test_fahrenheit(self) -> None:
        self.assertEqual(format_temperature(70.7), "70.7 °F")

    def test_celsius_on_request(self) -> None:
        self.assertEqual(format_temperature(70.7, "C"), "21.5 °C")

    def test_parse_bare_number(self) -> None:
        self.assertEqual(parse_temperature("38"), 38)

    def test_parse_with_unit(self) -> None:
        self.assertEqual(parse_temperature("38 °F"), 38)
        self.assertAlmostEqual(parse_temperature("3.3C"), 37.94)

    def test_parse_nonsense(self) -> None:
        with self.assertRaises(ValueError):
            parse_temperature("cold")
