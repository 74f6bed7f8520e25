"""Who may write a session's head, and how: the protocol as steps, without IO and without a clock.

Each function is a generator. It yields a step, receives the answer, and ends with an outcome. The driver may be
slow, may die between two steps, and may report a lost answer for a step that takes effect later.

1. Only a swap commits, and only against the head that was read. Of two swaps at once, one wins.
2. A claim raises the epoch. An owner that finds another's epoch in the head has lost the session for good.
3. A head that another owner holds may be claimed once it has been unchanged for the length of its lease, by the
   clock of the claimer. A released head, or one of our own earlier claims, may be claimed at once.
4. A swap that was refused or whose answer was lost is resolved by reading. The head is the new one (the swap took
   effect), the old one (the same bytes are swapped again, so a late first attempt can only do the same), or
   another.
5. A head of our own epoch is ours, even if we never got the answer to its swap. Work continues from it.
6. A deleted session keeps a head that names nothing. It tells machines that have the session, and epochs keep
   counting. A session that was deleted on purpose stays deleted; one that was purged may be claimed again.
"""

from collections.abc import Generator
from typing import Any, Literal, TypeGuard

import msgspec

from ctxmgr.store.head import Contents, SessionHead

TRIES = 3  # attempts at one swap or claim before it is postponed
LOOKS = 6  # reads of a head during its lease
# deleted on purpose and not to come back, or removed for its age or for lack of space
End = Literal["deleted", "purged"]


class Read(msgspec.Struct, frozen=True):
    """The answer is `HeadRead` or `Lost`."""


class Swap(msgspec.Struct, frozen=True):
    """Replace the head that has this tag (None: create it). The answer is `Swapped` or `Lost`."""

    head: SessionHead
    etag: str | None


class Pause(msgspec.Struct, frozen=True):
    """Wait this many milliseconds by the local clock."""

    length_ms: int


class HeadRead(msgspec.Struct, frozen=True):
    """The current head; both None if there is none."""

    head: SessionHead | None = None
    etag: str | None = None


class Swapped(msgspec.Struct, frozen=True):
    etag: str


class Lost(msgspec.Struct, frozen=True):
    """There was no answer: the step may have taken effect, or may do so later. `cause` in a few words; "" if the
    store has another head, or said so.
    """

    cause: str = ""


class Ownership(msgspec.Struct, frozen=True):
    """The head we own, and its tag. `made`: the highest count we ever used."""

    head: SessionHead
    etag: str
    made: int = 0


class Claimed(msgspec.Struct, frozen=True):
    """We own the session. `before`: the head we replaced."""

    ownership: Ownership
    before: SessionHead | None


class Busy(msgspec.Struct, frozen=True):
    """Another machine works on the session."""

    head: SessionHead


class Away(msgspec.Struct, frozen=True):
    """The store did not answer. `made` as in `Ownership`, `cause` as in `Lost`."""

    made: int = 0
    cause: str = ""


class Fenced(msgspec.Struct, frozen=True):
    """Another owner took the session over (with its head), or it was deleted (None)."""

    head: SessionHead | None


Step = Read | Swap | Pause
Settling = Generator[Step, Any, Ownership | HeadRead | Lost]
Taking = Generator[Step, Any, Claimed | Busy | Away]
Committing = Generator[Step, Any, Ownership | Fenced | Away]


def take(
    session: str, owner: str, ours: frozenset[str], lease_ms: int, made: int = 0, end: End | None = None
) -> Taking:
    """Claims a session. `owner` is a new word for this claim, `ours` are the words of earlier claims from here.
    `end`: the claim ends the session and names nothing. `made` as in `Ownership`, after an `Away`.
    """
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
    """Makes the head name `contents`. `holding` False: also releases the session."""
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
    """Rule 4. Returns the current head if it is neither the new nor the old one."""
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
    """Rule 3. Returns None if the head did not change, else what replaced it."""
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
