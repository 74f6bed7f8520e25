"""Turns the folder `greenhouse` beside this file and a few numbers into the repository the agent works on.

The texts are copied; the two months of readings and the log of the valves are computed, with integers alone,
so that every machine gets the same bytes. Knows nothing of the agent.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

TEMPLATE = Path(__file__).parent / "greenhouse"
SUFFIXES = (".py", ".md", ".json")


class Plot(NamedTuple):
    """One bed as the generators see it."""

    name: str
    sensor: str
    valve: int
    minutes: int  # one watering
    night: int  # temperature, tenths of a degree
    wet: int  # moisture after watering, tenths of a percent
    phase: int  # hours since the last watering when the month begins


PLOTS = (
    Plot("Tomaten", "s1", 1, 10, 128, 560, 11),
    Plot("Gurken", "s2", 2, 8, 141, 590, 13),
    Plot("Salat", "s3", 3, 6, 76, 545, 33),
    Plot("Kräuter", "s4", 4, 4, 102, 470, 44),
)
WATERED_EVERY = 46  # hours, by the soil
HEADER = "time,bed,sensor,temp,unit,humidity,moisture,battery_mv"

# The heater fails in the night of the 11th: tenths of a degree taken off, by hour.
COLD_NIGHT = {1: 25, 2: 48, 3: 62, 4: 70, 5: 74, 6: 66, 7: 40}

JANUARY = (datetime(2026, 1, 13), 3)  # first day, number of days
FEBRUARY = (datetime(2026, 2, 3), 12)

# (day of the log, index of the plot) of what the user did himself, and of the watering that the double one
# replaced.
BY_HAND = ((3, 1), (8, 2))
REPLACED = (9, 1)
DOUBLE = (datetime(2026, 2, 11, 23, 40), datetime(2026, 2, 12, 0, 20))


class Dice:
    """Small repeatable numbers: the linear congruential generator of the C standard's example."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def roll(self, sides: int) -> int:
        """A number from 0 to sides - 1."""
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return (self.state >> 16) % sides


def build(root: Path) -> None:
    """Writes the whole repository under `root`, which must be empty."""
    for source in sorted(TEMPLATE.rglob("*")):
        if source.suffix in SUFFIXES:
            write(root / source.relative_to(TEMPLATE), source.read_text(encoding="utf-8"))
    write(root / "readings" / "2026-01.csv", "\n".join([HEADER, *january(), ""]))
    write(root / "readings" / "2026-02.csv", "\n".join([HEADER, *february(), ""]))
    write(root / "log" / "valve.log", "\n".join([*valve_log(), ""]))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def january() -> Iterator[str]:
    """Rows of the old loggers: two heads, in Fahrenheit, no faults."""
    dice = Dice(1)
    start, days = JANUARY
    for hour in range(days * 24):
        for plot in PLOTS[:2]:
            yield row(plot, start + timedelta(hours=hour), hour, dice, unit="F")


def february() -> Iterator[str]:
    """Rows of the new loggers, in Celsius, with what goes wrong: dropouts, a hung chip, a reboot."""
    dice = Dice(2)
    start, days = FEBRUARY
    for hour in range(days * 24):
        time = start + timedelta(hours=hour)
        for plot in PLOTS:
            text = row(plot, time, hour, dice, unit="C")
            if plot.sensor == "s2" and time.day in (5, 9) and time.hour in (13, 14, 15):
                text = blank(text, 6, "")
            if plot.sensor == "s4" and (time.day, time.hour) in ((8, 4), (12, 19)):
                text = blank(text, 3, "ERR")
            yield text
            if plot.sensor == "s3" and (time.day, time.hour) in ((7, 3), (9, 3), (13, 22)):
                yield text


def blank(text: str, column: int, value: str) -> str:
    cells = text.split(",")
    cells[column] = value
    return ",".join(cells)


def row(plot: Plot, time: datetime, hour: int, dice: Dice, unit: str) -> str:
    """One CSV row: warm at two in the afternoon, soil that dries until the next watering."""
    sun = max(0, 8 - abs(time.hour - 14)) * (9 + plot.valve + time.day % 3)
    tenths = plot.night + sun + dice.roll(9) - 4
    if (time.month, time.day) == (2, 11):
        tenths -= COLD_NIGHT.get(time.hour, 0)
    if unit == "F":
        tenths = 320 + tenths * 9 // 5
    moisture = plot.wet - (hour + plot.phase) % WATERED_EVERY * (4 + plot.valve % 3) - dice.roll(5)
    humidity = 78 - sun // 5 + dice.roll(6)
    weak = plot.sensor == "s3"
    battery = 3110 - hour // (3 if weak else 9) - 240 * weak - dice.roll(8)
    cells = (f"{time:%Y-%m-%dT%H:%M}", plot.name, plot.sensor, decimal(tenths), unit)
    return ",".join((*cells, str(humidity), decimal(moisture), str(battery)))


def decimal(tenths: int) -> str:
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"


def valve_log() -> Iterator[str]:
    """The log of the box: a poll each half hour, waterings in the morning, the double one at midnight."""
    dice = Dice(3)
    start, days = FEBRUARY
    events: list[tuple[datetime, str]] = []
    for half in range(days * 48):
        time = start + timedelta(minutes=30 * half, seconds=dice.roll(4))
        tank = 92 - half // 12 % 40
        events.append((time, f"poll pump=ok pressure=2.{dice.roll(4)}bar tank={tank}% valves=closed"))
    for day in range(days):
        for index, plot in enumerate(PLOTS):
            if (day + index) % 2 == 0 and (day, index) != REPLACED:
                by = "hand" if (day, index) in BY_HAND else "schedule"
                events += watering(start + timedelta(days=day, hours=6, minutes=15 * index), plot, by)
    for stamp in DOUBLE:
        events += watering(stamp, PLOTS[1], "schedule")
    for time, text in sorted(events):
        yield f"{time:%Y-%m-%dT%H:%M:%S} {text}"


def watering(start: datetime, plot: Plot, by: str) -> list[tuple[datetime, str]]:
    opened = start + timedelta(seconds=14)
    closed = opened + timedelta(minutes=plot.minutes, seconds=1 if plot.sensor == "s2" else 0)
    return [
        (opened, f"open valve={plot.valve} bed={plot.name} by={by}"),
        (closed, f"close valve={plot.valve} bed={plot.name}"),
    ]
