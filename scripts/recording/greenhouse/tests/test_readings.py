import tempfile
import unittest
from datetime import date, datetime
from pathlib import Path

from greenhouse.readings import ReadingError, by_bed, days, latest, load_readings, on_day, parse_row

HEADER = "time,bed,sensor,temp,unit,humidity,moisture,battery_mv"
ROWS = (
    "2026-01-14T22:00,Tomaten,s1,58.3,F,61,52.4,3104",
    "2026-01-14T23:00,Tomaten,s1,57.2,F,63,51.9,3104",
    "2026-01-14T23:00,Gurken,s2,60.1,F,66,58.0,3099",
    "2026-01-15T00:00,Tomaten,s1,56.8,F,64,51.2,2790",
)


def load(*rows: str, header: str = HEADER) -> list:
    """Readings from text, through a real file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
        return load_readings(path)


class Load(unittest.TestCase):
    def test_one_reading_a_row(self) -> None:
        self.assertEqual(len(load(*ROWS)), 4)

    def test_cells(self) -> None:
        first = load(*ROWS)[0]
        self.assertEqual(first.time, datetime(2026, 1, 14, 22))
        self.assertEqual((first.bed, first.sensor), ("Tomaten", "s1"))
        self.assertEqual((first.temp, first.moisture), (58.3, 52.4))

    def test_low_battery(self) -> None:
        self.assertEqual([reading.low_battery for reading in load(*ROWS)], [False, False, False, True])

    def test_missing_column(self) -> None:
        with self.assertRaisesRegex(ReadingError, "missing column moisture"):
            load(header=HEADER.replace(",moisture", ""))

    def test_error_says_the_line(self) -> None:
        with self.assertRaisesRegex(ReadingError, "rows.csv:3: "):
            load(ROWS[0], ROWS[1].replace("63", "many"))


class Group(unittest.TestCase):
    def test_by_bed(self) -> None:
        grouped = by_bed(load(*ROWS))
        self.assertEqual([(bed, len(rows)) for bed, rows in grouped.items()], [("Tomaten", 3), ("Gurken", 1)])

    def test_days(self) -> None:
        readings = load(*ROWS)
        self.assertEqual(days(readings), [date(2026, 1, 14), date(2026, 1, 15)])
        self.assertEqual(len(on_day(readings, date(2026, 1, 14))), 3)

    def test_latest(self) -> None:
        newest = latest(load(*ROWS), datetime(2026, 1, 14, 23, 30))
        self.assertEqual(newest["Tomaten"].temp, 57.2)
        self.assertEqual(newest["Gurken"].temp, 60.1)

    def test_parse_row(self) -> None:
        cells = dict(zip(HEADER.split(","), ROWS[2].split(","), strict=True))
        self.assertEqual(parse_row(cells).bed, "Gurken")
