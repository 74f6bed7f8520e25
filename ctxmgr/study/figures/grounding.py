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

from ctxmgr.closed_loop import MessageCache, replaced
from ctxmgr.study.figures.registry import SHARE, Measures, Metric
from ctxmgr.study.metrics import PACKET, LinePresence, Observation, Ratio, new_messages, total


def grounding(sights: Sequence[Observation], known: MessageCache) -> tuple[Ratio, ...]:
    """Lines, one ratio a call."""
    replaced_lines = [_replaced(sight, known) for sight in sights]
    found = LinePresence(line for lines in replaced_lines for line in lines)
    before: set[str] = set()
    out = []
    for sight, came, lines in zip(sights, new_messages(sights), replaced_lines, strict=True):
        for one in came:
            before |= found.within(one.raw, known)
        wanted = before & lines
        out.append(Ratio(len(wanted) - len(_missing(wanted, sight, found, known)), len(wanted)))
    return tuple(out)


def _replaced(sight: Observation, known: MessageCache) -> set[str]:
    """The lines that the edits of the reply replace."""
    blocks = known.message(sight.reply.raw).view.blocks
    return {line for block in blocks if block.kind == "call" for line in replaced(block.arguments)}


def _missing(wanted: set[str], sight: Observation, found: LinePresence, known: MessageCache) -> set[str]:
    missing = set(wanted)
    for one in reversed(sight.projected_messages):  # what is edited was mostly read lately
        if not missing:
            break
        if one.index != PACKET:
            missing -= found.within(one.raw, known)
    return missing


def calls(session: Measures) -> tuple[Ratio, ...]:
    """Lines, one ratio a call."""
    return grounding(session.observations, session.known)


METRICS = (
    Metric(
        path="grounding",
        title="grounding",
        unit=SHARE,
        about="Of the lines that the next edits replace, those that could be seen.",
        of=lambda session: total(session.once(calls)),
        shown=("wide", "means", "totals", "page"),
        total="grounding",
        mean="grounding",
        columns=("grounding_share",),
    ),
)
