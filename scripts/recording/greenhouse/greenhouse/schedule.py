"""The watering schedule: turns readings, beds and the journal into what to water now.

Rules, from docs/notes.md:
1. One valve at a time: waterings follow each other.
2. No watering between 11:00 and 15:00.
3. A bed that got water today gets none today.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from greenhouse.beds import Bed
from greenhouse.journal import Watering, watered_on
from greenhouse.readings import Reading, latest

NOON_FROM = time(11, 0)
NOON_TO = time(15, 0)

# The valve needs this long until the line has no pressure any more.
PAUSE = timedelta(seconds=30)

# A reading older than this says nothing about now.
STALE = timedelta(hours=3)


@dataclass(frozen=True)
class Plan:
    """One watering to do."""

    bed: str
    valve: int
    start: datetime
    minutes: int
    reason: str

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.minutes)


def in_noon_pause(now: datetime) -> bool:
    """Whether the sun forbids watering at this time."""
    return NOON_FROM <= now.time() < NOON_TO


def needs_water(bed: Bed, reading: Reading, journal: list[Watering], now: datetime) -> bool:
    """Whether a bed is dry and has not had its water yet."""
    if reading.moisture >= bed.dry_below:
        return False
    return not watered_on(journal, bed.name, now.date())


def minutes_for(bed: Bed, reading: Reading) -> int:
    """The bed's usual minutes, half as long again when it is far below its limit."""
    if reading.moisture < bed.dry_below - 10:
        return bed.minutes + bed.minutes // 2
    return bed.minutes


def plan_watering(
    readings: list[Reading], beds: list[Bed], journal: list[Watering], now: datetime
) -> list[Plan]:
    """What to water from now on, in the order of the valves; nothing in the noon pause."""
    if in_noon_pause(now):
        return []
    newest = latest(readings, now)
    plans: list[Plan] = []
    start = now
    for bed in beds:
        reading = newest.get(bed.name)
        if reading is None or now - reading.time > STALE:
            continue
        if not needs_water(bed, reading, journal, now):
            continue
        minutes = minutes_for(bed, reading)
        reason = f"moisture {reading.moisture:.1f} % below {bed.dry_below:.1f} %"
        plans.append(Plan(bed.name, bed.valve, start, minutes, reason))
        start = plans[-1].end + PAUSE
    return plans


def next_watering(plans: list[Plan], bed: str) -> Plan | None:
    """The first planned watering of a bed."""
    for plan in plans:
        if plan.bed == bed:
            return plan
    return None
