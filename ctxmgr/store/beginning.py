"""Starts a session that may also be in the store: claims it there, and decides which copy to use.

1. Use the local copy if nobody else has written since this machine did and the local copy is not older. It may have
   lines that were never uploaded.
2. If the local copy begins with the stored one, byte for byte, they are the same session: use the local copy.
3. Otherwise use the stored copy. The caller sets the local one aside.
4. A start waits at most `patience` for the requests of the claim. Once the store has answered, the start waits for
   the content.
5. A machine remembers the owner words of its own claims in a file beside the snapshot (NAME.jsonl.claims), so that
   a session that was killed here can continue here at once. A word is written down before it is used, so it is
   known even if the answer to the claim was lost. The file holds no conversation, and is deleted with the session.
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
KEPT = 16  # words; older ones are in no head any more, or the session waits for the lease
WORD_BYTES = 12  # random; two claims never share one
_decode = msgspec.json.Decoder(tuple[str, ...]).decode


class Location(msgspec.Struct, frozen=True):
    """Where a session's files are. `snapshot` is its local file."""

    objects: Objects
    session_id: str
    snapshot: Path

    @property
    def key(self) -> str:
        return head_key(self.session_id)

    def archived(self, keys: Collection[str] | None = None) -> list[ArchiveRow]:
        """Returns all rows of the session, or those with `keys`. Raises ArchiveFault."""
        with contextlib.closing(ArchiveDatabase(self.snapshot.parent)) as archive:
            return archive.rows(self.session_id, keys)

    def put_rows(self, rows: Sequence[ArchiveRow]) -> None:
        """Raises ArchiveFault."""
        with contextlib.closing(ArchiveDatabase(self.snapshot.parent)) as archive:
            archive.put(self.session_id, rows)

    def saved(self) -> bytes:
        try:
            return self.snapshot.read_bytes()
        except OSError:
            return b""


class Begun(msgspec.Struct, frozen=True):
    """How a session starts. `ownership`: None if it could not be claimed now, for this `cause`. `records`: what
    replaces the local snapshot, or None if that stays. `stored_bytes`: how much of the snapshot is stored already.
    `unsent`: keys of local rows that are not stored. `refused`: why the session cannot continue here. `stored`: how
    far it is safe.
    """

    ownership: Ownership | None = None
    records: tuple[bytes, ...] | None = None
    stored_bytes: bytes | None = None
    unsent: frozenset[str] = frozenset()
    refused: str | None = None
    stored: Stored = Stored()
    cause: str = ""


async def begun(location: Location, lease_ms: int, patience: float = math.inf) -> Begun:
    """`patience` in seconds (rule 4). Raises UnreadableHead, Damaged, ArchiveFault."""
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
    """Claims a session that already runs here. Returns Busy if another machine has written it or holds it. Raises
    UnreadableHead, Damaged.
    """
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
    """Deletes leftovers. What it cannot delete now is deleted at the next takeover; the session does not need
    it.
    """
    with contextlib.suppress(StoreUnreachable, TimeoutError):
        async with asyncio.timeout(None if math.isinf(seconds) else seconds):
            await parts.sweep(location.objects, location.session_id, held.head)


async def let_go(location: Location, held: Ownership) -> None:
    await driven(commit(held, held.head.contents, False), location.objects, location.key, asyncio.sleep)


async def _start(location: Location, taken: Claimed, ours: frozenset[str], content: bytes) -> Begun:
    """Applies rules 1 to 3. Raises StoreUnreachable, Damaged, ArchiveFault."""
    before, held = taken.before, taken.ownership
    if before is None or (before.deleted and (before.is_purged or not ours)):  # the store has nothing to use
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
    """Keys of local rows that were not uploaded when this machine stopped."""
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
        """A new word, written down. If the disk refuses it, a later start waits for the lease, which does no
        harm.
        """
        word = secrets.token_hex(WORD_BYTES)
        kept = self._words()
        temporary = files.beside(self._path, "tmp")
        with contextlib.suppress(OSError):
            os.close(files.create(temporary, msgspec.json.encode((*kept, word)[-KEPT:])))
            os.replace(temporary, self._path)
        return word

    def _words(self) -> tuple[str, ...]:
        try:
            return _decode(self._path.read_bytes())
        except (OSError, msgspec.MsgspecError):
            return ()
