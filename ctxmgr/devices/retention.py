"""Decides what in a state directory is too old or does not fit, and deletes it: whole sessions, or originals only.

Rules:
1. A session that is open, here or in another process, is kept. Each is deleted under its lock, which its user
   holds.
2. The session saved longest ago goes first. Its size is that of its snapshot and the text of its originals.
3. Originals without a snapshot count and are deleted like a session.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from ctxmgr.devices.archive import MEGABYTE, MILLISECONDS_A_DAY, ArchiveDatabase, ArchiveFault
from ctxmgr.devices.snapshots import SavedFile, SnapshotStore, file_name, read, saved_files
from ctxmgr.model import Archive as Limits

_session_of = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class SavedSession(msgspec.Struct, frozen=True):
    """A saved session. `session_id` None: its snapshot cannot be read. `saved_ms` since the epoch."""

    session_id: str | None
    name: str
    saved_ms: int
    size_bytes: int
    is_open: bool


def outdated(directory: Path, limits: Limits, now_ms: int) -> list[SavedSession]:
    """What would be deleted, in order. Raises OSError and ArchiveFault."""
    sessions = sorted(_kept(directory), key=lambda session: (session.saved_ms, session.name))
    over = sum(session.size_bytes for session in sessions) - limits.max_megabytes * MEGABYTE
    oldest = now_ms - limits.max_age_days * MILLISECONDS_A_DAY
    gone = []
    for session in sessions:
        if not session.is_open and (session.saved_ms < oldest or over > 0):
            gone.append(session)
            over -= session.size_bytes
    return gone


def delete(directory: Path, session: SavedSession) -> str | None:
    """Deletes snapshot, side files and originals. Returns a sentence if something could not be deleted."""
    if session.session_id is None:
        return f"{session.name} cannot be read, and was left"
    fault = SnapshotStore(directory).delete(session.session_id)
    if fault is not None:
        return fault
    try:
        with closing(ArchiveDatabase(directory)) as archive:
            archive.forget(session.session_id)
    except ArchiveFault as refused:
        return f"the originals were not deleted: {refused}"
    return None


def tidy_originals(directory: Path, limits: Limits) -> int:
    """Deletes originals that are too old or too many, and no snapshot. Returns how many. Raises ArchiveFault,
    OSError.
    """
    with closing(ArchiveDatabase(directory)) as archive:
        is_open = {Path(item.path).name for item in _saved(directory) if item.holder is not None}
        live = [item.session_id for item in archive.sizes() if file_name(item.session_id) in is_open]
        gone = archive.tidy(limits, live) if archive.is_there else 0
        while archive.due:
            gone += archive.tidy(limits, live)
        return gone


def _kept(directory: Path) -> Iterator[SavedSession]:
    with closing(ArchiveDatabase(directory)) as archive:
        originals = {file_name(session.session_id): session for session in archive.sizes()}
    for saved in _saved(directory):
        name = Path(saved.path).name
        own = originals.pop(name, None)
        size = saved.size_bytes + (own.size_bytes if own is not None else 0)
        id = own.session_id if own is not None else _id_in(Path(saved.path))
        yield SavedSession(id, name, saved.saved_ms, size, saved.holder is not None)
    for name, own in originals.items():  # rule 3
        yield SavedSession(own.session_id, name, own.newest_ms, own.size_bytes, False)


def _saved(directory: Path) -> list[SavedFile]:
    return saved_files(directory) if directory.exists() else []


def _id_in(path: Path) -> str | None:
    bodies = read(path).bodies
    try:
        return msgspec.json.decode(_session_of(bodies[0])["sessionId"], type=str) if bodies else None
    except (msgspec.DecodeError, KeyError):
        return None
