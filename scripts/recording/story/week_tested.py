"""The long turn goes on: a test finds a fault in the new module, the command line learns it."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, fails, read, step, write

STORY: Story = (
    step("For the tests I'll follow the style of the report's.", read("tests/test_report.py")),
    step(
        "",
        write(
            "tests/test_week.py",
            '''
import dataclasses
import unittest
from datetime import date, datetime, timedelta

from greenhouse.beds import Bed
from greenhouse.journal import Watering
from greenhouse.readings import Reading
from greenhouse.week import format_weeks, week_of, weekly_summary

SALAT = Bed("Salat", "lettuce", 3, frost_below=2.0, heat_above=25.0, dry_below=38.0, minutes=6)
SUNDAY = datetime(2026, 2, 8, 21)


def hours(*temps: float | None, start: datetime = SUNDAY, bed: str = "Salat") -> list[Reading]:
    """One reading an hour with these temperatures (°C)."""
    return [
        Reading(start + timedelta(hours=hour), bed, "s3", temp, 60, 50.0 - hour, 3000)
        for hour, temp in enumerate(temps)
    ]


def watered(start: datetime, minutes: int, bed: str = "Salat") -> Watering:
    return Watering(bed, start, start + timedelta(minutes=minutes), "schedule")


class Weeks(unittest.TestCase):
    def test_week_of(self) -> None:
        self.assertEqual(week_of(date(2026, 2, 14)), (2026, 7))

    def test_monday_begins_a_week(self) -> None:
        self.assertNotEqual(week_of(date(2026, 2, 8)), week_of(date(2026, 2, 9)))

    def test_turn_of_the_year(self) -> None:
        """Monday 29 December 2025 belongs to the first week of 2026."""
        self.assertEqual(week_of(date(2025, 12, 29)), (2026, 1))
        self.assertEqual(week_of(date(2027, 1, 1)), (2026, 53))


class Summaries(unittest.TestCase):
    def test_midnight_on_sunday_splits(self) -> None:
        summaries = weekly_summary(hours(5, 6, 7, 8, 9), [SALAT])
        self.assertEqual([(each.week, each.lowest, each.highest) for each in summaries], [
            ((2026, 6), 5, 7),
            ((2026, 7), 8, 9),
        ])

    def test_mean(self) -> None:
        (summary,) = weekly_summary(hours(5, 6, 10), [SALAT])
        self.assertEqual(summary.mean, 7)

    def test_frost_hours(self) -> None:
        (summary,) = weekly_summary(hours(1, 0.5, 5), [SALAT])
        self.assertEqual(summary.frost_hours, 2)

    def test_frost_of_another_bed_does_not_count(self) -> None:
        rows = hours(5, 5, 5) + hours(1, 1, 1, bed="Gurken")
        salat, gurken = weekly_summary(rows, [SALAT])
        self.assertEqual((salat.frost_hours, gurken.frost_hours), (0, 0))

    def test_dropouts(self) -> None:
        rows = hours(5, None, 7)
        rows[-1] = dataclasses.replace(rows[-1], moisture=None)
        (summary,) = weekly_summary(rows, [SALAT])
        self.assertEqual((summary.mean, summary.moisture), (6, 49.0))

    def test_water_by_week_and_bed(self) -> None:
        journal = [
            watered(SUNDAY, 6),
            watered(SUNDAY + timedelta(hours=4), 9),
            watered(SUNDAY, 8, bed="Gurken"),
        ]
        summaries = weekly_summary(hours(5, 6, 7, 8, 9), [SALAT], journal)
        self.assertEqual([each.water_minutes for each in summaries], [6, 9])


class Text(unittest.TestCase):
    def test_table(self) -> None:
        lines = format_weeks(weekly_summary(hours(1, 5, 9), [SALAT], [watered(SUNDAY, 6)])).splitlines()
        self.assertEqual(lines[0], "week 6 of 2026, from Mon 2026-02-02 (°C)")
        self.assertEqual(lines[-1].split(), ["Salat", "1.0", "5.0", "9.0", "1", "h", "48.0", "%", "6", "min"])

    def test_dash_for_nothing(self) -> None:
        last = format_weeks(weekly_summary(hours(None), [SALAT])).splitlines()[-1]
        self.assertEqual(last.split(), ["Salat", "-", "-", "-", "-", "50.0", "%", "-"])

    def test_no_readings(self) -> None:
        self.assertEqual(format_weeks([]), "")
''',
        ),
        fails(bash("python3 run_tests.py week")),
    ),
    step(
        "The turn of the year, good that there is a test: I mixed the calendar year with the ISO week. 29 December 2025 "
        "lies in week 1 of 2026.",
        edit(
            "greenhouse/week.py",
            "    return day.year, day.isocalendar().week\n",
            "    iso = day.isocalendar()\n    return iso.year, iso.week  # not day.year: they differ around New Year",
        ),
        bash("python3 run_tests.py week"),
    ),
    step(
        "Now the command.",
        edit(
            "greenhouse/cli.py",
            """
def journal(options: argparse.Namespace) -> int:
""",
            """
def week(options: argparse.Namespace) -> int:
    journal = load_journal(options.journal) if options.journal else []
    print(format_weeks(weekly_summary(load_readings(options.file), load_beds(options.beds), journal)))
    return 0


def journal(options: argparse.Namespace) -> int:
""",
        ),
    ),
    step(
        "",
        edit(
            "greenhouse/cli.py",
            'COMMANDS = {"report": report, "alerts": alerts, "plan": plan, "journal": journal}',
            'COMMANDS = {"report": report, "week": week, "alerts": alerts, "plan": plan, "journal": journal}',
        ),
        edit(
            "greenhouse/cli.py",
            '''
from greenhouse.units import parse_old_threshold, parse_temperature

USAGE = """python3 -m greenhouse COMMAND FILE [options]

  report FILE [--day DAY]
''',
            '''
from greenhouse.units import parse_old_threshold, parse_temperature
from greenhouse.week import format_weeks, weekly_summary

USAGE = """python3 -m greenhouse COMMAND FILE [options]

  report FILE [--day DAY]
  week FILE [--journal LOG]
''',
        ),
    ),
    step("", bash("python3 -m greenhouse week readings/2026-02.csv --journal log/valve.log")),
)
