"""Who may write a session's head, and how: the protocol as steps, without IO and without a clock.

Each function is a generator: it yields a step, gets its answer, and ends with an outcome. Whoever drives it may be
slow, may die between any two steps, and may be told that an answer was lost whose step takes effect later.

1. Only a swap commits, and only of the head that was read: so of two that swap at once one wins.
2. A claim raises the epoch. Who finds another's epoch in the head has lost the session, for good.
3. A head that another holds may be claimed once it was seen unchanged for its lease's length, by the clock of who
   wants it; one that was let go of, or is our own from before, at once.
4. A swap whose answer was lost, or that was refused, is settled by reading: the head is the new one (it took
   effect), the old one (the same bytes are swapped again: a late first try can then only do the same), or another.
5. A head of our own epoch is ours, though we never heard that its swap took effect: it is gone on from.
6. A session that was deleted is left as a head that names nothing, so that who has it learns that, and epochs go
   on. One that was deleted on purpose is not brought back; one that was purged who goes on with it claims again.
"""

from collections.abc import Generator
from typing import Any, Literal, TypeGuard

import msgspec

from ctxmgr.store.head import Contents, SessionHead

TRIES = 3  # of one swap, and of one claim, before it is left for later
LOOKS = 6  # at a head during its lease
End = Literal["deleted", "purged"]  # on purpose, and nobody is to bring it back; or for its age, or want of room


class Read(msgspec.Struct, frozen=True):
    """Answered with `HeadRead`, or `Lost`."""


class Swap(msgspec.Struct, frozen=True):
    """Put this head where the one with this tag is (None: where none is). Answered with `Swapped`, or `Lost`."""

    head: SessionHead
    etag: str | None


class Pause(msgspec.Struct, frozen=True):
    """Let so many milliseconds pass, by one's own clock."""

    length_ms: int


class HeadRead(msgspec.Struct, frozen=True):
    """What is there; None and None: nothing."""

    head: SessionHead | None = None
    etag: str | None = None


class Swapped(msgspec.Struct, frozen=True):
    etag: str


class Lost(msgspec.Struct, frozen=True):
    """No answer came: what was asked may have taken effect, or do so later. `cause` in a few words; "" where
    another head is there, or so it was said."""

    cause: str = ""


class Ownership(msgspec.Struct, frozen=True):
    """The head that is ours, and its tag. `made`: the highest count that we ever made."""

    head: SessionHead
    etag: str
    made: int = 0


class Claimed(msgspec.Struct, frozen=True):
    """The session is ours. `before`: the head that was there."""

    ownership: Ownership
    before: SessionHead | None


class Busy(msgspec.Struct, frozen=True):
    """Another goes on with the session."""

    head: SessionHead


class Away(msgspec.Struct, frozen=True):
    """The store did not answer. `made` as in `Ownership`; `cause` as in `Lost`."""

    made: int = 0
    cause: str = ""


class Fenced(msgspec.Struct, frozen=True):
    """Another has taken the session over, or it was deleted (None: with its head)."""

    head: SessionHead | None


Step = Read | Swap | Pause
Settling = Generator[Step, Any, Ownership | HeadRead | Lost]
Taking = Generator[Step, Any, Claimed | Busy | Away]
Committing = Generator[Step, Any, Ownership | Fenced | Away]


def take(
    session: str, owner: str, ours: frozenset[str], lease_ms: int, made: int = 0, end: End | None = None
) -> Taking:
    """Claims a session: `owner` is a new word for this, `ours` are those by which it was claimed from here before.
    `end`: the claim ends the session there, and names nothing. `made` as in `Ownership`, after an `Away`."""
    ours |= {owner}
    for _ in range(TRIES):
        read = yield Read()
        if isinstance(read, Lost):
            return Away(made, read.cause)
        if _held_by_another(read.head, ours):
            changed = yield from _watched(read)
            if changed is not None and _held_by_another(changed.head, ours):
                return Busy(changed.head)
            read = changed or read
        claim = _claim(read.head, session, owner, lease_ms, made, end)
        made = claim.count
        settled = yield from _settled(claim, read.etag)
        if isinstance(settled, Ownership):
            return Claimed(settled, read.head)
        if isinstance(settled, Lost):
            return Away(made, settled.cause)
        if _held_by_another(settled.head, ours):
            return Busy(settled.head)
    return Away(made)


def commit(held: Ownership, contents: Contents, holding: bool = True) -> Committing:
    """The head names these from now on. `holding` False: the session is let go of with it."""
    made = max(held.made, held.head.count)
    for _ in range(TRIES):
        made += 1
        new = msgspec.structs.replace(held.head, count=made, contents=contents, is_open=holding)
        settled = yield from _settled(new, held.etag)
        if isinstance(settled, Ownership):
            return settled
        if isinstance(settled, Lost):
            return Away(made, settled.cause)
        there = settled.head
        if there is None or (there.owner, there.epoch_number) != (held.head.owner, held.head.epoch_number):
            return Fenced(there)
        assert settled.etag is not None
        held = Ownership(there, settled.etag)  # rule 5
        made = max(made, there.count)
    return Away(made)


def _settled(new: SessionHead, tag: str | None) -> Settling:
    """Rule 4. What is there where it is neither the new head nor the old one."""
    cause = ""
    for _ in range(TRIES):
        answer = yield Swap(new, tag)
        if isinstance(answer, Swapped):
            return Ownership(new, answer.etag, new.count)
        cause = answer.cause
        read = yield Read()
        if isinstance(read, Lost):
            return read
        if read.head == new:
            return Ownership(new, read.etag, new.count)
        if read.etag != tag:
            return HeadRead(read.head, read.etag)
    return Lost(cause)


def _watched(seen: HeadRead) -> Generator[Step, Any, HeadRead | None]:
    """Rule 3: None where the head stayed as it is; else what came instead."""
    assert seen.head is not None
    for _ in range(LOOKS):
        yield Pause(-(-seen.head.lease_ms // LOOKS))
        now = yield Read()
        if isinstance(now, HeadRead) and now.etag != seen.etag:
            return now
    return None


def _held_by_another(head: SessionHead | None, ours: frozenset[str]) -> TypeGuard[SessionHead]:
    return head is not None and head.is_open and head.owner not in ours


def _claim(
    before: SessionHead | None, session: str, owner: str, lease_ms: int, made: int, end: End | None
) -> SessionHead:
    head = SessionHead(owner, 1, made + 1, lease_ms, not end, "" if end else session, is_purged=end == "purged")
    if before is None:
        return head
    contents = before.contents if not before.deleted and not end else Contents()
    count = max(made, before.count) + 1
    return msgspec.structs.replace(head, epoch_number=before.epoch_number + 1, count=count, contents=contents)
