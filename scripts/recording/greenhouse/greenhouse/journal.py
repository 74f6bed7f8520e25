"""The log of the valves: turns log/valve.log into a list of `Watering`.

The box writes one line an event. Those that matter here:

    2026-02-06T06:00:00 open valve=1 bed=Tomaten by=schedule
    2026-02-06T06:10:00 close valve=1 bed=Tomaten

Everything else (`poll`, `pump`) is for people.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path


class JournalError(ValueError):
    """A line of the log that can not be understood; says the line."""


@dataclass(frozen=True)
class Watering:
    """One time that a bed got water."""

    bed: str
    start: datetime
    end: datetime
    by: str  # "schedule" or "hand"

    @property
    def minutes(self) -> int:
        """Full minutes; the valve's own delay of a second does not count."""
        return int((self.end - self.start).total_seconds()) // 60


def load_journal(path: str | Path) -> list[Watering]:
    """All finished waterings of a log, oldest first."""
    with open(path, encoding="utf-8") as lines:
        return parse_journal(lines)


def parse_journal(lines: Iterable[str]) -> list[Watering]:
    """Pairs each `open` with the next `close` of the same bed; an open valve at the end is left out."""
    waterings: list[Watering] = []
    running: dict[str, tuple[datetime, str]] = {}
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if len(words) < 2 or words[1] not in ("open", "close"):
            continue
        fields = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        try:
            time, bed = datetime.fromisoformat(words[0]), fields["bed"]
        except (KeyError, ValueError) as error:
            raise JournalError(f"line {number}: {line.strip()}") from error
        if words[1] == "open":
            running[bed] = (time, fields.get("by", "schedule"))
        elif bed in running:
            start, by = running.pop(bed)
            waterings.append(Watering(bed, start, time, by))
    return sorted(waterings, key=lambda watering: (watering.start, watering.bed))


def watered_on(journal: Iterable[Watering], bed: str, day: date) -> bool:
    """Whether a bed got water on a calendar day."""
    return any(watering.bed == bed and watering.start.date() == day for watering in journal)


def last_watering(journal: Iterable[Watering], bed: str, before: datetime) -> Watering | None:
    """The newest watering of a bed that ended before a time."""
    found = None
    for watering in journal:
        if watering.bed == bed and watering.end <= before:
            found = watering
    return found


def minutes_per_bed(journal: Iterable[Watering]) -> dict[str, int]:
    """Minutes of water that each bed got."""
    minutes: dict[str, int] = {}
    for watering in journal:
        minutes[watering.bed] = minutes.get(watering.bed, 0) + watering.minutes
    return minutes
