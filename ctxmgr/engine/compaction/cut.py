"""Turns the entries of a model's list into the place where the kept part starts.

Rules (pi 0.87.1):

1. The kept part may start with what a user said or ran, a custom message, a branch summary or an assistant's
   message: never with a tool's result, which must follow its call, and never with a compaction.
2. Walk back from the newest entry until `keep` tokens are reached. The cut is the first valid place there or
   after it; without one after it, the last valid place of all.
3. When all that follows the cut is a failed attempt that was taken back, the message before the attempt has been
   answered already as far as it will be: the cut goes after it.
4. Entries that give the list nothing (a model change, a label) right before the cut are kept with it.
5. A cut that starts no turn, but has a start of its turn before it, splits that turn.

Beyond pi, where the host's own result is not asked for:

6. No result is kept whose call is not (user messages that were queued while tools ran make such places), and the
   kept part starts with an entry that has an id. The nearest earlier valid place where both hold is taken;
   where that leaves nothing to summarise, the nearest later one.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.model import WeighMessage
from ctxmgr.model.compaction import BranchEntry


class Cut(msgspec.Struct, frozen=True, gc=False):
    """`start_index`: number of the entry that the kept part starts with. `turn_index`: the start of the turn that
    is split, None where none is."""

    start_index: int
    turn_index: int | None = None


def points(entries: Sequence[BranchEntry], start: int) -> tuple[int, ...]:
    """Where the kept part may start (rule 1)."""
    return tuple(number for number in range(start, len(entries)) if _is_point(entries[number]))


def reached(entries: Sequence[BranchEntry], start: int, keep: int, weigh: WeighMessage) -> int | None:
    """The newest entry from which on there are `keep` tokens or more; None where there are fewer in all."""
    total = 0
    for number in range(len(entries) - 1, start - 1, -1):
        weight = sum(map(weigh, entries[number].messages))
        total += weight
        if weight and total >= keep:
            return number
    return None


def host_cut(entries: Sequence[BranchEntry], start: int, keep: int, weigh: WeighMessage) -> Cut | None:
    """The cut by pi's rules, of entries from `start` on; None where there is no valid place."""
    valid = points(entries, start)
    if not valid:
        return None
    return _placed(entries, start, _chosen(entries, start, valid, reached(entries, start, keep, weigh)))


def whole_cut(entries: Sequence[BranchEntry], start: int, keep: int, weigh: WeighMessage) -> Cut | None:
    """The cut by rule 6; None where no place fulfils it. With nothing to summarise before pi's cut, it is that."""
    valid = points(entries, start)
    if not valid:
        return None
    wanted = _chosen(entries, start, valid, reached(entries, start, keep, weigh))
    if not speaks(entries, start, wanted):
        return _placed(entries, start, wanted)
    calls = earliest_calls(entries, start)
    first = next(place for place in range(start, wanted) if speaks(entries, place, place + 1))
    earlier = (place for place in reversed(valid) if first < place < wanted)
    later = (place for place in valid if place > wanted)
    for place in (wanted, *earlier, *later):
        if calls[place - start] >= place:
            cut = _placed(entries, start, place)
            named = next((number for number in range(cut.start_index, place + 1) if entries[number].id), None)
            if named is not None:
                return msgspec.structs.replace(cut, start_index=named)
    return None


def speaks(entries: Sequence[BranchEntry], start: int, end: int) -> bool:
    """Whether entries [start, end) hold any conversation."""
    held = (message for number in range(start, end) for message in entries[number].messages)
    return any(not message.system for message in held)


def earliest_calls(entries: Sequence[BranchEntry], start: int) -> list[int]:
    """For each entry from `start` on: the earliest entry with a call that a result there or later answers, the
    number of entries where there is none. A result belongs to the latest earlier call with its id."""
    asked: dict[str, int] = {}
    found = []
    for number in range(start, len(entries)):
        earliest = len(entries)
        for message in entries[number].messages:
            for block in message.view.blocks:
                if block.kind == "call":
                    asked[block.call_id] = number
                elif block.kind == "result":
                    earliest = min(earliest, asked.get(block.call_id, earliest))
        found.append(earliest)
    for number in range(len(found) - 2, -1, -1):
        found[number] = min(found[number], found[number + 1])
    return found


def _is_point(entry: BranchEntry) -> bool:
    return entry.kind != "compaction" and any(message.cuttable for message in entry.messages)


def _opens_turn(entry: BranchEntry) -> bool:
    return entry.kind != "compaction" and any(message.opens_turn for message in entry.messages)


def _chosen(entries: Sequence[BranchEntry], start: int, valid: Sequence[int], full: int | None) -> int:
    """The place of the cut before rule 4; `full` is where the tokens were reached."""
    if full is None:
        return valid[0]
    place = next((one for one in valid if one >= full), valid[-1])
    return place + 1 if _taken_back(entries[place + 1 :]) else place


def _taken_back(suffix: Sequence[BranchEntry]) -> bool:
    """Rule 3: entries of which none is in the list any more, an assistant's among them, and no edit of another's
    content."""
    omitted = [entry for entry in suffix if entry.visible and not entry.messages]
    ids = {entry.id for entry in omitted}
    if not any(entry.answers for entry in omitted):
        return False
    if any(entry.kind == "edit" and entry.replaces and entry.target not in ids for entry in suffix):
        return False
    return all(entry.kind != "compaction" and not (entry.visible and entry.messages) for entry in suffix)


def _placed(entries: Sequence[BranchEntry], start: int, place: int) -> Cut:
    """The cut at a place, with what rules 4 and 5 make of it."""
    at = place
    while at > start and not entries[at - 1].messages:  # a compaction in the list has its summary
        at -= 1
    if _opens_turn(entries[at]):
        return Cut(at)
    return Cut(at, next((number for number in range(at, start - 1, -1) if _opens_turn(entries[number])), None))
