"""Turns what is asked for into the points of the front: one preset at several values of its knob.

1. Its values are those asked for, or `VALUES`, the points of the policy's `keep`; one of these is the default.
2. Where the preset is driven anyway it has a value of the knob already: that is not driven twice.
3. A point and its number are one value, and told by the point.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ctxmgr.engine.retention import KEEP, told_tokens
from ctxmgr.model import KeepPoint, Policy, Preset

KNOBBED = "balanced"  # the preset that `keep` is of
KEY = "keep"
ALL: tuple[str, ...] = get_args(Preset)
VALUES: tuple[KeepPoint, ...] = get_args(KeepPoint)

Keep = KeepPoint | int


def label(knob: Keep) -> str:
    """What the preset is called at this value."""
    return f"{KNOBBED} {_named(knob)}"


def _named(knob: Keep) -> Keep:
    return next((point for point in VALUES if KEEP[point] == knob), knob)


class Front:
    """`asked`: presets that are driven anyway; `whole`: whether the whole front is. `policy`: keys given."""

    def __init__(
        self, asked: Sequence[str | None], whole: bool, some: Sequence[Keep], policy: Mapping[str, Any]
    ) -> None:
        values = sorted({_named(value) for value in (*some, *(VALUES if whole else ()))}, key=told_tokens)
        own = told_tokens(policy.get(KEY, Policy().keep))
        is_driven = KNOBBED in asked
        self.driven = [value for value in values if not (is_driven and told_tokens(value) == own)]
        self.knobs: dict[str, float] = {label(value): told_tokens(value) for value in self.driven}
        if values and is_driven:
            self.knobs[KNOBBED] = own

    def figures(self, name: str) -> dict[str, float]:
        """What a policy's plain values have more: its `keep` in tokens, where it is of the front."""
        return {"knob": self.knobs[name]} if name in self.knobs else {}
