"""Prepares the compaction of a branch path: what the summary replaces, what stays, which files it names.

Rules (pi 0.87.1, which a weigher of "chars4" matches):

1. Nothing is prepared if the path ends with a compaction, if nothing would be summarized, or if the kept part would
   start with an entry without an id although others have one. If no entry has one, `first_kept` is "".
2. The range starts where the previous compaction's kept part starts, not behind that compaction; otherwise the kept
   part would be lost now. Its summary is carried on as `previous`.
3. History is what precedes the cut, or, in a split turn, what precedes that turn; the rest of the turn is its
   prefix. Prompts and older compactions are not conversation.
4. Files are those of the summarized calls and of the previous compaction's details.

Where the kept part starts (pi 0.87.1):

5. It may start with what a user said or ran, a custom message, a branch summary or an assistant's message. It never
   starts with a tool result, which must follow its call, or with a compaction.
6. Walk back from the newest entry until `keep` tokens are reached. The cut is the first valid place there or after
   it; without one after it, the last valid place of all.
7. If everything behind the cut is a failed attempt that was taken back, the message before it will get no further
   answer: the cut moves behind the attempt.
8. Entries directly before the cut that contribute nothing to the list (a model change, a label) are kept with it.
9. A cut that starts no turn, but has a turn's start before it, splits that turn.

Beyond pi, with a weigher of "tokens":

10. No result is kept without its call (user messages that were queued while tools ran create such places), and the
    kept part starts with an entry that has an id. The nearest earlier valid place with both properties is taken; if
    that leaves nothing to summarize, the nearest later one.
11. Files accumulate over all compactions and summarized branch summaries of the path, over the lists in the
    previous summary's text, and over calls that tools made by themselves. So a compaction by an extension loses no
    list for good.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.compaction import files
from ctxmgr.engine.compaction.weighing import before, quarters
from ctxmgr.model import WeighMessage
from ctxmgr.model.compaction import (
    BranchEntry,
    BranchMessage,
    CompactionPlan,
    CutBudget,
    FileLists,
    NothingToCompact,
    in_list,
    places_in_list,
)


class Cut(msgspec.Struct, frozen=True, gc=False):
    """`start_index`: the entry that the kept part starts with. `turn_index`: the start of the split turn, or
    None.
    """

    start_index: int
    turn_index: int | None = None


EMPTY = NothingToCompact("Nothing to compact: the session holds no messages.")
ALREADY = NothingToCompact("Already compacted: nothing came since the last compaction.")
SMALL = NothingToCompact("Nothing to compact: the session is too small, all of it is within what is to be kept.")
FILLED = NothingToCompact(
    "Nothing to compact: one message fills everything that is to be kept, and nothing is before it."
)
NAMELESS = NothingToCompact("Nothing to compact: no entry that the kept part could start with has an id.")
PARTED = NothingToCompact("Nothing to compact: every place for a cut would part a tool call from its result.")


def decide(
    path: Sequence[BranchEntry], settings: CutBudget, weigh: WeighMessage
) -> CompactionPlan | NothingToCompact:
    """The compaction of a branch path (oldest entry first), or why there is none.

    `weigh`: tokens of one message; unused with the weigher "chars4", where pi's estimate counts.
    """
    if path and path[-1].kind == "compaction":
        return ALREADY
    pi_like = settings.weigher == "chars4"
    weigh = quarters if pi_like else weigh
    places = places_in_list(path)
    entries = in_list(path)
    carries = bool(entries) and entries[0].kind == "compaction" and bool(entries[0].messages)
    start = int(carries)
    cut = (host_cut if pi_like else whole_cut)(entries, start, settings.keep_recent_tokens, weigh)
    if cut is None or not speaks(entries, start, cut.start_index):
        return _why(entries, start, cut, settings, weigh)
    if not entries[cut.start_index].id and _has_ids(entries):
        return NAMELESS
    history = conversation_of(entries[start : cut.start_index if cut.turn_index is None else cut.turn_index])
    prefix = () if cut.turn_index is None else conversation_of(entries[cut.turn_index : cut.start_index])
    previous = entries[0] if carries else None
    return CompactionPlan(
        first_kept=entries[cut.start_index].id,
        history=history,
        prefix=prefix,
        split=cut.turn_index is not None,
        tokens_before=before(path, places, entries, weigh, settings.weigher),
        previous=None if previous is None else previous.summary,
        files=_files(path, places[cut.start_index], previous, (*history, *prefix), settings),
        settings=settings,
        recent=conversation_of(entries[cut.start_index :]),
    )


def conversation_of(entries: Sequence[BranchEntry]) -> tuple[BranchMessage, ...]:
    """The conversation in entries (rule 3)."""
    held = (message for entry in entries if entry.kind != "compaction" for message in entry.messages)
    return tuple(message for message in held if not message.system)


def _files(
    path: Sequence[BranchEntry],
    cut: int,
    previous: BranchEntry | None,
    messages: Sequence[BranchMessage],
    settings: CutBudget,
) -> FileLists:
    if settings.weigher == "chars4":
        carried = () if previous is None else (previous,)
        return files.merged(files.of_details(carried), files.as_pi_lists(messages))
    summaries = [
        entry
        for number, entry in enumerate(path)
        if entry.kind == "compaction" or (entry.kind == "branch" and number < cut)
    ]
    listed = files.listed(previous.summary) if previous is not None else FileLists()
    return files.merged(files.of_details(summaries), listed, files.of_messages(messages))


def _why(
    entries: Sequence[BranchEntry], start: int, cut: Cut | None, settings: CutBudget, weigh: WeighMessage
) -> NothingToCompact:
    """Why there is nothing to compact."""
    if not conversation_of(entries[start:]):
        return EMPTY
    valid = points(entries, start)
    full = reached(entries, start, settings.keep_recent_tokens, weigh)
    if cut is None and valid:
        named = any(entries[number].id for number in valid[1:])
        return PARTED if named or not _has_ids(entries) else NAMELESS
    if full is not None and sum(map(weigh, entries[full].messages)) >= settings.keep_recent_tokens:
        return FILLED
    return SMALL


def _has_ids(entries: Sequence[BranchEntry]) -> bool:
    return any(entry.id for entry in entries)


def points(entries: Sequence[BranchEntry], start: int) -> tuple[int, ...]:
    """Where the kept part may start (rule 5)."""
    return tuple(
        number
        for number in range(start, len(entries))
        if entries[number].kind != "compaction" and any(message.cuttable for message in entries[number].messages)
    )


def reached(entries: Sequence[BranchEntry], start: int, keep: int, weigh: WeighMessage) -> int | None:
    """The newest entry with `keep` tokens or more from there on; None if there are fewer in total."""
    total = 0
    for number in range(len(entries) - 1, start - 1, -1):
        weight = sum(map(weigh, entries[number].messages))
        total += weight
        if weight and total >= keep:
            return number
    return None


def host_cut(entries: Sequence[BranchEntry], start: int, keep: int, weigh: WeighMessage) -> Cut | None:
    """The cut by pi's rules, for entries from `start` on; None without a valid place."""
    valid = points(entries, start)
    if not valid:
        return None
    return _placed(entries, start, _chosen(entries, valid, reached(entries, start, keep, weigh)))


