"""Turns what a model was shown into *edit grounding*: of the lines that its next edits replace, how many it saw.

Rules:

1. Asked for are the lines that an edit of the next recorded message replaces (`edits`) and that had stood verbatim
   in the recorded conversation before: in a result, in the arguments of a call, in what was said. A line counts
   once a call.
2. Held is a line that stands in a shown message: in a result as it is shown, in the arguments of a call, in text
   of user or assistant. The packet and thinking do not count.
3. Verbatim is as a part of a line too: results have line numbers before the line, and an edit may begin in the
   middle of one.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.closed_loop import MessageCache, replaced
from ctxmgr.study.figures.registry import SHARE, Measures, Metric
from ctxmgr.study.metrics import PACKET, LinePresence, Observation, Ratio, new_messages, total


class Grounding(msgspec.Struct, frozen=True, gc=False):
    """Of one call. `edits`: of one line or more that had been seen; `edits_whole`: those of which all such lines
    are there."""

    lines: Ratio = Ratio()
    edits: int = 0
    edits_whole: int = 0


def grounding(sights: Sequence[Observation], known: MessageCache) -> tuple[Grounding, ...]:
    """One a call."""
    asked = [_edits(sight, known) for sight in sights]
    found = LinePresence(line for edits in asked for lines in edits for line in lines)
    before: set[str] = set()
    out = []
    for sight, came, edits in zip(sights, new_messages(sights), asked, strict=True):
        for one in came:
            before |= found.within(one.raw, known)
        out.append(_grounding(sight, [before.intersection(lines) for lines in edits], found, known))
    return tuple(out)


def _edits(sight: Observation, known: MessageCache) -> list[tuple[str, ...]]:
    blocks = known.message(sight.reply.raw).view.blocks
    return [lines for block in blocks if block.kind == "call" and (lines := replaced(block.arguments))]


def _grounding(
    sight: Observation, edits: Sequence[set[str]], found: LinePresence, known: MessageCache
) -> Grounding:
    wanted = set[str]().union(*edits)
    if not wanted:
        return Grounding()
    missing = set(wanted)
    for one in reversed(sight.projected_messages):  # what is edited was mostly read lately
        if one.index != PACKET and not missing.isdisjoint(within := found.within(one.raw, known)):
            missing -= within
            if not missing:
                break
    seen = [lines for lines in edits if lines]
    return Grounding(
        Ratio(len(wanted) - len(missing), len(wanted)), len(seen), sum(missing.isdisjoint(one) for one in seen)
    )


def _grounding_of(session: Measures) -> tuple[Grounding, ...]:
    return grounding(session.observations, session.known)


def calls(session: Measures) -> tuple[Ratio, ...]:
    """Lines, one a call."""
    return tuple(one.lines for one in session.once(_grounding_of))


METRICS = (
    Metric(
        path="grounding",
        title="grounding",
        unit=SHARE,
        about="Of the lines that the next edits replace, those that could be seen.",
        of=lambda session: total(calls(session)),
        shown=("wide", "means", "totals", "page"),
        total="grounding",
        mean="grounding",
        columns=("grounding_share",),
    ),
)
