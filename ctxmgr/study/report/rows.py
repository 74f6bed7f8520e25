"""What the report is made from: figures of one policy on one recording, and the colour of a policy."""

from collections.abc import Iterable

import msgspec

from ctxmgr.engine.retention import KEEP
from ctxmgr.study.figures import Figures, value_at
from ctxmgr.study.observations import Ratio
from ctxmgr.study.report.plots import plain
from ctxmgr.study.report.style import LIGHT

BALANCED = "balanced"
BASE = "off"  # the line that costs are shares of
FRONT = "balanced by keep"
COLOURS = {BASE: 0, "turns": 1, "tools": 2, BALANCED: 3}  # others take turns
COLOURS[FRONT] = COLOURS[BALANCED]
SPARE = [number for number in range(len(LIGHT)) if number not in COLOURS.values()]


class PolicyRow(msgspec.Struct, frozen=True):
    """One policy on one recording. `figures`: as `--json` has them. `context` in tokens and `call_costs` in
    dollars, by call; `epochs`: the calls that opened one. `receipts`: the arithmetic of each, one line.
    `simulated`: no ctxmgr ran. `knob`: its `keep` in tokens, where it is of the front.
    """

    name: str
    figures: Figures
    context: tuple[int, ...] = ()
    call_costs: tuple[float, ...] = ()
    epochs: tuple[int, ...] = ()
    receipts: tuple[str, ...] = ()
    simulated: bool = False
    knob: float | None = None

    def number(self, path: str) -> float | None:
        number: float | None = value_at(self.figures, path)
        return number

    @property
    def repeats(self) -> Ratio:
        """What `kept` is of, in bytes."""
        kept = self.figures.get("kept") or {"held": 0, "of": 0}
        return Ratio(kept["held"], kept["of"])


class RecordingSheet(msgspec.Struct, frozen=True):
    """One recording. `about`: a line under its name; `floor`: dollars that no policy costs less than; `kinds` of
    memory probes, each with the share that a policy's list held of the answers, by policy; `verdict`: what comes of
    it, in words."""

    name: str
    lines: tuple[PolicyRow, ...]
    about: str = ""
    floor: float | None = None
    kinds: tuple[tuple[str, dict[str, float]], ...] = ()
    verdict: str = ""

    @property
    def base(self) -> PolicyRow | None:
        """The line that costs are shares of."""
        return next((line for line in self.lines if line.name == BASE), None)


def knob_name(knob: float) -> str:
    """The point of `keep` that this is, or the number."""
    return next((point for point, tokens in KEEP.items() if tokens == knob), plain(knob))


def colours(names: Iterable[str]) -> dict[str, int]:
    """A policy has one colour, wherever it stands."""
    others = [name for name in dict.fromkeys(names) if name not in COLOURS]
    return {**COLOURS, **{name: SPARE[number % len(SPARE)] for number, name in enumerate(others)}}
