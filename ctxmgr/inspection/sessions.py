"""`ctxmgr sessions` and `ctxmgr forget`: list, show, export and delete saved sessions, here and in a store. An id
is never used as a path.

An export is one session, its snapshot and its originals, in one file of JSON lines. The first line is a header,
`{"export": "ctxmgr session", "version": 1, "sessionId": ...}`. It is followed by one line for each record of the
snapshot, `{"record": ...}`, and one for each original, `{"original": {handle, key, call, text}}`.

`ctxmgr sessions list` lists the sessions of a state directory, the most recently saved first, or those of a store.
"""

import json
import os
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path, PurePath
from typing import Any

import msgspec

from ctxmgr import settings
from ctxmgr.devices import ArchiveDatabase, ArchiveFault, default_state_dir, retention, snapshots
from ctxmgr.devices.snapshots import SnapshotStore, file_name
from ctxmgr.inspection import inspecting, naming
from ctxmgr.masking import legible
from ctxmgr.model import policy_keys
from ctxmgr.model.saved import State
from ctxmgr.plain_text import complain, table, write, write_json
from ctxmgr.session import journal

HEAD = ("session", "project", "age", "size", "preset", "first words")
NUMBERS = (2, 3)  # right-aligned columns
MOST_PROJECT, MOST_WORDS = 16, 200  # characters shown
STORE_HEAD = ("events", "kB", "epoch", "held", "session")
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"))
KILOBYTE = 1_000


class ListedSession(msgspec.Struct, frozen=True):
    """One saved session. `message_count`: of the last list. `outgoing_tokens`: of the next request, as far as
    known. `preset`: set for this session, None if its host's policy applies. `cwd`: the program's working
    directory; `first_words`: the beginning of the user's first message; both "" if unknown. `fault`: why only facts
    about the file are known. `holder`: id of the process that has the session open.
    """

    session: str
    file: str
    saved_ms: int
    size_bytes: int
    holder: int | None
    model: str = ""
    event_count: int = 0
    message_count: int | None = None
    outgoing_tokens: int | None = None
    preset: str | None = None
    cwd: str = ""
    first_words: str = ""
    fault: str | None = None


