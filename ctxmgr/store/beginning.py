"""What a session begins from that may also lie in the store: claims it there, and says what holds.

1. Nobody else has written since this machine did, and what lies here is no older: what lies here holds, for it may
   have lines that had not gone there.
2. What lies here begins with what is there, byte for byte: the same.
3. Else what is there holds. What lies here is set aside by who holds the file.
4. Who waits for the start waits for the claim's requests no longer than `patience`; once the store has answered,
   what it has is waited for.
5. A machine remembers its own claims on a session: the words by which it owned it, in a file beside the snapshot
   (NAME.jsonl.claims), so that what was killed here goes on here at once. A word is written down before it is used:
   of a claim whose answer was lost it is known even so. The file holds no conversation, and leaves with the
   session.
"""

import asyncio
import contextlib
import math
import os
import secrets
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from ctxmgr.devices import ArchiveDatabase, files
from ctxmgr.model import ArchiveRow
from ctxmgr.model.saved import Stored
from ctxmgr.store import parts
from ctxmgr.store.driving import driven, read_head
from ctxmgr.store.head import SessionHead, escaped, head_key
from ctxmgr.store.objects import Objects, StoreUnreachable
from ctxmgr.store.protocol import Away, Busy, Claimed, Ownership, commit, take

BUSY = "the session is open on another machine: free when that ends it, or {} seconds after it was last heard of"
KEPT = 16  # words: older ones stand in no head, or their session is waited for
WORD_BYTES = 12  # random: no two claims meet
_decode = msgspec.json.Decoder(tuple[str, ...]).decode


class Location(msgspec.Struct, frozen=True):
    """Where one session lies: `snapshot` is its file here."""

    objects: Objects
    session_id: str
    snapshot: Path

    @property
    def key(self) -> str:
        return head_key(self.session_id)

    def archived(self, keys: Collection[str] | None = None) -> list[ArchiveRow]:
        """All of the session, or those. ArchiveFault."""
        with contextlib.closing(ArchiveDatabase(self.snapshot.parent)) as archive:
            return archive.rows(self.session_id, keys)

    def put_rows(self, rows: Sequence[ArchiveRow]) -> None:
        """ArchiveFault."""
        with contextlib.closing(ArchiveDatabase(self.snapshot.parent)) as archive:
            archive.put(self.session_id, rows)

    def saved(self) -> bytes:
        try:
            return self.snapshot.read_bytes()
        except OSError:
            return b""


class Begun(msgspec.Struct, frozen=True):
    """`ownership` None: it could not be claimed now, for this `cause`. `records`: what is to be put in the place of
    the snapshot here, None where that stays. `stored_bytes`: with what the snapshot begins that is there already.
    `unsent`: keys of rows of here that are not there. `refused`: why the session cannot go on here. `stored`: how
    far it is safe."""

    ownership: Ownership | None = None
    records: tuple[bytes, ...] | None = None
    stored_bytes: bytes | None = None
    unsent: frozenset[str] = frozenset()
    refused: str | None = None
    stored: Stored = Stored()
    cause: str = ""


