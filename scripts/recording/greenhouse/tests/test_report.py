import unittest
from datetime import date, datetime, timedelta

from greenhouse.readings import Reading
from greenhouse.report import daily_summary, format_report, format_table, summaries_for

START = datetime(2026, 1, 14, 20)
ROWS = [
    Reading(START + timedelta(hours=hour), "Tomaten", "s1", 60.0 - hour, 60 + hour, 50.0 - hour, 3000)
    for hour in range(6)
]


class Summaries(unittest.TestCase):
    def test_day(self) -> None:
        (summary,) = daily_summary(ROWS, date(2026, 1, 14))
        self.assertEqual((summary.lowest, summary.mean, summary.highest), (57.0, 58.5, 60.0))
        self.assertEqual((summary.moisture, summary.rows), (47.0, 4))

    def test_all_days(self) -> None:
        self.assertEqual([summary.day.day for summary in summaries_for(ROWS)], [14, 15])

    def test_no_rows(self) -> None:
        self.assertEqual(daily_summary(ROWS, date(2026, 1, 16)), [])


class Tables(unittest.TestCase):
    def test_columns(self) -> None:
        table = format_table(("bed", "min"), [("Tomaten", "57.0"), ("Kräuter", "9.0")])
        self.assertEqual(table.splitlines(), ["bed       min", "-------  ----", "Tomaten  57.0", "Kräuter   9.0"])

    def test_report(self) -> None:
        first = format_report(summaries_for(ROWS)).splitlines()[0]
        self.assertEqual(first, "Wed 2026-01-14 (°F)")
