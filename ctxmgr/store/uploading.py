"""Uploads the changes of a session that this machine owns, in order, one batch at a time.

1. A batch reads its changes when it begins: first the snapshot, then the rows. A row is known here before the line
   that refers to it is written, so a head never names a line without its rows. If the archive cannot be read, lines
   are uploaded alone, and the session is not released before its rows are stored.
2. A batch writes its objects, then the head. A failed batch is read again with the next one; only the keys of rows
   are kept in memory.
3. `contents` is what the newest head names. A head whose swap is uncertain can only be replaced by the next.
4. The first `packed` objects of rows are full and stay. The ones behind them are merged, in order, before there are
   too many. If one of them cannot be fetched they stay as they are, and the batch continues.

The snapshot file is the queue. Another thread appends to it and rewrites it now and then. It holds what the store
does not have yet, has a bounded size and survives a kill. `Tail` reads what is new in it:

5. A rewrite is another file under the same name. The old file stays open meanwhile, so that its inode number is not
   reused.
6. Only whole lines are read. A line that is being written has no end yet; a failed one is cut off again.
"""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ctxmgr.devices import ArchiveFault
from ctxmgr.model import ArchiveRow
from ctxmgr.store import parts
from ctxmgr.store.beginning import Location
from ctxmgr.store.driving import driven
from ctxmgr.store.head import Contents, head_key, object_name, objects_prefix
from ctxmgr.store.objects import StoreFault, StoreUnreachable
from ctxmgr.store.protocol import Away, Fenced, Ownership, commit


class New(msgspec.Struct, frozen=True):
    """`content`: appended to what was read before, or, if `whole`, in its place. `end`: bytes of the file up to
    here.
    """

    content: bytes
    whole: bool
    end: int


