"""The tests learn Celsius, and an option gets another name."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, read, step, write

STORY: Story = (
    step(
        "As expected, the tests still speak Fahrenheit. `test_alerts` is mostly numbers, so I'll write it anew; the "
        "others need a line or two.",
        read("tests/test_alerts.py"),
        read("tests/test_cli.py"),
        thinking="Failures are all in the tests' own numbers. While at the command line: --threshold with a bare number "
        "used to be °F. A silent change of meaning is dangerous: rename it to --frost-below, which says what it is.",
    ),
    step(
        "",
        write(
            "tests/test_alerts.py",
            '''
import unittest
from datetime import datetime, timedelta

from greenhouse.alerts import count_by_kind, find_alerts, format_alert
from greenhouse.beds import Bed
from greenhouse.readings import Reading

START = datetime(2026, 2, 11)
BED = Bed("Salat", "lettuce", 3, frost_below=2.0, heat_above=25.0, dry_below=38.0, minutes=6)


def hours(*temps: float | None, moisture: float | None = 50.0) -> list[Reading]:
    """One reading an hour with these temperatures (°C)."""
    return [
        Reading(START + timedelta(hours=hour), "Salat", "s3", temp, 60, moisture, 3000)
        for hour, temp in enumerate(temps)
    ]


class Find(unittest.TestCase):
    def test_nothing(self) -> None:
        self.assertEqual(find_alerts(hours(10, 11, 12), [BED]), [])

    def test_frost_joins_hours(self) -> None:
        (alert,) = find_alerts(hours(7.5, 1.8, 0.4, 1.0, 10.1), [BED])
        self.assertEqual((alert.kind, alert.hours, alert.worst), ("frost", 3, 0.4))
        self.assertEqual(alert.start, START + timedelta(hours=1))

    def test_gap_splits(self) -> None:
        self.assertEqual(len(find_alerts(hours(1, 10, 10, 10, 1), [BED])), 2)

    def test_hour_without_value_does_not_split(self) -> None:
        (alert,) = find_alerts(hours(1, None, 1), [BED])
        self.assertEqual(alert.hours, 2)

    def test_threshold_replaces_the_limit(self) -> None:
        self.assertEqual(len(find_alerts(hours(2.8, 2.8), [BED])), 0)
        self.assertEqual(len(find_alerts(hours(2.8, 2.8), [BED], threshold=3.3)), 1)

    def test_heat_and_dry(self) -> None:
        found = find_alerts(hours(27, 28, moisture=30), [BED])
        self.assertEqual([alert.kind for alert in found], ["heat", "dry"])
        self.assertEqual(count_by_kind(found), {"frost": 0, "heat": 1, "dry": 1})

    def test_no_moisture_is_not_dry(self) -> None:
        self.assertEqual(find_alerts(hours(10, 10, moisture=None), [BED]), [])


class Text(unittest.TestCase):
    def test_line(self) -> None:
        (alert,) = find_alerts(hours(7.5, 1.8, 0.4, 10.1), [BED])
        self.assertEqual(format_alert(alert), "-  frost Salat    2026-02-11 01:00 to 02:00  0.4 °C  2 h")

    def test_severe(self) -> None:
        (alert,) = find_alerts(hours(1.8, 1.0, 0.4), [BED])
        self.assertTrue(format_alert(alert).startswith("!! frost"))
''',
        ),
        edit("tests/test_report.py", "2026-01-14 (°F)", "2026-01-14 (°C)"),
        edit(
            "tests/test_readings.py",
            "self.assertEqual((first.temp, first.moisture), (58.3, 52.4))",
            "self.assertEqual((first.temp, first.moisture), (14.6, 52.4))  # 58.3 °F",
        ),
        edit(
            "tests/test_readings.py",
            """
        self.assertEqual(newest["Tomaten"].temp, 57.2)
        self.assertEqual(newest["Gurken"].temp, 60.1)
""",
            """
        self.assertEqual(newest["Tomaten"].temp, 14.0)
        self.assertEqual(newest["Gurken"].temp, 15.6)
""",
        ),
        edit(
            "tests/test_readings.py",
            """
    def test_nonsense_is_still_an_error(self) -> None:
""",
            """
    def test_celsius_stays(self) -> None:
        (reading,) = load("2026-02-11T05:00,Salat,s3,0.4,C,78,54.1,2800")
        self.assertEqual(reading.temp, 0.4)

    def test_unknown_unit(self) -> None:
        with self.assertRaisesRegex(ReadingError, "unknown unit 'K'"):
            load("2026-02-11T05:00,Salat,s3,273.5,K,78,54.1,2800")

    def test_nonsense_is_still_an_error(self) -> None:
""",
        ),
    ),
    step(
        "Now `test_units`, and the option. A bare number after `--threshold` used to mean °F; I'd rather give it a name "
        "that says what it is than change its meaning silently: `--frost-below`, in °C.",
        edit(
            "tests/test_units.py",
            """
    def test_fahrenheit(self) -> None:
        self.assertEqual(format_temperature(70.7), "70.7 °F")

    def test_celsius_on_request(self) -> None:
        self.assertEqual(format_temperature(70.7, "C"), "21.5 °C")

    def test_parse_bare_number(self) -> None:
        self.assertEqual(parse_temperature("38"), 38)

    def test_parse_with_unit(self) -> None:
        self.assertEqual(parse_temperature("38 °F"), 38)
        self.assertAlmostEqual(parse_temperature("3.3C"), 37.94)
""",
            """
    def test_celsius(self) -> None:
        self.assertEqual(format_temperature(21.5), "21.5 °C")

    def test_fahrenheit_on_request(self) -> None:
        self.assertEqual(format_temperature(21.5, "F"), "70.7 °F")

    def test_parse_bare_number(self) -> None:
        self.assertEqual(parse_temperature("3.3"), 3.3)

    def test_parse_with_unit(self) -> None:
        self.assertEqual(parse_temperature("3.3 °C"), 3.3)
        self.assertAlmostEqual(parse_temperature("41F"), 5.0)
""",
        ),
        bash(
            "python3 - <<'EOF'\n"
            "import pathlib\n"
            "path = pathlib.Path('greenhouse/cli.py')\n"
            "text = path.read_text(encoding='utf-8')\n"
            "text = text.replace('--threshold', '--frost-below').replace('options.threshold', 'options.frost_below')\n"
            "path.write_text(text, encoding='utf-8')\n"
            "EOF\n"
            "grep -n frost greenhouse/cli.py"
        ),
        edit(
            "tests/test_cli.py",
            """
    def test_threshold(self) -> None:
        _, out, _ = run("alerts", self.csv, "--threshold", "38")
""",
            """
    def test_frost_below(self) -> None:
        _, out, _ = run("alerts", self.csv, "--frost-below", "3.3")
""",
        ),
        bash("python3 run_tests.py"),
    ),
    step(
        "Green. February's alerts, and January for comparison (exit code 1 only means that there are alerts):",
        bash("python3 -m greenhouse alerts readings/2026-02.csv; true"),
        bash("python3 -m greenhouse alerts readings/2026-01.csv; true"),
    ),
    step(
        """
Celsius everywhere now 🌡️

- `parse_row` converts January's °F rows; February's stay as they are. An unknown unit is an error with file and line.
- `config/beds.json` holds 5 / 8 / 2 / 4 °C as frost limits: exactly the old numbers, converted.
- Report and alerts print °C.
- `--threshold` is now called `--frost-below` and takes °C.

The night of 11 February shows up as real frost in three beds: Salat went down to 0.4 °C and was below its limit for four hours. January has the same three alerts as before.
"""
    ),
)
