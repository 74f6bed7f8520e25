"""`ctxmgr sessions list`: the sessions of a state directory, the one saved last first, or those of a store."""

import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.devices import snapshots
from ctxmgr.plain_text import complain, table, write, write_json
from ctxmgr.session import journal

HEAD = ("saved", "events", "messages", "tokens", "preset", "kB", "session")
STORE_HEAD = ("events", "kB", "epoch", "held", "session")
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"))
KILOBYTE = 1_000


class ListedSession(msgspec.Struct, frozen=True):
    """One saved session. `message_count`: of the last list; `outgoing_tokens`: of the next request, as far as that
    is known; `preset`: the one that is set for this session, None where its host's policy holds. `fault`: why
    nothing but the file's own facts is known. `holder`: the process that has it open."""

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
    fault: str | None = None


def list_here(parsed: Namespace, directory: Path) -> int:
    try:
        sessions = [_session(file) for file in snapshots.saved_files(directory)] if directory.exists() else []
    except OSError as fault:
        return complain("sessions", f"{directory} can not be read: {fault.strerror}", 1)
    now_ms = time.time_ns() // 1_000_000
    return _show(parsed, sessions, [HEAD, *_rows(sessions, now_ms)], f"no session is saved in {directory}")


def list_stored(parsed: Namespace) -> int:
    """0: done; 1: the store can not be reached; 2: the address is none."""
    from ctxmgr.store import BadAddress, StoreFault, sessions  # which a call without a store does not wait for

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
            _with_fault(session.session_id, session.fault),
        )
        for session in stored
    ]
    return _show(parsed, stored, [STORE_HEAD, *rows], "no session is in the store")


def _show(parsed: Namespace, sessions: Any, rows: list[tuple[str, ...]], none: str) -> int:
    if parsed.json:
        write_json(sessions)
    elif sessions:
        print(table(rows))
    else:
        write(none)
    return 0


def _rows(sessions: list[ListedSession], now_ms: int) -> Iterator[tuple[str, ...]]:
    for session in sessions:
        is_open = f" (open: process {session.holder})" if session.holder is not None else ""
        yield (
            age(now_ms - session.saved_ms),
            f"{session.event_count:,}",
            _count(session.message_count),
            _count(session.outgoing_tokens),
            session.preset or "-",
            kilobytes(session.size_bytes),
            _with_fault(f"{session.session}{is_open}", session.fault),
        )


def _with_fault(name: str, fault: str | None) -> str:
    return f"{name}: {fault}" if fault else name


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def age(passed_ms: int) -> str:
    """In the largest unit of which there is one."""
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
            raise journal.UnreadableJournal(fault.removeprefix(f"{file.path} can not be used: "))
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
    )
