"""Turns what was done to each file into what is out of date.

Rules:

1. A read's result, and the file text in a write's or an edit's arguments, are superseded where later reads and
   writes that surely succeeded show all the lines they hold. A write shows the whole file, an edit shows nothing:
   the model needs the text before it and what it changed.
2. Line numbers of a later partial read count for what is before an edit only as far as that edit can not have moved
   them: so many lines on both sides are taken from it. After an edit of unknown length, or a write that may have
   failed, only a read of the whole file counts for what is before.
3. Of a result that holds more than file text nothing is said by rule 1.
4. The result of a look or a check (`ls`, `git diff`, tests) is superseded by that of the same call made again
   later. One that was cut supersedes none. What it holds of files is left to rule 1.
5. The arguments of a write or an edit that failed are superseded where the file was written or edited since.
6. A failed result is never superseded, and supersedes nothing: what went wrong stays readable.
7. What is not superseded of a file's reads, writes and edits holds its last known state, together. A read that an
   edit came after is stale by itself, and still needed.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.staleness.file_history import FileEvent, FileHistory, history
from ctxmgr.engine.staleness.line_ranges import Lines
from ctxmgr.model import once

Reason = Literal["read again", "written later", "repeated", "tried again"]
MOST_SPANS = 64  # apart from one another, of one file: more are forgotten, which errs to the safe side
END = 1 << 60  # the line after a file's last


@once
def superseded(conversation: ConversationIndex) -> dict[BlockRef, Reason]:
    """Results and calls that are out of date, in the list's order, with the reason.

    Linear in the list.
    """
    told = history(conversation)
    needed: set[BlockRef] = set()  # those of which later ones do not cover all
    covered: dict[BlockRef, Reason] = {}
    for events in told.files.values():
        for event, reason in zip(events, _covered(events), strict=True):
            if reason:
                covered[event.block] = reason
            else:
                needed.add(event.block)
    found = {block: reason for block, reason in covered.items() if block not in needed and block not in told.mixed}
    found |= {block: "repeated" for block in told.again if block not in needed and block not in found}
    found |= dict.fromkeys(_tried_again(told), "tried again")
    return dict(sorted(found.items()))


def _covered(events: Sequence[FileEvent]) -> list[Reason | None]:
    """Why each event of a file is out of date, None where it is not; by rules 1 and 2, from the newest back."""
    reasons: list[Reason | None] = [None] * len(events)
    whole: Reason | None = None
    spans: list[tuple[int, int]] = []  # covered lines, sorted and apart; the second is the line after the last
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        reasons[place] = whole or ("read again" if spans and _within(event.need, spans) else None)
        if whole:
            continue
        if event.kind == "edit":
            spans = _moved(spans, event.grown)
        elif event.cover is not None:
            spans = _with(spans, event.cover)
            if spans == [(1, END)]:
                whole = "written later" if event.kind == "write" else "read again"
        elif event.kind == "write":
            spans = []
    return reasons


def _within(need: Lines, spans: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(spans, (need[0], END)) - 1
    return at >= 0 and spans[at][1] >= (END if need[1] is None else need[1] + 1)


def _with(spans: Sequence[tuple[int, int]], cover: Lines) -> list[tuple[int, int]]:
    """The spans and these lines; those that touch are one."""
    start, end = cover[0], END if cover[1] is None else cover[1] + 1
    apart: list[tuple[int, int]] = []
    for one in spans:
        if one[1] < start or one[0] > end:
            apart.append(one)
        else:
            start, end = min(start, one[0]), max(end, one[1])
    return sorted([*apart[-MOST_SPANS:], (start, end)])


def _moved(spans: Sequence[tuple[int, int]], grown: int | None) -> list[tuple[int, int]]:
    """What the spans cover of the file before an edit that moved lines by so many (rule 2)."""
    if grown is None:
        return []
    if not grown:
        return list(spans)
    moved = [(start if start == 1 else start + grown, end if end == END else end - grown) for start, end in spans]
    return [(start, end) for start, end in moved if start < end]


def _tried_again(told: FileHistory) -> Iterable[BlockRef]:
    """Rule 5."""
    changed = {
        path: max((event.message_index for event in told.files.get(path, ()) if event.kind != "read"), default=-1)
        for path in {path for _, path in told.failed}
    }
    return [call for call, path in told.failed if changed[path] > call.message_index]
