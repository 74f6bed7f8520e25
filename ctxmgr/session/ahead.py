"""A compaction written ahead, in the background: what is there, and whether one should be begun.

Rules:
1. Off unless the policy says so: it spends the host's money.
2. Only a finished one is ever seen. One that fell back to a lesser summary is thrown away: the host did not wait
   for it, and may do better itself.
3. It belongs to the branch it was written on. A move, a compaction or a restart throws it away, also one that is
   still being written then.
"""

from typing import Any

import msgspec

from ctxmgr.model.policy import Zone


class Prepared(msgspec.Struct, frozen=True):
    """`compaction` as the host takes it; `leaf`: the newest entry it was written on, None where none has an id."""

    compaction: Any
    leaf: str | None


class Ahead:
    def __init__(self) -> None:
        self.prepared: Prepared | None = None
        self.writing = False
        self.tried = False  # once a branch: what failed would fail again, and cost again
        self.generation = 0

    def forget(self) -> None:
        """The branch has changed."""
        self.prepared, self.writing, self.tried = None, False, False
        self.generation += 1

    def wanted(self, zone: Zone, known: bool) -> bool:
        """Whether to begin one now. `known`: the pressure is a real reading."""
        return known and zone != "green" and not (self.prepared or self.writing or self.tried)

    def begun(self) -> int:
        """What `arrived` takes: the generation it is written in."""
        self.writing = self.tried = True
        return self.generation

    def arrived(self, generation: int, prepared: Prepared | None) -> None:
        """It is written; None: it failed."""
        if generation == self.generation:
            self.prepared, self.writing = prepared, False