class Tail:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._end = 0
        self._expected: tuple[int, str] | None = None

    def knows(self, content: bytes) -> None:
        """The store has this already: a file that begins with it is read from there on."""
        self._expected = len(content), hashlib.sha256(content).hexdigest()

    def new(self, whole: bool = False) -> New | None:
        """What is new since `took`; None if nothing is, or the file is gone. `whole`: returns everything, however
        much is new. Raises OSError.
        """
        try:
            there = os.stat(self._path)
        except FileNotFoundError:
            return None
        if self._file < 0 or not os.path.samestat(there, os.fstat(self._file)):
            self._open()
            whole = whole or self._end == 0
        start = 0 if whole else self._end
        content = os.pread(self._file, max(0, os.fstat(self._file).st_size - start), start)
        content = content[: content.rfind(b"\n") + 1]
        return New(content, whole, start + len(content)) if content else None

    def took(self, new: New) -> None:
        """The store has it."""
        self._end = new.end

    def rest(self) -> None:
        """Closes the file until something is new. Recognizes what the store has by its bytes. Raises OSError."""
        if self._file >= 0:
            self.knows(os.pread(self._file, self._end, 0))
            self.close()

    def close(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def _open(self) -> None:
        self.close()
        self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        self._end = 0
        known, self._expected = self._expected, None
        if known is not None and hashlib.sha256(os.pread(self._file, known[0], 0)).hexdigest() == known[1]:
            self._end = known[0]


# of a snapshot, which is then stored whole (about 50 kB, since each head lists them all); and of rows that are not
# full
MOST_PARTS = 24
ROWS_BYTES = 4 << 20  # of text in one object


class Uploading:
    """`unsent`: keys of rows to upload; other threads add to it. The rows are read from the local archive."""

    def __init__(self, location: Location, held: Ownership, unsent: set[str]) -> None:
        self.ownership, self.tail = held, Tail(location.snapshot)
        self._location, self._objects, self._id = location, location.objects, location.session_id
        self._unsent = unsent
        self._sending: set[str] = set()  # keys of rows that no confirmed head names (rule 2)
        self._most_rows = MOST_PARTS
        self.archive_fault: ArchiveFault | None = None  # of the last batch

    async def upload(self, holding: bool = True, even_if_nothing: bool = False) -> Ownership | Fenced | Away | None:
        """Uploads one batch. Returns None if there was nothing to send. Raises OSError of the local disk."""
        before = self.ownership.head.contents
        new = self.tail.new(len(before.lines) >= MOST_PARTS)
        rows = await self._rows()
        holding = holding or self.archive_fault is not None  # rule 1
        if new is None and not rows and holding == self.ownership.head.is_open and not even_if_nothing:
            return None
        fresh: dict[str, bytes] = {}
        contents = before
        if new is not None:
            name = self._named(fresh, parts.lines_pack(new.content))
            kept = () if new.whole else before.lines
            seq = parts.seq_of(new.content) or before.seq
            contents = msgspec.structs.replace(contents, lines=(*kept, name), seq=seq, size_bytes=new.end)
        if rows:
            contents = await self._with_rows(fresh, contents, rows)
        if contents is not before:
            contents = msgspec.structs.replace(contents, writer=self.ownership.head.owner)
        fault = await self._put(fresh)
        if fault is not None:
            return Away(self.ownership.made, str(fault))
        came = await driven(
            commit(self.ownership, contents, holding), self._objects, head_key(self._id), asyncio.sleep
        )
        if isinstance(came, Away):
            self.ownership = msgspec.structs.replace(self.ownership, made=came.made)
        if isinstance(came, Fenced) and came.head is not None and came.head.deleted:
            await parts.delete(self._objects, self._id, fresh)  # nobody takes the session over and would sweep them
        if not isinstance(came, Ownership):
            return came
        self.ownership = came
        if self.archive_fault is None:
            self._sending = set()
        if new is not None:
            self.tail.took(new)
        await parts.delete(self._objects, self._id, before.names - came.head.contents.names)
        return came

    async def _with_rows(self, fresh: dict[str, bytes], contents: Contents, rows: Sequence[ArchiveRow]) -> Contents:
        """Rule 4. If there is more than one object of new rows, all but the last are full, so the ones before them
        are merged, too.
        """
        batches = _batches(rows)
        few = len(contents.rows) - contents.packed
        if few >= self._most_rows or (few and len(batches) > 1):
            try:
                small = msgspec.structs.replace(contents, rows=contents.rows[contents.packed :])
                batches = _batches([*await parts.rows(self._objects, self._id, small), *rows])
            except StoreFault:
                self._most_rows = few + MOST_PARTS
            else:
                contents = msgspec.structs.replace(contents, rows=contents.rows[: contents.packed])
                self._most_rows = MOST_PARTS
        packed = contents.packed
        if len(contents.rows) == packed:
            packed += len(batches) - 1
        names = [self._named(fresh, parts.rows_pack(batch)) for batch in batches]
        return msgspec.structs.replace(contents, rows=(*contents.rows, *names), packed=packed)

    def _named(self, fresh: dict[str, bytes], pack: bytes) -> str:
        head = self.ownership.head
        name = object_name(head.epoch_number, max(self.ownership.made, head.count) + 1, pack)
        fresh[name] = pack
        return name

    async def _put(self, fresh: dict[str, bytes]) -> StoreUnreachable | None:
        prefix = objects_prefix(self._id)
        requests = [self._objects.put(prefix + name, pack) for name, pack in fresh.items()]
        came = await asyncio.gather(*requests, return_exceptions=True)
        lost = None
        for fault in came:
            if fault is not None and not isinstance(fault, StoreUnreachable):
                raise fault
            lost = lost or fault
        return lost

    async def _rows(self) -> list[ArchiveRow]:
        """A row is in the archive before its key is added, so rows are never older than keys."""
        keys = self._unsent.copy()
        self._unsent -= keys
        self._sending |= keys
        self.archive_fault = None
        try:
            return await asyncio.to_thread(self._location.archived, self._sending) if self._sending else []
        except ArchiveFault as fault:
            self.archive_fault = fault
            return []


def _batches(rows: Sequence[ArchiveRow]) -> list[list[ArchiveRow]]:
    batches: list[list[ArchiveRow]] = []
    size = ROWS_BYTES
    for row in rows:
        if size >= ROWS_BYTES:
            batches.append([])
            size = 0
        batches[-1].append(row)
        size += len(row.text)
    return batches
