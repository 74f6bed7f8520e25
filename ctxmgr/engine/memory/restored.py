"""Turns facts of files into those that are changed still: git may have taken some back to what was committed.

1. What is taken back is a file, as it is told or as its path ends, or a directory with all in it but new files,
   which git does not know.
2. Behind a commit nothing is taken back: it may hold the change.
3. What was deleted, and touched again since or something in it, is there again.
4. What was changed in a directory that was deleted since is gone with it.
"""

from collections.abc import Iterable, Sequence

from ctxmgr.engine.memory.commits import COMMITTED
from ctxmgr.model.saved import BROUGHT_BACK, Fact

ALL = "."


def still_changed(facts: Sequence[Fact]) -> Iterable[Fact]:
    """Of facts in the order of time those of files that hold, with those of files that were read."""
    files = [fact for fact in facts if fact.slot == "file"]
    back = [fact for fact in files if fact.status == BROUGHT_BACK]
    commits = ((fact.time_ms, fact.seq) for fact in facts if back and fact.key.startswith(f"{COMMITTED}\n"))
    first = min(commits, default=None)
    back = [fact for fact in back if first is None or (fact.time_ms, fact.seq) < first]
    deleted = [fact for fact in files if fact.status == "deleted"]
    for fact in files:
        taken_back = fact.status == BROUGHT_BACK or any(_undoes(one, fact) for one in back)
        there_again = fact.status == "deleted" and any(_is_in(one, fact) for one in files)
        gone = any(_goes_with(one, fact) for one in deleted)
        if fact.status == "read" or not (taken_back or there_again or gone):
            yield fact


def _goes_with(deleted: Fact, changed: Fact) -> bool:
    """Rule 4."""
    return _since(deleted, changed) and changed.text.startswith(f"{deleted.text.rstrip('/')}/")


def _is_in(later: Fact, deleted: Fact) -> bool:
    """Rule 3."""
    within = f"{later.text}/".startswith(f"{deleted.text.rstrip('/')}/")
    return later.status != "deleted" and within and _since(later, deleted)


def _since(one: Fact, other: Fact) -> bool:
    return (one.time_ms, one.seq, one.order) > (other.time_ms, other.seq, other.order)


def _undoes(back: Fact, changed: Fact) -> bool:
    """Rule 1."""
    if (changed.time_ms, changed.seq) > (back.time_ms, back.seq):
        return False
    if f"/{changed.text}".endswith(f"/{back.text}"):
        return True
    within = back.text == ALL or f"/{back.text}/" in f"/{changed.text}"
    return within and changed.status != "written"
