"""A machine with a state directory, and sessions on it that also go to a store: for tests of what is promised."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ctxmgr.devices import ArchiveDatabase
from ctxmgr.devices.snapshots import SnapshotFile, SnapshotStore
from ctxmgr.model import ArchiveRow
from ctxmgr.model.saved import Stored
from ctxmgr.store.beginning import Begun, Location
from ctxmgr.store.head import SessionHead, from_bytes, head_key
from ctxmgr.store.keeping import SessionKeeper, Terms
from ctxmgr.store.objects import Objects
from tests.unit.store.memory import MemoryObjects

ID = "s/../Ä"
TERMS = Terms(delay_ms=0, lease_ms=600_000)
BASE = b'{"kind":"base","version":1,"sessionId":"s/../\xc3\x84","state":{"seq":0}}'


def event(seq: int, text: str = "") -> bytes:
    return b'{"kind":"event","seq":%d,"set":{"scratchpad":"%b"}}' % (seq, text.encode())


def row(name: str, text: str = "what left") -> ArchiveRow:
    return ArchiveRow(name, f"key-{name}", "read a.py", text)


class Machine:
    """One process on one machine. `told`: what was heard of the store."""

    def __init__(self, directory: Path, objects: Objects, session_id: str = ID) -> None:
        self.directory, self.objects, self.id = directory, objects, session_id
        self.told: list[Stored] = []
        self.heard = asyncio.Event()

    async def start(self, terms: Terms = TERMS) -> Begun:
        """As `session_start`: the file is opened, claimed, and what the store has put in its place."""
        opened = SnapshotStore(self.directory).open(self.id)
        assert opened.file is not None, opened.fault
        self.file: SnapshotFile = opened.file
        self.kept = SessionKeeper(Location(self.objects, self.id, self.file.path), terms, self._hears)
        begun = await self.kept.begin()
        if begun.refused is None:
            if begun.records is not None and begun.records != opened.lines:
                if opened.lines:
                    self.file.set_aside()
                if begun.records:
                    self.file.rewrite(begun.records)
            self.kept.go()
        return begun

    def _hears(self, session_id: str, stored: Stored) -> None:
        self.told.append(stored)
        self.heard.set()

    def save(self, *lines: bytes) -> None:
        for line in lines:
            self.file.append(line)
        self.kept.changed()

    def leaves(self, *rows: ArchiveRow) -> None:
        archive = ArchiveDatabase(self.directory)
        archive.put(self.id, rows)
        archive.close()
        self.kept.add(rows)
        self.kept.changed()

    def archived(self, handle: str) -> ArchiveRow | None:
        archive = ArchiveDatabase(self.directory)
        try:
            return archive.get(self.id, handle)
        finally:
            archive.close()

    @property
    def saved(self) -> bytes:
        return self.file.path.read_bytes()

    async def end(self) -> Stored:
        stored = await self.kept.flush(leaving=True)
        self.file.close()
        return stored

    async def die(self) -> None:
        """As by a kill: nothing more is said to anybody."""
        await self.kept._stop()
        self.file.close()


async def saved(machine: Machine) -> None:
    """Starts it, with one event that is in the store."""
    await machine.start()
    machine.save(BASE, event(1))
    await machine.kept.flush()


@asynccontextmanager
async def running(*machines: Machine) -> AsyncIterator[None]:
    try:
        yield
    finally:
        for machine in machines:
            await machine.die()


def head(objects: MemoryObjects) -> SessionHead:
    return from_bytes(objects.kept[head_key(ID)])


async def silently(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Starts it by a clock that passes at once; what it waited, in seconds."""
    waited: list[float] = []

    async def pass_by(seconds: float) -> None:
        waited.append(seconds)

    with monkeypatch.context() as patched:
        patched.setattr("ctxmgr.store.beginning.asyncio.sleep", pass_by)
        begun: Begun = await machine.start()
    assert begun.refused is None
    return waited


async def heard(machine: Machine, seq: int | None, note: str | None) -> None:
    """Until the machine was told so."""
    async with asyncio.timeout(20):
        while machine.kept.stored.seq != seq or machine.kept.stored.note != note:
            machine.heard.clear()
            await machine.heard.wait()
