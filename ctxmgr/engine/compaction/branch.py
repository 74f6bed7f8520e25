"""Selects what a branch summary is written from, given the abandoned path and the new one.

Rules (pi 0.87.1, which a weigher of "chars4" matches):

1. Abandoned is what follows the deepest entry that both paths share, up to the old leaf. Compactions do not end it;
   their summaries are part of it.
2. Tool results are omitted: the calls say what was requested.
3. Messages are taken from the newest on until the budget is full. A summary that does not fit is still taken if
   less than nine tenths are used, because it stands for much.

Beyond pi, with a weigher of "tokens":

4. Edits by the host's user apply, and prompts are omitted.
5. The budget that rule 3 leaves goes to shortened results, in their positions: first the failed ones, since a
   branch summary is read to learn why something was given up; then the first line of the others.
6. Files are those of the whole branch and of all compactions and branch summaries in it, not only of what fitted.

Both paths are finite and without repetition, whatever tree they come from, so nothing here can loop.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.compaction import files
from ctxmgr.engine.compaction.render import clipped, utf16_units
from ctxmgr.engine.compaction.weighing import quarters
from ctxmgr.model import WeighMessage
from ctxmgr.model.compaction import BranchEntry, BranchMessage, BranchSummaryPlan, FileLists, Weigher

SUMMARY_SHARE = 0.9  # of the budget; below it a summary is taken even if it does not fit (pi)
ERROR_UNITS = 600  # UTF-16 units of a failed result: an error and a few lines around it
LINE_UNITS = 200  # of the first line of another result

Taken = tuple[int, int, BranchMessage]  # position of the entry, number in it, message


def left(old: Sequence[BranchEntry], target: Sequence[BranchEntry]) -> tuple[str | None, tuple[BranchEntry, ...]]:
    """(id of the deepest common entry, entries after it up to the old leaf), of two paths from the root (rule
    1).
    """
    places = {entry.id: number for number, entry in enumerate(old) if entry.id}
    shared = next((entry.id for entry in reversed(target) if entry.id in places), None)
    return shared, tuple(old if shared is None else old[places[shared] + 1 :])


def prepare(
    old: Sequence[BranchEntry],
    target: Sequence[BranchEntry],
    budget: int,
    weigh: WeighMessage,
    weigher: Weigher = "tokens",
) -> BranchSummaryPlan:
    """The branch summary for going from the end of path `old` to the end of path `target`.

    `budget` in tokens for all messages, 0: no limit. With the weigher "chars4" pi's estimate is used.
    """
    pi_like = weigher == "chars4"
    weigh = quarters if pi_like else weigh
    ancestor, entries = left(old, target)
    contents = [_content(entry, pi_like) for entry in entries]
    taken, stopped, weight = _newest(entries, contents, budget, weigh)
    first = taken[-1][0] if taken else len(entries)
    kept = {(entry_number, number) for entry_number, number, _ in taken}
    missing = [
        message
        for entry_number, messages in enumerate(contents)
        for number, message in enumerate(messages)
        if not _is_result(message) and (entry_number, number) not in kept
    ]
    if not pi_like:
        results, weight = _results(contents, first, budget, weight, weigh)
        taken += results
    return BranchSummaryPlan(
        ancestor=ancestor,
        entries=tuple(entry.id for entry in entries),
        messages=tuple(message for _, _, message in sorted(taken, key=lambda item: item[:2])),
        left_out=tuple(missing),
        files=_files(entries, contents, stopped, pi_like),
        weight=weight,
    )


def _content(entry: BranchEntry, pi_like: bool) -> tuple[BranchMessage, ...]:
    """What an entry contributes to a branch summary."""
    given = entry.messages if entry.unedited is None or not pi_like else entry.unedited
    if pi_like and entry.kind == "message":
        return given  # includes prompts, as in pi; it is shown to nobody
    return tuple(message for message in given if not message.system)


def _newest(
    entries: Sequence[BranchEntry], contents: Sequence[Sequence[BranchMessage]], budget: int, weigh: WeighMessage
) -> tuple[list[Taken], int, int]:
    """(messages taken, newest first; position of the stop; their tokens) by rules 2 and 3."""
    taken: list[Taken] = []
    total = 0
    for entry_number in range(len(entries) - 1, -1, -1):
        for number, message in enumerate(contents[entry_number]):
            if _is_result(message):
                continue
            weight = weigh(message)
            fits = not budget or total + weight <= budget
            stands_for_much = (
                entries[entry_number].kind in ("compaction", "branch") and total < budget * SUMMARY_SHARE
            )
            if fits or stands_for_much:
                taken.append((entry_number, number, message))
                total += weight
            if not fits:
                return taken, entry_number, total
    return taken, 0, total


def _results(
    contents: Sequence[Sequence[BranchMessage]], first: int, budget: int, total: int, weigh: WeighMessage
) -> tuple[list[Taken], int]:
    """(shortened results from entry `first` on that fit, total tokens with them) by rule 5, newest first."""
    results = [
        (entry_number, number, message)
        for entry_number in range(len(contents) - 1, first - 1, -1)
        for number, message in enumerate(contents[entry_number])
        if _is_result(message)
    ]
    results.sort(key=lambda result: not result[2].content.is_error)  # stable: each kind stays newest first
    taken = []
    for entry_number, number, result in results:
        message = _shortened(result)
        weight = weigh(message) if message.content.text else None
        if weight is not None and (not budget or total + weight <= budget):
            taken.append((entry_number, number, message))
            total += weight
    return taken, total


def _is_result(message: BranchMessage) -> bool:
    return message.content.speaker == "result"


def _shortened(message: BranchMessage) -> BranchMessage:
    """The result reduced to an error's start, or to its first line; its raw JSON stays unchanged."""
    whole = (message.content.text or "").strip()
    shown, units = (whole, ERROR_UNITS) if message.content.is_error else (whole.split("\n")[0].strip(), LINE_UNITS)
    text = clipped(shown, units)
    blocks = tuple(
        msgspec.structs.replace(block, text=text, media=()) if block.kind == "result" else block
        for block in message.view.blocks
    )
    return msgspec.structs.replace(
        message,
        view=msgspec.structs.replace(message.view, blocks=blocks),
        content=msgspec.structs.replace(message.content, text=text),
        utf16_units=utf16_units(text),
    )


def _files(
    entries: Sequence[BranchEntry], contents: Sequence[Sequence[BranchMessage]], stopped: int, pi_like: bool
) -> FileLists:
    """pi: the details of all branch summaries, and the calls seen. Otherwise rule 6."""
    kinds = ("branch",) if pi_like else ("branch", "compaction")
    seen = contents[stopped:] if pi_like else contents
    calls = [message for messages in seen for message in messages]
    carried = files.of_details(entry for entry in entries if entry.kind in kinds)
    return files.merged(carried, files.as_pi_lists(calls) if pi_like else files.of_messages(calls))
