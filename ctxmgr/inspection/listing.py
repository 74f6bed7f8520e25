"""Turns a state directory into a table of its sessions, the one saved last first. Snapshots are read alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.devices import snapshots
from ctxmgr.masking import values_without_secrets
from ctxmgr.plain_text import table
from ctxmgr.session import journal

HEAD = ("saved", "events", "messages", "tokens", "preset", "kB", "session")
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


def listed(directory: Path) -> Iterator[ListedSession]:
    """Raises OSError where the directory can not be read."""
    for file in snapshots.saved_files(directory):
        yield _session(file)


def text(sessions: list[ListedSession], now_ms: int, width: int) -> str:
    """`now_ms` in milliseconds since the epoch."""
    rows = [HEAD]
    for one in sessions:
        name = f"{one.session} (open: process {one.holder})" if one.holder is not None else one.session
        rows.append(
            (
                age(now_ms - one.saved_ms),
                f"{one.event_count:,}",
                "-" if one.message_count is None else f"{one.message_count:,}",
                "-" if one.outgoing_tokens is None else f"{one.outgoing_tokens:,}",
                one.preset or "-",
                f"{one.size_bytes / KILOBYTE:,.0f}",
                f"{name}: {one.fault}" if one.fault else name,
            )
        )
    return table(rows, width)


def as_json(sessions: list[ListedSession]) -> str:
    return json.dumps(values_without_secrets(msgspec.to_builtins(sessions)), indent=2)


def age(passed_ms: int) -> str:
    """In the largest unit of which there is one."""
    for length_ms, name in _UNITS:
        if passed_ms >= length_ms:
            return f"{passed_ms // length_ms} {name}"
    return "now"


def purged_line(size_bytes: int, passed_ms: int, session_id: str) -> str:
    """Of one session that was deleted, or would be."""
    return f"{size_bytes / KILOBYTE:>10,.0f} kB  {age(passed_ms):>8}  {session_id}"


def purged_sum(count: int, days: int, megabytes: int | None, dry_run: bool) -> str:
    said = "would be deleted" if dry_run else "deleted"
    beyond = "" if megabytes is None else f", or beyond {megabytes} MB"
    return f"{count} sessions {said}: saved more than {days} days ago{beyond}"


def _session(file: Any) -> ListedSession:
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
