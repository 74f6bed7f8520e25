"""Which branches a compaction is being written of: two of one branch at once would each lose the other's."""

from collections.abc import Collection


class BranchLocks:
    """Claims by the ids of the entries on a branch's path. A path without ids may be any."""

    def __init__(self) -> None:
        self._locked: list[Collection[str]] = []

    def claim(self, path: Collection[str], leaf: str | None) -> Collection[str] | None:
        """What `release` takes; None where a compaction of this branch is being written.

        Two paths are of one branch where the newest entry of either lies on the other: one has only grown.
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
