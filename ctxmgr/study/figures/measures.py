"""Turns what a model was shown in one session into all figures of it: what it cost, and what it still knew.

A measure stands in a file of its own; here they are put together, call by call and over all.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.closed_loop import ClosedLoop, closed_loop
from ctxmgr.study.metrics import (
    Bill,
    Billed,
    Grounding,
    MessageCache,
    Observation,
    PriceSheet,
    Ratio,
    Recall,
    Refetch,
    UserTextRecall,
    bill,
    grounding,
    new_messages,
    ratio,
    recall,
    refetch,
    user_text_recall,
)


class CallMeasures(msgspec.Struct, frozen=True):
    """One call. `spent`: dollars so far, this call's included. `time_ms` in milliseconds, None where unknown.

    `epoch_number` as reported; `own`: compactions the host made unasked before it. `recorded_tokens`: weight of the
    recorded conversation so far.
    """

    time_ms: int | None
    epoch_number: int
    own: int
    spent: float
    recorded_tokens: int
    billed: Billed
    recall: Recall
    grounding: Grounding
    refetch: Refetch
    user_text: UserTextRecall


class Measures(msgspec.Struct, frozen=True):
    """One session under one preset. `raw_tokens`: weight of the recorded conversation that calls were made on.

    `epochs`: so many calls began one that was announced.
    """

    sheet: PriceSheet
    calls: tuple[CallMeasures, ...]
    raw_tokens: int
    bill: Bill
    closed: ClosedLoop
    recall: Recall
    lines: Ratio
    edits: int
    edits_whole: int
    refetch: Refetch
    user_text: Ratio
    user_text_in_place: Ratio

    @property
    def epochs(self) -> int:
        return sum(call.billed.announced for call in self.calls)

    @property
    def last_user_text(self) -> UserTextRecall:
        """Of what the user said, what stood in the last call."""
        return self.calls[-1].user_text if self.calls else UserTextRecall()


def measure(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> Measures:
    """All measures of one session's calls, oldest first."""
    billed = bill(sights, sheet, known.weight, lambda raw: known.size(raw)[1])
    recalled = recall.recall(sights, known)
    grounded = grounding(sights, known)
    fetched = refetch.refetch(sights, known)
    users = user_text_recall.recall(sights, known)
    calls = []
    spent, weight = 0.0, 0
    for number, (sight, came) in enumerate(zip(sights, new_messages(sights), strict=True)):
        spent += billed.calls[number].money
        weight += sum(known.weight(one.raw) for one in came)
        parts = (billed.calls[number], recalled[number], grounded[number], fetched[number], users[number])
        calls.append(CallMeasures(sight.time_ms, sight.epoch_number, sight.own, spent, weight, *parts))
    return Measures(
        sheet=sheet,
        calls=tuple(calls),
        raw_tokens=weight,
        bill=billed,
        closed=closed_loop(sights, known, sheet),
        recall=recall.together(recalled),
        lines=ratio.total(one.lines for one in grounded),
        edits=sum(one.edits for one in grounded),
        edits_whole=sum(one.edits_whole for one in grounded),
        refetch=refetch.together(fetched),
        user_text=ratio.total(one.overall for one in users),
        user_text_in_place=ratio.total(one.in_place for one in users),
    )
