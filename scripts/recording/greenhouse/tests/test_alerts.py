import unittest
from datetime import datetime, timedelta

from greenhouse.alerts import count_by_kind, find_alerts, format_alert
from greenhouse.beds import Bed
from greenhouse.readings import Reading

START = datetime(2026, 1, 14)
BED = Bed("Salat", "lettuce", 3, frost_below=35.6, heat_above=77.0, dry_below=38.0, minutes=6)


def hours(*temps: float, moisture: float = 50.0, skip: int = 0) -> list[Reading]:
    """One reading an hour with these temperatures."""
    return [
        Reading(START + timedelta(hours=skip + hour), "Salat", "s3", temp, 60, moisture, 3000)
        for hour, temp in enumerate(temps)
    ]


class Find(unittest.TestCase):
    def test_nothing(self) -> None:
        self.assertEqual(find_alerts(hours(50, 51, 52), [BED]), [])

    def test_frost_joins_hours(self) -> None:
        (alert,) = find_alerts(hours(50, 34, 33, 34, 50), [BED])
        self.assertEqual((alert.kind, alert.hours, alert.worst), ("frost", 3, 33))
        self.assertEqual(alert.start, START + timedelta(hours=1))

    def test_gap_splits(self) -> None:
        self.assertEqual(len(find_alerts(hours(34, 50, 50, 50, 34), [BED])), 2)

    def test_threshold_replaces_the_limit(self) -> None:
        self.assertEqual(len(find_alerts(hours(37, 37), [BED])), 0)
        self.assertEqual(len(find_alerts(hours(37, 37), [BED], threshold=38)), 1)

    def test_heat_and_dry(self) -> None:
        found = find_alerts(hours(80, 81, moisture=30), [BED])
        self.assertEqual([alert.kind for alert in found], ["heat", "dry"])
        self.assertEqual(count_by_kind(found), {"frost": 0, "heat": 1, "dry": 1})


class Text(unittest.TestCase):
    def test_line(self) -> None:
        (alert,) = find_alerts(hours(50, 34, 33, 50), [BED])
        self.assertEqual(format_alert(alert), "-  frost Salat    2026-01-14 01:00 to 02:00  33.0 °F  2 h")

    def test_severe(self) -> None:
        (alert,) = find_alerts(hours(34, 33, 32), [BED])
        self.assertTrue(format_alert(alert).startswith("!! frost"))
