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
from ctxmgr.study.metrics.observations import Observation, new_messages

_spelled = msgspec.json.Encoder(order="sorted").encode


class Refetch(msgspec.Struct, frozen=True, gc=False):
    """Of one call of the model: how many tools it called, how many of these calls repeat an answered one, and of
    how many of these the answer was gone."""

    call_count: int = msgspec.field(default=0, name="calls")
    repeated_count: int = msgspec.field(default=0, name="repeated")
    missing_count: int = msgspec.field(default=0, name="gone")


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


def together(some: Sequence[Refetch]) -> Refetch:
    return Refetch(*(sum(getattr(one, name) for one in some) for name in Refetch.__struct_fields__))


def _key(block: Block) -> bytes:
    what: list[Any] = [block.tool, block.arguments]
    return _spelled(what)
