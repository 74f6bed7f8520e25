"""One session that is held here: what is new of it goes to the store, in order, a batch at a time.

1. What is new is read when a batch begins: first the snapshot, then the rows. A row is known here before the line
   that tells of it is written, so a head names no line whose rows it lacks. Where the archive cannot be read now,
   lines go alone, and the session is not let go of before its rows have gone.
2. A batch is its objects, then the head. What failed is read again with the next one: nothing is kept in memory but
   the keys of rows.
3. `contents` is what the newest head names. What a head of doubtful fate names is at most superseded by the next.
4. Of the objects of rows the first `packed` are full and stay. Those behind them are put together, in their order,
   before they are too many. What they hold can then not be got: they stay as they are, and the batch goes on.

The snapshot is the queue, to which another thread appends, and which it rewrites now and then: what the store does
not have yet lies in it, bounded as it is, and survives a kill. `Tail` has what is new in it:

5. A rewrite is another file under the same name. Ours is held open meanwhile, so that its number means no other.
6. Only whole lines are read: a line that is being written has no end yet, one that failed is cut off again.
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
    """`content` to be added to what was read before; `whole`: to be put in its place. `end`: bytes of the file up
    to here."""

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
        """What came since `took`; None where nothing did, or the file is gone. `whole`: all of it, however much is
        new. OSError."""
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
        """Holds no file until something is new; what the store has by then is told by its bytes. OSError."""
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


MOST_PARTS = 24  # of a snapshot: then it is put whole, some 50 kB: each head lists them all; and of rows, not full
ROWS_BYTES = 4 << 20  # of text in one object


class Uploading:
    """`unsent`: keys of rows that are to go there; other threads add to it. The rows are read from the archive
    here."""

    def __init__(self, location: Location, held: Ownership, unsent: set[str]) -> None:
        self.ownership, self.tail = held, Tail(location.snapshot)
        self._location, self._objects, self._id = location, location.objects, location.session_id
        self._unsent = unsent
        self._sending: set[str] = set()  # keys of rows that no confirmed head names (rule 2)
        self._most_rows = MOST_PARTS
        self.archive_fault: ArchiveFault | None = None  # of the last batch

    async def upload(self, holding: bool = True, even_if_nothing: bool = False) -> Ownership | Fenced | Away | None:
        """One batch; None where there was nothing to send. OSError of the local disk."""
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
            await parts.delete(self._objects, self._id, fresh)  # nobody takes it over, and would sweep that
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
        """Rule 4. More than one object of new rows is full, but for the last: those before it are packed, too."""
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
        """A row is put into the archive before its key is added: what is read is not older than its key."""
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
