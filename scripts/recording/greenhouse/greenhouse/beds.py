"""The beds of the greenhouse and their limits: turns config/beds.json into a list of `Bed`."""

import json
from dataclasses import dataclass
from pathlib import Path

CONFIG = Path(__file__).parent.parent / "config" / "beds.json"

REQUIRED = ("name", "crop", "valve", "frost_below", "heat_above", "dry_below", "minutes")


class BedError(ValueError):
    """The configuration of the beds is not usable; says why."""


@dataclass(frozen=True)
class Bed:
    """One bed: what grows there and when it needs attention."""

    name: str
    crop: str
    valve: int
    frost_below: float  # °F
    heat_above: float  # °F
    dry_below: float  # percent moisture
    minutes: int  # one watering


def load_beds(path: str | Path = CONFIG) -> list[Bed]:
    """All beds, in the order of their valves."""
    with open(path, encoding="utf-8") as file:
        beds = [_bed(entry) for entry in json.load(file)["beds"]]
    _check(beds)
    return sorted(beds, key=lambda bed: bed.valve)


def _bed(entry: dict) -> Bed:
    missing = [key for key in REQUIRED if key not in entry]
    if missing:
        raise BedError(f"bed {entry.get('name', '?')}: missing {', '.join(missing)}")
    return Bed(**{key: entry[key] for key in REQUIRED})


def _check(beds: list[Bed]) -> None:
    names = [bed.name for bed in beds]
    valves = [bed.valve for bed in beds]
    if len(set(names)) != len(names):
        raise BedError("two beds have the same name")
    if len(set(valves)) != len(valves):
        raise BedError("two beds share a valve")
    for bed in beds:
        if bed.frost_below >= bed.heat_above:
            raise BedError(f"bed {bed.name}: frost limit is not below the heat limit")
        if not 1 <= bed.minutes <= 30:
            raise BedError(f"bed {bed.name}: {bed.minutes} minutes is not between 1 and 30")


def find_bed(beds: list[Bed], name: str) -> Bed:
    """The bed of that name; BedError when there is none."""
    for bed in beds:
        if bed.name == name:
            return bed
    raise BedError(f"no bed named {name}")
