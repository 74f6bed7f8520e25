"""Alerts: turns readings and the limits of the beds into frost, heat and dry-soil warnings.

Hours that follow each other make one alert, so that a cold night is one line in the mail and not nine.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from greenhouse.beds import Bed
from greenhouse.readings import Reading, by_bed

# Two readings further apart than this belong to two alerts.
GAP = timedelta(hours=2)

KINDS = ("frost", "heat", "dry")


@dataclass(frozen=True)
class Alert:
    """A stretch of time in which a bed was outside one of its limits."""

    kind: str
    bed: str
    start: datetime
    end: datetime
    worst: float  # °F for frost and heat, percent for dry
    hours: int

    @property
    def severe(self) -> bool:
        """Worth waking somebody up."""
        return self.kind == "frost" and self.hours >= 3


def find_alerts(readings: Iterable[Reading], beds: list[Bed], threshold: float | None = None) -> list[Alert]:
    """All alerts, oldest first. `threshold` (°F) replaces the frost limit of every bed."""
    alerts: list[Alert] = []
    grouped = by_bed(readings)
    for bed in beds:
        rows = grouped.get(bed.name, [])
        frost = bed.frost_below if threshold is None else threshold
        alerts += _stretches("frost", bed, [(r.time, r.temp) for r in rows if r.temp < frost], min)
        alerts += _stretches("heat", bed, [(r.time, r.temp) for r in rows if r.temp > bed.heat_above], max)
        alerts += _stretches("dry", bed, [(r.time, r.moisture) for r in rows if r.moisture < bed.dry_below], min)
    return sorted(alerts, key=lambda alert: (alert.start, KINDS.index(alert.kind), alert.bed))


def _stretches(kind: str, bed: Bed, found: list[tuple[datetime, float]], worst) -> list[Alert]:
    """Joins what follows each other within GAP."""
    alerts: list[Alert] = []
    run: list[tuple[datetime, float]] = []
    for time, value in found:
        if run and time - run[-1][0] > GAP:
            alerts.append(_alert(kind, bed, run, worst))
            run = []
        run.append((time, value))
    if run:
        alerts.append(_alert(kind, bed, run, worst))
    return alerts


def _alert(kind: str, bed: Bed, run: list[tuple[datetime, float]], worst) -> Alert:
    return Alert(kind, bed.name, run[0][0], run[-1][0], worst(value for _, value in run), len(run))


def count_by_kind(alerts: Iterable[Alert]) -> dict[str, int]:
    """How many alerts of each kind, all kinds present."""
    counts = dict.fromkeys(KINDS, 0)
    for alert in alerts:
        counts[alert.kind] += 1
    return counts


def format_alert(alert: Alert) -> str:
    """One line for the mail."""
    mark = "!!" if alert.severe else "- "
    unit = "%" if alert.kind == "dry" else "°F"
    span = f"{alert.start:%Y-%m-%d %H:%M} to {alert.end:%H:%M}"
    return f"{mark} {alert.kind:<5} {alert.bed:<8} {span}  {alert.worst:.1f} {unit}  {alert.hours} h"
