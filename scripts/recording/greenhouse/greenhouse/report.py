"""Reports: turns readings into small tables for the terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean

from greenhouse.readings import Reading, by_bed, days, on_day

HEADINGS = ("bed", "min", "mean", "max", "humidity", "moisture", "battery")


@dataclass(frozen=True)
class Summary:
    """One bed on one day."""

    day: date
    bed: str
    lowest: float  # °F
    mean: float  # °F
    highest: float  # °F
    humidity: float  # percent, mean of the day
    moisture: float  # percent, last of the day
    low_battery: bool
    rows: int


def daily_summary(readings: Iterable[Reading], day: date) -> list[Summary]:
    """One summary a bed for one day, beds in the order of the readings."""
    summaries = []
    for bed, rows in by_bed(on_day(readings, day)).items():
        temps = [row.temp for row in rows]
        summaries.append(
            Summary(
                day=day,
                bed=bed,
                lowest=min(temps),
                mean=fmean(temps),
                highest=max(temps),
                humidity=sum(row.humidity for row in rows) / len(rows),
                moisture=rows[-1].moisture,
                low_battery=any(row.low_battery for row in rows),
                rows=len(rows),
            )
        )
    return summaries


def summaries_for(readings: Sequence[Reading], day: date | None = None) -> list[Summary]:
    """The summaries of one day, or of all days when none is given."""
    wanted = days(readings) if day is None else [day]
    return [summary for each in wanted for summary in daily_summary(readings, each)]


def format_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their longest cell; the first to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(headings, *rows, strict=True)]
    lines = []
    for row in (headings, *rows):
        first = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([first, *rest]).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def format_report(summaries: Iterable[Summary]) -> str:
    """A table a day, with a blank line between."""
    by_day: dict[date, list[Summary]] = {}
    for summary in summaries:
        by_day.setdefault(summary.day, []).append(summary)
    blocks = []
    for day, rows in by_day.items():
        table = format_table(HEADINGS, [_cells(row) for row in rows])
        blocks.append(f"{day:%a %Y-%m-%d} (°F)\n{table}")
    return "\n\n".join(blocks)


def _cells(row: Summary) -> tuple[str, ...]:
    return (
        row.bed,
        f"{row.lowest:.1f}",
        f"{row.mean:.1f}",
        f"{row.highest:.1f}",
        f"{row.humidity:.0f} %",
        f"{row.moisture:.1f} %",
        "low" if row.low_battery else "ok",
    )
