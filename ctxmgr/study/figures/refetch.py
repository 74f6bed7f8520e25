"""Turns what a model was shown into *re-fetch pressure*: calls made again though their answer had been taken away.

Rules:

1. A call repeats an earlier one with the same tool and the same arguments, in whatever order their names stand.
2. It counts where the newest answer to such a call was not there in full, in place, when the model called.
3. Sessions repeat calls anyway (a test is run again): preset `off` gives that rate. The difference is ours.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.closed_loop import MessageCache
from ctxmgr.model import Block
from ctxmgr.study.figures.registry import COUNT, PER_100, Measures, Metric
from ctxmgr.study.metrics import Observation, new_messages

_spelled = msgspec.json.Encoder(order="sorted").encode


class Refetch(msgspec.Struct, frozen=True, gc=False):
    """Of one call of the model: how many tools it called, how many of these calls repeat an answered one, and of
    how many of these the answer was gone."""

    call_count: int = 0
    repeated_count: int = 0
    missing_count: int = 0


def refetch(sights: Sequence[Observation], known: MessageCache) -> tuple[Refetch, ...]:
    """One a call of the model."""
    called: dict[str, bytes] = {}  # call id to what was called; ids come again: the newest is meant
    answers: dict[bytes, bytes] = {}  # what was called to the newest message that answers it
    out = []
    for sight, came in zip(sights, new_messages(sights), strict=True):
        for one in came:
            for block in known.message(one.raw).view.blocks:
                if block.kind == "call":
                    called[block.call_id] = _key(block)
                elif block.kind == "result" and block.call_id in called:
                    answers[called[block.call_id]] = one.raw
        out.append(_refetch(sight, known, answers))
    return tuple(out)


def _refetch(sight: Observation, known: MessageCache, answers: dict[bytes, bytes]) -> Refetch:
    calls = [block for block in known.message(sight.reply.raw).view.blocks if block.kind == "call"]
    again = [answers[key] for block in calls if (key := _key(block)) in answers]
    if not again:
        return Refetch(len(calls))
    there = {one.raw for one in sight.projected_messages}  # what was shortened has other bytes
    return Refetch(len(calls), len(again), sum(raw not in there for raw in again))


def _key(block: Block) -> bytes:
    what: list[Any] = [block.tool, block.arguments]
    return _spelled(what)


def _sums(session: Measures) -> Refetch:
    calls = refetch(session.observations, session.known)
    return Refetch(*(sum(getattr(one, name) for one in calls) for name in Refetch.__struct_fields__))


def _gone_in_100(session: Measures) -> float | None:
    sums = session.once(_sums)
    return 100 * sums.missing_count / sums.call_count if sums.call_count else None


METRICS = (
    Metric(
        path="refetch.calls",
        title="tool calls",
        unit=COUNT,
        about="Tool calls of the recorded replies.",
        of=lambda session: session.once(_sums).call_count,
    ),
    Metric(
        path="refetch.repeated",
        title="repeated",
        unit=COUNT,
        about="Of these those that repeat an answered call.",
        of=lambda session: session.once(_sums).repeated_count,
    ),
    Metric(
        path="refetch.gone",
        title="gone",
        unit=COUNT,
        about="Of these those whose answer was not in the list as it came.",
        of=lambda session: session.once(_sums).missing_count,
    ),
    Metric(
        path="refetch.goneIn100",
        title="gone in 100",
        unit=PER_100,
        about="In 100 tool calls, those that repeat one whose answer was gone.",
        of=_gone_in_100,
        shown=("wide", "means"),
        mean="goneIn100",
    ),
)
