"""Turns what is kept of one session, its snapshot and its originals, into one file of JSON lines; nothing else is
in it.

The first line says what it is, `{"export": "ctxmgr session", "version": 1, "sessionId": ...}`; then comes a
line for each record of the snapshot, `{"record": ...}`, and one for each original, `{"original": {handle, key,
call, text}}`.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.devices import ArchiveDatabase, snapshots
from ctxmgr.masking import legible

VERSION = 1


class NoSession(Exception):
    """There is no session of this id; the text says where it was looked for."""


class Exported(msgspec.Struct, frozen=True):
    """How much went into the file."""

    record_count: int
    original_count: int
    size_bytes: int
    fault: str | None = None


def export(directory: Path, session_id: str, file: Path) -> Exported:
    """Writes a file that is not there yet, for its owner alone. `fault`: what of the snapshot could not be read.
    Raises NoSession, OSError, ArchiveFault; then there is no file."""
    snapshot = directory / snapshots.file_name(session_id)
    archive = ArchiveDatabase(directory)
    reading = snapshots.read(snapshot) if snapshot.exists() else snapshots.SnapshotRecords()
    try:
        originals = archive.rows(session_id)
    finally:
        archive.close()
    if not snapshot.exists() and not originals:
        raise NoSession(f"nothing is kept of {session_id} in {directory}; --state-dir names another")
    made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(made, "wb") as out:
            for line in _lines(session_id, reading.bodies, originals):
                out.write(line)
            size = out.tell()
    except BaseException:
        os.unlink(file)
        raise
    return Exported(len(reading.bodies), len(originals), size, reading.fault)


def _lines(session_id: str, records: tuple[bytes, ...], originals: list[Any]) -> Iterator[bytes]:
    yield _line({"export": "ctxmgr session", "version": VERSION, "sessionId": session_id})
    for record in records:
        yield b'{"record":' + record + b"}\n"
    for row in originals:
        call, text = legible(row.call_text), legible(row.text)
        yield _line({"original": {"handle": row.handle, "key": row.key, "call": call, "text": text}})


def _line(value: Any) -> bytes:
    """In ASCII: a text may hold half of a surrogate pair."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
