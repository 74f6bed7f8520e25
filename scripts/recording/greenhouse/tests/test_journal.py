import unittest
from datetime import datetime

from greenhouse.journal import JournalError, last_watering, minutes_per_bed, parse_journal, watered_on

LINES = (
    "2026-02-06T05:30:01 poll pump=ok pressure=2.1bar tank=88% valves=closed",
    "2026-02-06T06:00:14 open valve=1 bed=Tomaten by=schedule",
    "2026-02-06T06:10:14 close valve=1 bed=Tomaten",
    "2026-02-06T06:15:14 open valve=2 bed=Gurken by=hand",
    "2026-02-06T06:23:15 close valve=2 bed=Gurken",
    "2026-02-07T06:00:14 open valve=1 bed=Tomaten by=schedule",
)


class Journal(unittest.TestCase):
    def test_pairs(self) -> None:
        journal = parse_journal(LINES)
        self.assertEqual([(each.bed, each.minutes, each.by) for each in journal], [
            ("Tomaten", 10, "schedule"),
            ("Gurken", 8, "hand"),
        ])

    def test_sums(self) -> None:
        self.assertEqual(minutes_per_bed(parse_journal(LINES)), {"Tomaten": 10, "Gurken": 8})

    def test_watered_on(self) -> None:
        journal = parse_journal(LINES)
        self.assertTrue(watered_on(journal, "Gurken", datetime(2026, 2, 6).date()))
        self.assertFalse(watered_on(journal, "Gurken", datetime(2026, 2, 7).date()))

    def test_last_watering(self) -> None:
        journal = parse_journal(LINES)
        self.assertIsNone(last_watering(journal, "Gurken", datetime(2026, 2, 6, 6, 20)))
        found = last_watering(journal, "Gurken", datetime(2026, 2, 6, 7))
        self.assertEqual(found and found.by, "hand")

    def test_broken_line(self) -> None:
        with self.assertRaisesRegex(JournalError, "line 1"):
            parse_journal(["2026-02-06T06:00:14 open valve=1 by=schedule"])