async def begun(location: Location, lease_ms: int, patience: float = math.inf) -> Begun:
    """`patience` in seconds (rule 4). UnreadableHead, Damaged, ArchiveFault."""
    claims = Claims(location.snapshot)
    ours = claims.ours()
    came = await _taken(location, claims.new(), ours, lease_ms, patience)
    if isinstance(came, Away):
        return Begun(cause=came.cause)
    if isinstance(came, Busy):
        return Begun(refused=BUSY.format(-(-came.head.lease_ms // 1000)))
    try:
        start = await _start(location, came, ours, await asyncio.to_thread(location.saved))
        if came.before is not None:
            await _swept(location, came.ownership, patience)
        return start
    except StoreUnreachable as fault:
        return Begun(cause=str(fault))
    except BaseException:
        await let_go(location, came.ownership)
        raise


async def claimed_later(location: Location, lease_ms: int) -> Begun | Busy | Away:
    """The claim of a session that goes on here already. Busy where another has written, or holds it.
    UnreadableHead, Damaged."""
    claims = Claims(location.snapshot)
    ours = claims.ours()
    content = await asyncio.to_thread(location.saved)
    try:
        there = (await read_head(location.objects, location.key)).head
        if there is not None and not await _is_ours(location, there, ours, content):
            return Busy(there)
        came = await _taken(location, claims.new(), ours, lease_ms)
        if not isinstance(came, Claimed):
            return came
        if came.before is not None and not await _is_ours(location, came.before, ours, content):
            await let_go(location, came.ownership)
            return Busy(came.before)
        return await _start(location, came, ours, content)
    except StoreUnreachable as fault:
        return Away(cause=str(fault))


async def _taken(
    location: Location, owner: str, ours: frozenset[str], lease_ms: int, patience: float = math.inf
) -> Claimed | Busy | Away:
    steps = take(escaped(location.session_id), owner, ours, lease_ms)
    return await driven(steps, location.objects, location.key, asyncio.sleep, patience)


async def _swept(location: Location, held: Ownership, seconds: float) -> None:
    """What is not swept now is swept when it is next taken over: the session has what it begins from."""
    with contextlib.suppress(StoreUnreachable, TimeoutError):
        async with asyncio.timeout(None if math.isinf(seconds) else seconds):
            await parts.sweep(location.objects, location.session_id, held.head)


async def let_go(location: Location, held: Ownership) -> None:
    await driven(commit(held, held.head.contents, False), location.objects, location.key, asyncio.sleep)


async def _start(location: Location, taken: Claimed, ours: frozenset[str], content: bytes) -> Begun:
    """The three rules. StoreUnreachable, Damaged, ArchiveFault."""
    before, held = taken.before, taken.ownership
    if before is None or (before.deleted and (before.is_purged or not ours)):  # nothing there that would hold here
        return Begun(held, unsent=frozenset(row.key for row in await asyncio.to_thread(location.archived)))
    if before.deleted:
        return Begun(held, records=() if content else None)
    if _is_newest(before, ours, content):
        return Begun(held, unsent=await _unsent(location, before) if before.is_open else frozenset())
    stored = await parts.snapshot(location.objects, location.session_id, before.contents)
    if content and content.startswith(stored):
        return Begun(held, stored_bytes=stored, unsent=await _unsent(location, before))
    records = parts.records(stored)
    rows = await parts.rows(location.objects, location.session_id, before.contents)
    if rows:
        await asyncio.to_thread(location.put_rows, rows)
    return Begun(held, records=records, stored_bytes=stored)


def _is_newest(head: SessionHead, ours: frozenset[str], content: bytes) -> bool:
    """Rule 1."""
    contents = head.contents
    return bool(content) and contents.writer in ours and parts.seq_of(content) >= contents.seq


async def _is_ours(location: Location, head: SessionHead, ours: frozenset[str], content: bytes) -> bool:
    if head.is_open and head.owner not in ours:
        return False
    if head.deleted:
        return head.is_purged or not ours
    if _is_newest(head, ours, content):
        return True
    return content.startswith(await parts.snapshot(location.objects, location.session_id, head.contents))


async def _unsent(location: Location, head: SessionHead) -> frozenset[str]:
    """Keys of rows that left here and had not gone there when this machine was stopped."""
    here = await asyncio.to_thread(location.archived)
    if not here:
        return frozenset()
    there = {row.key: row.text for row in await parts.rows(location.objects, location.session_id, head.contents)}
    return frozenset(row.key for row in here if there.get(row.key) != row.text)


class Claims:
    def __init__(self, snapshot: Path) -> None:
        self._path = snapshot.with_name(f"{snapshot.name}.claims")

    def ours(self) -> frozenset[str]:
        return frozenset(self._words())

    def new(self) -> str:
        """A new word, written down. Where the disk does not take it a later start waits for the lease: no harm."""
        word = secrets.token_hex(WORD_BYTES)
        kept = self._words()
        temporary = self._path.with_name(f"{self._path.name}.tmp")
        with contextlib.suppress(OSError):
            made = files.private_file(str(temporary))
            try:
                os.write(made, msgspec.json.encode((*kept, word)[-KEPT:]))
            finally:
                os.close(made)
            os.replace(temporary, self._path)
        return word

    def _words(self) -> tuple[str, ...]:
        try:
            return _decode(self._path.read_bytes())
        except (OSError, msgspec.MsgspecError):
            return ()
