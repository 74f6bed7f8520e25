"""The long turn begins: a new command, read up on and written while the user is away."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, read, step, todo, user, write

STORY: Story = (
    user(
        """
Good. Now the big one, and I'm in a meeting for the next hour, so please do it in one go and decide small things yourself.

I want a command `week`: one table per calendar week, a line per bed with min / mean / max temperature, hours of frost, last known moisture and the minutes of water from the valve log. It has to work for both months.

With tests, and with README and notes brought up to date, no °F left over where it does not belong. When you are done show me that the CSV files are unchanged.
""",
        after=300,
    ),
    step(
        "Will do. First the list, then the modules that this touches: I have changed most of them since I read them in full.",
        todo(
            "> week: summary per calendar week and bed (new module greenhouse/week.py)",
            ". week: tests, among them the turn of the year",
            ". week: command line, --journal optional",
            ". check the numbers of February against the raw rows and the log",
            ". no Fahrenheit left over, also in tests/test_schedule.py",
            ". README and docs/notes.md brought up to date",
            ". show that the CSV files are unchanged",
        ),
        thinking="Constraints still hold: no writing to the CSV files, public names stay, standard library only, Celsius "
        "everywhere, --threshold stays an alias. Weeks: ISO weeks, Monday first, as is usual here.",
    ),
    step("", read("greenhouse/report.py")),
    step("", read("greenhouse/alerts.py")),
    step("", read("greenhouse/journal.py")),
    step("", read("greenhouse/cli.py")),
    step("January's file is small, I want to see which weeks it covers.", read("readings/2026-01.csv")),
    step(
        "Three days of one week, so partial weeks are normal. The new module builds on what is there: `find_alerts` for "
        "the frost, `format_table` for the look.",
        write(
            "greenhouse/week.py",
            '''
"""The week: turns readings, limits and the journal into one table a calendar week (ISO weeks, Monday first).

A week that has begun or of which the file holds only some days is shown with what there is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean

from greenhouse.alerts import find_alerts
from greenhouse.beds import Bed
from greenhouse.journal import Watering
from greenhouse.readings import Reading, by_bed, days
from greenhouse.report import format_table, number

HEADINGS = ("bed", "min", "mean", "max", "frost", "moisture", "water")

# ISO year and week.
Week = tuple[int, int]


@dataclass(frozen=True)
class WeekSummary:
    """One bed in one week."""

    week: Week
    bed: str
    lowest: float | None  # °C; None when nothing was measured
    mean: float | None  # °C
    highest: float | None  # °C
    frost_hours: int
    moisture: float | None  # percent, the last known of the week
    water_minutes: int


def week_of(day: date) -> Week:
    """The week of a day: (2026, 7) for 14 February 2026."""
    return day.year, day.isocalendar().week


def weekly_summary(
    readings: Sequence[Reading], beds: list[Bed], journal: Iterable[Watering] = ()
) -> list[WeekSummary]:
    """One summary a week and bed, oldest week first, beds in the order of the readings."""
    waterings = list(journal)
    summaries = []
    for week in sorted({week_of(day) for day in days(readings)}):
        rows = [reading for reading in readings if week_of(reading.day) == week]
        water = [watering for watering in waterings if week_of(watering.start.date()) == week]
        for bed, own in by_bed(rows).items():
            summaries.append(_summary(week, bed, own, beds, water))
    return summaries


def _summary(
    week: Week, bed: str, rows: list[Reading], beds: list[Bed], water: list[Watering]
) -> WeekSummary:
    temps = [row.temp for row in rows if row.temp is not None]
    moistures = [row.moisture for row in rows if row.moisture is not None]
    frosts = [alert for alert in find_alerts(rows, beds) if alert.kind == "frost"]
    return WeekSummary(
        week=week,
        bed=bed,
        lowest=min(temps, default=None),
        mean=fmean(temps) if temps else None,
        highest=max(temps, default=None),
        frost_hours=sum(alert.hours for alert in frosts),
        moisture=moistures[-1] if moistures else None,
        water_minutes=sum(watering.minutes for watering in water if watering.bed == bed),
    )


def format_weeks(summaries: Iterable[WeekSummary]) -> str:
    """A table a week, with a blank line between."""
    by_week: dict[Week, list[WeekSummary]] = {}
    for summary in summaries:
        by_week.setdefault(summary.week, []).append(summary)
    blocks = []
    for (year, week), rows in by_week.items():
        monday = date.fromisocalendar(year, week, 1)
        table = format_table(HEADINGS, [_cells(row) for row in rows])
        blocks.append(f"week {week} of {year}, from {monday:%a %Y-%m-%d} (°C)\\n{table}")
    return "\\n\\n".join(blocks)


def _cells(row: WeekSummary) -> tuple[str, ...]:
    return (
        row.bed,
        number(row.lowest),
        number(row.mean),
        number(row.highest),
        f"{row.frost_hours} h" if row.frost_hours else "-",
        number(row.moisture, " %"),
        f"{row.water_minutes} min" if row.water_minutes else "-",
    )
''',
        ),
    ),
)
