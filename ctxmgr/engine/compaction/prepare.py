"""Turns a branch path into a prepared compaction: what a summary is to stand for, what stays, which files it names.

Rules (pi 0.87.1, which a weigher of "chars4" equals in all):

1. Nothing is prepared when the path ends with a compaction, when nothing would be summarised, or when the kept
   part would start with an entry without an id.
2. The range starts where the previous compaction's kept part starts, not after that compaction: else what it
   kept would be lost now. Its summary is carried on as `previous`.
3. History is what is before the cut, of a split turn what is before that turn; the rest of the turn is its prefix.
   Prompts and older compactions are no conversation.
4. Files are those of the summarised calls and of the previous compaction's details.

Beyond pi, with a weigher of "tokens": the cut parts no call from its result (`cut`, rule 6), and files gather over
all compactions and all summarised branch summaries of the path, over the lists in the previous summary's text,
and over calls that tools made by themselves. An extension that wrote one compaction loses no list for good.
"""

from collections.abc import Sequence

from ctxmgr.engine.compaction import files
from ctxmgr.engine.compaction.cut import Cut, host_cut, points, reached, speaks, whole_cut
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

    `weigh`: tokens of one message; with the weigher "chars4" it is not asked, pi's estimate counts.
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
    if not entries[cut.start_index].id:
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
    """The conversation that entries give (rule 3)."""
    held = (message for one in entries if one.kind != "compaction" for message in one.messages)
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
        one for place, one in enumerate(path) if one.kind == "compaction" or (one.kind == "branch" and place < cut)
    ]
    told = files.listed(previous.summary) if previous is not None else FileLists()
    return files.merged(files.of_details(summaries), told, files.of_messages(messages))


def _why(
    entries: Sequence[BranchEntry], start: int, cut: Cut | None, settings: CutBudget, weigh: WeighMessage
) -> NothingToCompact:
    """Why there is nothing to compact."""
    if not conversation_of(entries[start:]):
        return EMPTY
    valid = points(entries, start)
    full = reached(entries, start, settings.keep_recent_tokens, weigh)
    if cut is None and valid:
        return PARTED if any(entries[place].id for place in valid[1:]) else NAMELESS
    if full is not None and sum(map(weigh, entries[full].messages)) >= settings.keep_recent_tokens:
        return FILLED
    return SMALL