def list_here(parsed: Namespace, directory: Path) -> int:
    try:
        sessions = [_session(file) for file in snapshots.saved_files(directory)] if directory.exists() else []
    except OSError as fault:
        return complain("sessions", f"{directory} cannot be read: {fault.strerror}", 1)
    rows = [HEAD, *_rows(sessions, time.time_ns() // 1_000_000)]
    return _show_list(parsed.json, sessions, table(rows, NUMBERS, cut=True), f"no session is saved in {directory}")


def list_stored(parsed: Namespace) -> int:
    """Returns 0 on success, 1 if the store cannot be reached, 2 for a bad address."""
    from ctxmgr.store import BadAddress, StoreFault, sessions  # loaded only if there is a store

    try:
        stored = sessions(parsed.store)
    except (BadAddress, StoreFault) as fault:
        return complain("sessions", str(fault), 2 if isinstance(fault, BadAddress) else 1)
    rows = [
        (
            f"{session.event_count:,}",
            kilobytes(session.size_bytes),
            str(session.epoch_number),
            "yes" if session.is_open else "no",
            f"{session.session_id}: {session.fault}" if session.fault else session.session_id,
        )
        for session in stored
    ]
    return _show_list(parsed.json, stored, table([STORE_HEAD, *rows]), "no session is in the store")


def _show_list(as_json: bool, sessions: Sequence[msgspec.Struct], rows: str, none: str) -> int:
    """`rows`: a table of them. `none`: what is said if there are none."""
    if as_json:
        write_json(sessions)
    elif sessions:
        print(rows)
    else:
        write(none)
    return 0


def _rows(sessions: list[ListedSession], now_ms: int) -> Iterator[tuple[str, ...]]:
    """One row for each session, which is named by the shortest unique prefix of its id."""
    names = naming.short([session.session for session in sessions])
    for session in sessions:
        is_open = f"(open: process {session.holder}) " if session.holder is not None else ""
        yield (
            names[session.session],
            _cut(PurePath(session.cwd).name or "-", MOST_PROJECT),
            age(now_ms - session.saved_ms),
            f"{kilobytes(session.size_bytes)} kB",
            session.preset or policy_keys.policy({}).preset,
            is_open + (session.fault or session.first_words or "-"),
        )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def age(passed_ms: int) -> str:
    """In the largest unit that fits at least once."""
    for length_ms, name in _UNITS:
        if passed_ms >= length_ms:
            return f"{passed_ms // length_ms} {name}"
    return "now"


def kilobytes(size_bytes: int) -> str:
    return f"{size_bytes / KILOBYTE:,.0f}"


def _session(file: snapshots.SavedFile) -> ListedSession:
    reading = snapshots.read(Path(file.path))
    facts = (file.path, file.saved_ms, file.size_bytes, file.holder)
    try:
        if reading.fault or not reading.bodies:
            fault = reading.fault or "nothing is saved yet"
            raise journal.UnreadableJournal(fault.removeprefix(f"{file.path} cannot be used: "))
        state, _ = journal.restore(reading.bodies)
    except journal.UnreadableJournal as unreadable:
        return ListedSession(Path(file.path).name, *facts, fault=str(unreadable))
    last = state.last_projection
    return ListedSession(
        state.session_id,
        *facts,
        model=state.model.id,
        event_count=state.seq,
        message_count=None if last is None else last.message_count,
        outgoing_tokens=state.outgoing_tokens or state.meter.reading_tokens,
        preset=state.overrides.get("preset"),
        cwd=state.cwd,
        first_words=_first_words(state),
    )


def _first_words(state: State) -> str:
    """The beginning of the user's first message on one line, at most `MOST_WORDS` characters."""
    said = [fact for fact in (*state.facts, *state.pending) if fact.kind in ("goal", "request")]
    first = min(said, key=lambda fact: (fact.time_ms, fact.seq, fact.order), default=None)
    return "" if first is None else " ".join(first.text.split())[:MOST_WORDS]


EXPORT_VERSION = 1


def run(parsed: Namespace) -> int:
    """Returns 0 on success; 1 if a session is open, a file is broken, or the disk refuses; 2 if there is no such
    session.
    """
    if parsed.action == "list" and parsed.store is not None:
        return list_stored(parsed)
    try:
        named = parsed.state_dir or settings.read().settings_for().state_dir
    except settings.SettingsFault as fault:
        return complain("sessions", str(fault), 2)
    actions = {
        "list": list_here,
        "show": _show,
        "export": export,
        "delete": delete,
        "purge": purge,
    }
    directory = Path(named or default_state_dir())
    try:
        if isinstance(getattr(parsed, "session", None), str):
            parsed.session = naming.meant(directory, parsed.session)
    except naming.NotOne as fault:
        return complain("sessions", str(fault), 2)
    return actions[parsed.action](parsed, directory)


def _show(parsed: Namespace, directory: Path) -> int:
    path = directory / file_name(parsed.session)
    if not path.exists():
        return complain("sessions", f"only originals are kept of {parsed.session}; ctxmgr search finds them", 2)
    return inspecting.run(Namespace(file=str(path), full=parsed.full, models=parsed.models))


def export(parsed: Namespace, directory: Path) -> int:
    """Writes a new file that only its owner can read. Never overwrites a file."""
    snapshot = directory / snapshots.file_name(parsed.session)
    reading = snapshots.read(snapshot) if snapshot.exists() else snapshots.SnapshotRecords()
    try:
        with closing(ArchiveDatabase(directory)) as archive:
            originals = archive.rows(parsed.session)
    except ArchiveFault as fault:
        return complain("sessions", f"the originals cannot be read: {fault}", 1)
    try:
        size = _written(Path(parsed.file), _lines(parsed.session, reading.bodies, originals))
    except FileExistsError:
        return complain("sessions", f"{parsed.file} is there already: name a file that is not", 2)
    except OSError as fault:
        return complain("sessions", f"{parsed.file} cannot be written: {fault.strerror}", 1)
    counts = f"{len(reading.bodies)} records of the snapshot, {len(originals)} originals"
    write(f"{parsed.file}: {counts}, {kilobytes(size)} kB")
    write("it holds what was said and read in the session, as it was: it is readable by you alone")
    return complain("sessions", reading.fault, 1) if reading.fault else 0


def _written(file: Path, lines: Iterator[bytes]) -> int:
    """Returns the size of the new file. Raises OSError, and then leaves no file."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.writelines(lines)
            return out.tell()
    except BaseException:
        os.unlink(file)
        raise


def _lines(session_id: str, records: tuple[bytes, ...], originals: list[Any]) -> Iterator[bytes]:
    yield _line({"export": "ctxmgr session", "version": EXPORT_VERSION, "sessionId": session_id})
    for record in records:
        yield b'{"record":' + record + b"}\n"
    for row in originals:
        call, text = legible(row.call_text), legible(row.text)
        yield _line({"original": {"handle": row.handle, "key": row.key, "call": call, "text": text}})


def _line(value: Any) -> bytes:
    """The value as an ASCII line, since a text may contain half a surrogate pair."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


Gone = tuple[str, int, int, str | None]
"""A session's id, its size in bytes, its age in milliseconds, and why it was not deleted."""


def forget(parsed: Namespace) -> int:
    """Returns 0 on success; 1 if the session is open, or the disk or the store refuses; 2 if nothing of it is
    stored, or if `--store` is no address.
    """
    return _deleted_all("forget", Path(parsed.state_dir or default_state_dir()), [parsed.session], parsed.store)


def delete(parsed: Namespace, directory: Path) -> int:
    """Deletes each session separately: an open one does not stop the others."""
    return _deleted_all("sessions delete", directory, parsed.session, parsed.store)


def _deleted_all(command: str, directory: Path, names: Iterable[str], url: str | None) -> int:
    """Each name is a whole id. One that is unknown here may still be an id in the store."""
    ids: dict[str, str] = {}
    for named in names:
        try:
            ids[naming.whole(directory, named)] = ""
        except naming.NotOne as fault:
            ids[named] = str(fault)
    codes = {0}
    for id, unknown in ids.items():
        is_unknown = unknown and url is None
        codes.add(complain(command, unknown, 2) if is_unknown else _deleted(command, directory, id, url))
    return 1 if 1 in codes else max(codes)


def _deleted(command: str, directory: Path, session_id: str, url: str | None) -> int:
    if url is None:
        return _deleted_here(command, directory, session_id)
    from ctxmgr import store  # loaded only if there is a store

    try:
        store.check(url)
    except store.BadAddress as fault:
        return complain(command, str(fault), 2)  # nothing has been deleted
    claimed = store.Claims(directory / file_name(session_id)).ours()  # read before the local files are deleted
    here = _deleted_here(command, directory, session_id, quiet=True)
    if here == 1:
        return 1
    try:
        was_there = store.forget(url, session_id, claimed)
    except store.StoreFault as fault:
        return complain(command, str(fault), 1)
    write("deleted in the store" if was_there else "nothing is kept of it in the store")
    return 0 if was_there else here


def _deleted_here(command: str, directory: Path, session_id: str, quiet: bool = False) -> int:
    """`quiet`: do not report that nothing is stored here."""
    is_saved = (directory / file_name(session_id)).exists()
    fault = SnapshotStore(directory).delete(session_id)
    gone = 0
    if fault is None:  # otherwise it is open, and still needs its originals
        archive = ArchiveDatabase(directory)
        try:
            gone = archive.forget(session_id)
        except ArchiveFault as refused:
            fault = f"the originals were not deleted: {refused}"
        archive.close()
        for note in archive.notes:
            complain(command, note, 0)
    if fault:
        return complain(command, fault, 1)
    if not is_saved and not gone:
        where = f"nothing is kept of {session_id} in {directory}; --state-dir names another"
        return 2 if quiet else complain(command, where, 2)
    write(f"deleted {session_id}: {'the snapshot' if is_saved else 'no snapshot'}, {gone} originals")
    return 0


def purge(parsed: Namespace, directory: Path) -> int:
    """Uses the limits of the flags, otherwise those of the settings for originals."""
    limits = policy_keys.policy(settings.read().settings_for().policy).archive
    days = parsed.days or limits.max_age_days
    if parsed.store is not None:
        return _purged_there(parsed, days)
    megabytes = parsed.megabytes or limits.max_megabytes
    now_ms = time.time_ns() // 1_000_000
    wanted = msgspec.structs.replace(limits, max_age_days=days, max_megabytes=megabytes)
    try:
        sessions = retention.outdated(directory, wanted, now_ms)
    except (ArchiveFault, OSError) as unreadable:
        return complain("sessions", f"{directory} cannot be read: {unreadable}", 1)
    gone = (
        (
            str(session.session_id),
            session.size_bytes,
            now_ms - session.saved_ms,
            None if parsed.dry_run else retention.delete(directory, session),
        )
        for session in sessions
    )
    return _show_gone(gone, days, megabytes, parsed.dry_run)


def _purged_there(parsed: Namespace, days: int) -> int:
    from ctxmgr.store import BadAddress, PurgeLimits, StoreFault, purge

    def tell_of_wait(count: int) -> None:
        held = f"{count} are held, maybe by machines that were killed: waiting until their leases are over"
        complain("sessions", held, 0)

    try:
        outdated = purge(parsed.store, PurgeLimits(days, parsed.megabytes), parsed.dry_run, tell_of_wait)
    except (BadAddress, StoreFault) as fault:
        return complain("sessions", str(fault), 2 if isinstance(fault, BadAddress) else 1)
    gone = (
        (
            purged.session.session_id,
            purged.session.size_bytes,
            purged.age_ms,
            f"{purged.session.session_id}: {purged.fault}" if purged.fault else None,
        )
        for purged in outdated
    )
    return _show_gone(gone, days, parsed.megabytes, parsed.dry_run)


def _show_gone(sessions: Iterable[Gone], days: int, megabytes: int | None, dry_run: bool) -> int:
    """Reports each session when it is deleted. Returns 1 if one could not be deleted."""
    count = faults = 0
    for session_id, size_bytes, age_ms, fault in sessions:
        if fault is None:
            write(f"{kilobytes(size_bytes):>10} kB  {age(age_ms):>8}  {session_id}")
            count += 1
        else:
            faults += complain("sessions", fault, 1)
    beyond = "" if megabytes is None else f", or beyond {megabytes} MB"
    done = "would be deleted" if dry_run else "deleted"
    write(f"{count} sessions {done}: saved more than {days} days ago{beyond}")
    return 1 if faults else 0
