"""Turns a branch path and a compaction prepared of it into the entries that would be lost: none, or it is wrong.

An entry is covered when all it says is in the history, in the turn prefix or in the kept part, and when it is the
previous compaction, when its summary is carried on. What an earlier compaction removed is covered by that summary.
"""

from collections.abc import Sequence

from ctxmgr.model.compaction import BranchEntry, CompactionPlan, in_list, places_in_list


def uncovered(path: Sequence[BranchEntry], preparation: CompactionPlan) -> tuple[int, ...]:
    """Places in the path of entries in the model's list that a compaction leaves to nobody, in rising order."""
    kept = (*preparation.history, *preparation.prefix, *preparation.recent)
    covered = {id(message) for message in kept}
    lost = []
    for place, entry in zip(places_in_list(path), in_list(path), strict=True):
        if entry.kind == "compaction":
            if entry.messages and preparation.previous != entry.summary:
                lost.append(place)
        elif any(id(message) not in covered and not message.system for message in entry.messages):
            lost.append(place)
    return tuple(sorted(lost))
