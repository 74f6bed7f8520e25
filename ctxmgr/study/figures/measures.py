"""Turns what a model was shown in one session into all figures of it: what it cost, and what it still knew.

A measure stands in a file of its own; here they are put together, call by call and over all.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.closed_loop import ClosedLoop, closed_loop
from ctxmgr.study.figures.code_length import CodeLengths
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
    recorded conversation so far. `repeats`: in bytes, what the list gives the reply, of what the conversation does.
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
    repeats: Ratio


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
    repeats: Ratio
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


def measure(
    sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet, lengths: CodeLengths | None = None
) -> Measures:
    """All measures of one session's calls, oldest first. `lengths`: of its recording, shared by policies."""
    billed = bill(sights, sheet, known.weight, lambda raw: known.size(raw)[1])
    recalled = recall.recall(sights, known)
    grounded = grounding(sights, known)
    fetched = refetch.refetch(sights, known)
    users = user_text_recall.recall(sights, known)
    repeats = (lengths or CodeLengths()).repeats(sights)
    calls = []
    spent, weight = 0.0, 0
    for number, (sight, came) in enumerate(zip(sights, new_messages(sights), strict=True)):
        spent += billed.calls[number].money
        weight += sum(known.weight(one.raw) for one in came)
        calls.append(
            CallMeasures(
                time_ms=sight.time_ms,
                epoch_number=sight.epoch_number,
                own=sight.own,
                spent=spent,
                recorded_tokens=weight,
                billed=billed.calls[number],
                recall=recalled[number],
                grounding=grounded[number],
                refetch=fetched[number],
                user_text=users[number],
                repeats=repeats[number],
            )
        )
    return Measures(
        sheet=sheet,
        calls=tuple(calls),
        raw_tokens=weight,
        bill=billed,
        closed=closed_loop(sights, known, sheet),
        recall=recall.together(recalled),
        repeats=ratio.total(repeats),
        lines=ratio.total(one.lines for one in grounded),
        edits=sum(one.edits for one in grounded),
        edits_whole=sum(one.edits_whole for one in grounded),
        refetch=refetch.together(fetched),
        user_text=ratio.total(one.overall for one in users),
        user_text_in_place=ratio.total(one.in_place for one in users),
    )
