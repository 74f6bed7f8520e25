"""Sensor readings: turns the CSV file of a month into a list of `Reading`.

A logger writes one row an hour for each sensor head:

    time,bed,sensor,temp,unit,humidity,moisture,battery_mv
    2026-01-14T00:00,Tomaten,s1,58.3,F,61,52.4,3104

Rows come in the order in which the heads report, which is by time and then by sensor.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

COLUMNS = ("time", "bed", "sensor", "temp", "unit", "humidity", "moisture", "battery_mv")

# Below this the radio of a head becomes unreliable (sheet of the maker, page 4).
LOW_BATTERY_MV = 2800


class ReadingError(ValueError):
    """A row that can not be understood; says the file and the line."""


@dataclass(frozen=True)
class Reading:
    """What one sensor head saw at one time."""

    time: datetime
    bed: str
    sensor: str
    temp: float  # °F
    humidity: int  # percent
    moisture: float  # percent of what the soil can hold
    battery_mv: int

    @property
    def day(self) -> date:
        return self.time.date()

    @property
    def low_battery(self) -> bool:
        return self.battery_mv < LOW_BATTERY_MV


def parse_row(row: dict[str, str]) -> Reading:
    """Turns one row of a CSV file into a `Reading`; ValueError when a cell is no number."""
    return Reading(
        time=datetime.fromisoformat(row["time"]),
        bed=row["bed"],
        sensor=row["sensor"],
        temp=float(row["temp"]),
        humidity=int(row["humidity"]),
        moisture=float(row["moisture"]),
        battery_mv=int(row["battery_mv"]),
    )


def load_readings(path: str | Path) -> list[Reading]:
    """All readings of one file, in the order of the file."""
    with open(path, encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
        if missing:
            raise ReadingError(f"{path}: missing column {', '.join(missing)}")
        return list(_parse_all(path, rows))


def _parse_all(path: str | Path, rows: Iterable[dict[str, str]]) -> Iterator[Reading]:
    # Line 1 is the header, so the first row is line 2.
    for number, row in enumerate(rows, start=2):
        try:
            yield parse_row(row)
        except ValueError as error:
            raise ReadingError(f"{path}:{number}: {error}") from error


def by_bed(readings: Iterable[Reading]) -> dict[str, list[Reading]]:
    """Readings by bed, beds in the order in which they first appear."""
    beds: dict[str, list[Reading]] = {}
    for reading in readings:
        beds.setdefault(reading.bed, []).append(reading)
    return beds


def on_day(readings: Iterable[Reading], day: date) -> list[Reading]:
    """The readings of one calendar day."""
    return [reading for reading in readings if reading.day == day]


def days(readings: Iterable[Reading]) -> list[date]:
    """The calendar days that have at least one reading, oldest first."""
    return sorted({reading.day for reading in readings})


def latest(readings: Iterable[Reading], before: datetime) -> dict[str, Reading]:
    """The newest reading of each bed that is not after `before`."""
    newest: dict[str, Reading] = {}
    for reading in readings:
        if reading.time > before:
            continue
        known = newest.get(reading.bed)
        if known is None or reading.time >= known.time:
            newest[reading.bed] = reading
    return newest
