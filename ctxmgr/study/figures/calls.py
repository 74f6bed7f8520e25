"""Figures of each call: the series of `--json`, and the Parquet rows of calls."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import msgspec

from ctxmgr.study.figures import cost, grounding, kept, recall
from ctxmgr.study.figures.cost import Billed
from ctxmgr.study.figures.registry import Figures, Measures
from ctxmgr.study.observations import Observation, Ratio


class CallColumn(msgspec.Struct, frozen=True):
    """`key`: in `--json`; `name`: of the Parquet column, "" where there is none. `values`: one a call."""

    key: str
    name: str
    about: str
    type: Any
    values: Callable[[Measures], Sequence[Any]]


def series(session: Measures) -> list[Figures]:
    """As `--json` has it, an object a call."""
    keys = [column.key for column in CALLS]
    rows = zip(*(column.values(session) for column in CALLS), strict=True)
    return [dict(zip(keys, row, strict=True)) for row in rows]


def _billed(key: str, name: str, about: str, type: Any, of: Callable[[Billed], Any]) -> CallColumn:
    return CallColumn(key, name, about, type, lambda session: [of(call) for call in session.once(cost.of_session)])


def _observed(key: str, name: str, about: str, type: Any, of: Callable[[Observation], Any]) -> CallColumn:
    return CallColumn(key, name, about, type, lambda session: [of(call) for call in session.observations])


def _ratio(
    measure: Callable[[Measures], tuple[Ratio, ...]], part: tuple[str, str, str], whole: tuple[str, str, str]
) -> tuple[CallColumn, CallColumn]:
    """(key, name, about) each."""
    return (
        CallColumn(*whole, int, lambda session: [ratio.total for ratio in session.once(measure)]),
        CallColumn(*part, int, lambda session: [ratio.part for ratio in session.once(measure)]),
    )


def _spent(session: Measures) -> list[float]:
    sums = accumulate(call.money for call in session.once(cost.of_session))
    return [round(dollars, 6) for dollars in sums]


CALLS: tuple[CallColumn, ...] = (
    _observed(
        "at", "time_ms", "When it was made, in ms; null where unknown.", int | None, lambda call: call.time_ms
    ),
    _billed("sent", "sent_tokens", "Weight of the list that was sent.", int, lambda call: call.tokens),
    _billed("cached", "cached_tokens", "Of these those as in the call before.", int, lambda call: call.cached),
    _billed("dollars", "dollars", "What its input costs.", float, lambda call: call.money),
    CallColumn("spent", "", "What the input costs up to it.", float, _spent),
    _observed("epoch", "epoch_number", "Its cache epoch.", int, lambda call: call.epoch_number),
    _billed("announced", "is_announced", "Whether it began that epoch.", bool, lambda call: call.announced),
    _billed("broke", "is_broken", "Whether its list begins unlike the one before.", bool, lambda call: call.broke),
    _billed("cold", "is_cold", "Whether the cache had expired.", bool, lambda call: call.cold),
    _observed("own", "own_count", "Compactions that the host made unasked before it.", int, lambda call: call.own),
    *_ratio(
        recall.calls,
        part=("recalled", "recalled_count", "Of these those that could be seen."),
        whole=("names", "name_count", "Names that its reply uses."),
    ),
    *_ratio(
        kept.calls,
        part=("keptBytes", "", "Of these bytes those that its list gave."),
        whole=("keptOf", "", "Bytes that the old conversation gave to its reply."),
    ),
    *_ratio(
        grounding.calls,
        part=("grounded", "", "Of these those in view."),
        whole=("lines", "", "Lines that its edits replace."),
    ),
)