def whole_cut(entries: Sequence[BranchEntry], start: int, keep: int, weigh: WeighMessage) -> Cut | None:
    """The cut by rule 10; None if no place meets it. If there is nothing to summarize before pi's cut, that cut."""
    valid = points(entries, start)
    if not valid:
        return None
    wanted = _chosen(entries, valid, reached(entries, start, keep, weigh))
    if not speaks(entries, start, wanted):
        return _placed(entries, start, wanted)
    calls = earliest_calls(entries, start)
    first = next(number for number in range(start, wanted) if speaks(entries, number, number + 1))
    earlier = (number for number in reversed(valid) if first < number < wanted)
    later = (number for number in valid if number > wanted)
    for candidate in (wanted, *earlier, *later):
        if calls[candidate - start] >= candidate:
            cut = _placed(entries, start, candidate)
            named = next((number for number in range(cut.start_index, candidate + 1) if entries[number].id), None)
            named = cut.start_index if named is None and not _has_ids(entries) else named
            if named is not None:
                return msgspec.structs.replace(cut, start_index=named)
    return None


def speaks(entries: Sequence[BranchEntry], start: int, end: int) -> bool:
    """Whether entries [start, end) hold any conversation."""
    held = (message for number in range(start, end) for message in entries[number].messages)
    return any(not message.system for message in held)


def earliest_calls(entries: Sequence[BranchEntry], start: int) -> list[int]:
    """For each entry from `start` on, the earliest entry with a call that a result there or later answers; the
    number of entries if there is none. A result belongs to the latest earlier call with its id.
    """
    asked: dict[str, int] = {}
    earliest_by_entry = []
    for number in range(start, len(entries)):
        earliest = len(entries)
        for message in entries[number].messages:
            for block in message.view.blocks:
                if block.kind == "call":
                    asked[block.call_id] = number
                elif block.kind == "result":
                    earliest = min(earliest, asked.get(block.call_id, earliest))
        earliest_by_entry.append(earliest)
    for number in range(len(earliest_by_entry) - 2, -1, -1):
        earliest_by_entry[number] = min(earliest_by_entry[number], earliest_by_entry[number + 1])
    return earliest_by_entry


def _opens_turn(entry: BranchEntry) -> bool:
    return entry.kind != "compaction" and any(message.opens_turn for message in entry.messages)


def _chosen(entries: Sequence[BranchEntry], valid: Sequence[int], full: int | None) -> int:
    """The cut before rule 8; `full` is where the tokens were reached."""
    if full is None:
        return valid[0]
    chosen = next((number for number in valid if number >= full), valid[-1])
    return chosen + 1 if _taken_back(entries[chosen + 1 :]) else chosen


def _taken_back(suffix: Sequence[BranchEntry]) -> bool:
    """Rule 7: none of these entries is in the list any more, one is an assistant's, and none edits another
    entry.
    """
    omitted = [entry for entry in suffix if entry.visible and not entry.messages]
    ids = {entry.id for entry in omitted}
    if not any(entry.answers for entry in omitted):
        return False
    if any(entry.kind == "edit" and entry.replaces and entry.target not in ids for entry in suffix):
        return False
    return all(entry.kind != "compaction" and not (entry.visible and entry.messages) for entry in suffix)


def _placed(entries: Sequence[BranchEntry], start: int, cut: int) -> Cut:
    """The cut at a place, after rules 8 and 9."""
    start_index = cut
    while start_index > start and not entries[start_index - 1].messages:  # a compaction in the list has a summary
        start_index -= 1
    if _opens_turn(entries[start_index]):
        return Cut(start_index)
    return Cut(
        start_index,
        next((number for number in range(start_index, start - 1, -1) if _opens_turn(entries[number])), None),
    )
