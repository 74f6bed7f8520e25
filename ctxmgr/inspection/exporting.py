"""`ctxmgr sessions export`: what is kept of one session, its snapshot and its originals, in one file of JSON lines.

The first line says what it is, `{"export": "ctxmgr session", "version": 1, "sessionId": ...}`; then comes a
line for each record of the snapshot, `{"record": ...}`, and one for each original, `{"original": {handle, key,
call, text}}`.
"""

import json
import os
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxmgr.devices import ArchiveDatabase, ArchiveFault, snapshots
from ctxmgr.inspection.listing import kilobytes
from ctxmgr.masking import legible
from ctxmgr.plain_text import complain, write

VERSION = 1


def run(parsed: Namespace, directory: Path) -> int:
    """Writes a file that is not there yet, for its owner alone."""
    snapshot = directory / snapshots.file_name(parsed.session)
    reading = snapshots.read(snapshot) if snapshot.exists() else snapshots.SnapshotRecords()
    archive = ArchiveDatabase(directory)
    try:
        originals = archive.rows(parsed.session)
    except ArchiveFault as fault:
        return complain("sessions", f"the originals can not be read: {fault}", 1)
    finally:
        archive.close()
    if not snapshot.exists() and not originals:
        where = f"nothing is kept of {parsed.session} in {directory}; --state-dir names another"
        return complain("sessions", where, 2)
    try:
        size = _written(Path(parsed.file), _lines(parsed.session, reading.bodies, originals))
    except FileExistsError:
        return complain("sessions", f"{parsed.file} is there already: name a file that is not", 2)
    except OSError as fault:
        return complain("sessions", f"{parsed.file} can not be written: {fault.strerror}", 1)
    counts = f"{len(reading.bodies)} records of the snapshot, {len(originals)} originals"
    write(f"{parsed.file}: {counts}, {kilobytes(size)} kB")
    write("it holds what was said and read in the session, as it was: it is readable by you alone")
    return complain("sessions", reading.fault, 1) if reading.fault else 0


def _written(file: Path, lines: Iterator[bytes]) -> int:
    """The size of the new file. Raises OSError; then there is none."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.writelines(lines)
            return out.tell()
    except BaseException:
        os.unlink(file)
        raise


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
