"""How far a list was gone through, and what is wrong with it so far."""

from collections.abc import Iterable

import msgspec

from ctxmgr.model import View

MARKS_AT_MOST = 4  # of `cache_control`; a fifth is refused
USERS = frozenset(("user", "packet", "summary", "note", "shell"))  # roles that go out as a user's

Said = Iterable[tuple[bytes, View]]


class Progress(msgspec.Struct, frozen=True):
    """`faults` so far. `began`: something that counts as a beginning was there. `waiting`: ids of calls that are
    not answered yet. `role`: the last one that counts. `other`: in this turn something stood that no result may
    follow. `mark_count`: of cache marks."""

    faults: frozenset[str] = frozenset()
    began: bool = False
    waiting: frozenset[str] = frozenset()
    role: str = ""
    other: bool = False
    mark_count: int = 0


BEGINNING = Progress()


def refused(progress: Progress) -> frozenset[str]:
    """What a provider would refuse, by name, if the list ended here."""
    found = set(progress.faults)
    if not progress.began:
        found.add("empty list")
    if progress.waiting:
        found.add("pairs")
    if progress.mark_count > MARKS_AT_MOST:
        found.add("cache marks")
    return frozenset(found)


def calls(view: View) -> frozenset[str]:
    """The ids of the calls in a message."""
    return frozenset(block.call_id for block in view.blocks if block.kind == "call")


def answers(view: View) -> list[str]:
    """The ids that its results answer."""
    return [block.call_id for block in view.blocks if block.kind == "result"]
