"""Turns what is asked for into the points of the front: one preset at several values of its knob.

1. Its values are those asked for, or `VALUES`; of these the middle is the default. Below the middle the old part is
   at its least soon, above it grows by a power: so most values are above.
2. Where the preset is driven anyway it has a value of the knob already: that is not driven twice.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ctxmgr.engine.presets.balanced import Balanced
from ctxmgr.model import Policy, Preset

KNOBBED = Balanced.name  # the preset that costVersusRecall is of
KEY = "costVersusRecall"
ALL: tuple[str, ...] = get_args(Preset)
VALUES = (0.0, 0.5, 0.6, 0.7, 0.8, 1.0)


def label(knob: float) -> str:
    """What the preset is called at this value."""
    return f"{KNOBBED} {knob:g}"


class Front:
    """`asked`: presets that are driven anyway; `whole`: is all of the front asked for? `policy`: keys given."""

    def __init__(
        self, asked: Sequence[str | None], whole: bool, some: Sequence[float], policy: Mapping[str, Any]
    ) -> None:
        values = sorted({*some, *(VALUES if whole else ())})
        own = float(policy.get(KEY, Policy().cost_versus_recall))
        is_driven = KNOBBED in asked
        self.driven = [value for value in values if not (is_driven and value == own)]
        self.knobs: dict[str, float] = {label(value): value for value in self.driven}
        if values and is_driven:
            self.knobs[KNOBBED] = own

    def figures(self, name: str) -> dict[str, float]:
        """What a policy's plain values have more: the value of its knob, where it is of the front."""
        return {"knob": self.knobs[name]} if name in self.knobs else {}
