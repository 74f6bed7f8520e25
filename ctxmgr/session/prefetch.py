"""A compaction written ahead, in the background: the finished one, and whether to start one.

Rules:
1. Off by default: it spends the host's money.
2. Only a finished one is ever visible. One that fell back to a lesser summary is dropped: the host did not wait for
   it, and may do better itself.
3. It belongs to the branch it was written on. A move, a compaction or a restart drops it, even while it is being
   written.
4. It is returned with the model's current notes, which may have changed since it was written.
"""

from collections.abc import Collection
from concurrent.futures import Future
from typing import Any

import msgspec

from ctxmgr.model import Weigh, Zone


class PrefetchedCompaction(msgspec.Struct, frozen=True):
    """`compaction`: in the host's shape. `leaf`: the newest entry it covers, None if none has an id. `notes`: the
    model's own at that time. `reserve_tokens`: of the summary.
    """

    compaction: Any
    leaf: str | None
    notes: str = ""
    reserve_tokens: int = 0

    def handed_out(self, notes: str, weigh: Weigh) -> Any:
        """The compaction with these notes."""
        if notes == self.notes:
            return self.compaction
        from ctxmgr.summarize import writing

        summary = writing.with_newer_notes(self.compaction.summary, notes, self.reserve_tokens, weigh)
        return msgspec.structs.replace(self.compaction, summary=summary)


class Prefetch:
    """`future` is done when the running one has ended, None if there is none."""

    def __init__(self) -> None:
        self.prepared: PrefetchedCompaction | None = None
        self.future: Future[Any] | None = None
        self.tried = False  # once per branch: what failed would fail again, and cost again
        self.failure = ""  # why nothing was written on this branch, for people

    def forget(self) -> None:
        """The branch has changed. The running one is useless now."""
        future, self.future = self.future, None
        self.prepared, self.tried, self.failure = None, False, ""
        if future is not None:
            future.cancel()

    def wanted(self, zone: Zone, known: bool) -> bool:
        """Whether to start one now. `known`: the pressure comes from a real reading."""
        return known and zone != "green" and not (self.prepared or self.future or self.tried)

    def begun(self, future: "Future[Any]") -> None:
        self.future, self.tried = future, True

    def arrived(self, future: "Future[Any]", prepared: PrefetchedCompaction | None) -> None:
        """It has ended; None: it failed or fell back. One that was forgotten is ignored."""
        if future is self.future:
            self.prepared, self.future = prepared, None
            self.failure = "" if prepared is not None else self.failure or "it failed"


# Which branches a compaction is being written of: two of one branch at once would each lose the other's.


class BranchLocks:
    """Claims by the ids of the entries on a branch's path. A path without ids may be any."""

    def __init__(self) -> None:
        self._locked: list[Collection[str]] = []

    def claim(self, path: Collection[str], leaf: str | None) -> Collection[str] | None:
        """A token for `release`; None if a compaction of this branch is being written.

        Two paths belong to one branch if the newest entry of either is on the other: one has only grown.
        """
        for held in self._locked:
            if not held or not path or leaf in held or _newest(held) in path:
                return None
        mine = dict.fromkeys(path)
        self._locked.append(mine)
        return mine

    def release(self, claim: Collection[str]) -> None:
        self._locked = [held for held in self._locked if held is not claim]


def _newest(path: Collection[str]) -> str:
    return list(path)[-1]
