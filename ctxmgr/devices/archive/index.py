"""Keeps the full-text index of an archive in the archive's own file, and finds originals by it.

Rules:
1. What is put is indexed with the first search that may find it, not when it is put: who never searches pays
   nothing, and the archive of an older release is indexed in the same way.
2. What leaves `originals`, or is written anew there, leaves the index by a trigger: no other code may forget it, an
   older release's neither.
3. Secrets are masked before they are indexed (`masking`): no word of one is in the file but in its original.
4. What was said has its speaker in the place of a tool: `assistant text`, `user text`.
5. Order: best first by BM25, in which a match in a path or a tool's name weighs more; of equals by handle. In one
   session its numbers are that session's (`ranking`), over all sessions those of the file. Of the results of one
   call that was made again and again the newest comes first; what was said is no call.
6. A broken index is thrown away and made again; the originals stay.
"""

import sqlite3
from collections.abc import Iterator

import msgspec

from ctxmgr.devices.archive.call_lines import named_in, paths_in
from ctxmgr.devices.archive.queries import PhraseQuery, Question, question
from ctxmgr.devices.archive.ranking import ranked
from ctxmgr.devices.archive.snippets import snippet
from ctxmgr.devices.archive.words import JOINERS, words
from ctxmgr.masking import legible, masked
from ctxmgr.model import ArchiveHit

WEIGHTS = (
    1.0,
    4.0,
    2.0,
)  # words, path, tool: who names a path or a tool means it; of short columns a match says more
CANDIDATES = 4  # for each hit that is wanted: among them the newest of a call is looked for
# indexed in one transaction: another process that puts waits for no more
ROWS_AT_ONCE = 50
BYTES_AT_ONCE = 2_000_000  # and the row that goes beyond it
PAGES_AT_ONCE = 500  # of a merge

_CHARACTERS = JOINERS.replace("'", "")
_SCHEMA = (
    f"CREATE VIRTUAL TABLE found USING fts5(words, path, tool, tokenize = \"ascii tokenchars '{_CHARACTERS}'\")",
    "CREATE TRIGGER found_deleted AFTER DELETE ON originals BEGIN DELETE FROM found WHERE rowid = old.id; END",
    "CREATE TRIGGER found_changed AFTER UPDATE OF call, text ON originals"
    " BEGIN DELETE FROM found WHERE rowid = old.id; END",
)
_SECURE_SINCE = (3, 42, 0)  # from there on FTS5 can take a deleted word out of its index at once
_MISSING = """SELECT id, length(text) FROM originals WHERE (? IS NULL OR session = ?)
AND NOT EXISTS (SELECT 1 FROM found_docsize WHERE found_docsize.id = originals.id) ORDER BY id LIMIT ?"""
_ROW = "SELECT call, text FROM originals WHERE id = ?"
_INDEX = "INSERT INTO found(rowid, words, path, tool) VALUES (?, ?, ?, ?)"
_FOUND = """SELECT originals.id, originals.session, originals.call
FROM found JOIN originals ON originals.id = found.rowid
WHERE found MATCH ?
ORDER BY bm25(found, ?, ?, ?), originals.handle, originals.key LIMIT ?"""


class HitRow(msgspec.Struct, frozen=True):
    """`session` in UTF-8, `time_ms` since the epoch."""

    session: bytes
    time_ms: int
    hit: ArchiveHit


def has_index(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'found'").fetchone() is not None


def make_index(connection: sqlite3.Connection) -> None:
    """In a transaction of the caller's. sqlite3.OperationalError where this SQLite has no FTS5."""
    for statement in _SCHEMA:
        connection.execute(statement)
    if sqlite3.sqlite_version_info >= _SECURE_SINCE:
        connection.execute("INSERT INTO found(found, rank) VALUES ('secure-delete', 1)")


def drop_index(connection: sqlite3.Connection) -> None:
    """In a transaction of the caller's (rule 6)."""
    for statement in (
        "TRIGGER IF EXISTS found_deleted",
        "TRIGGER IF EXISTS found_changed",
        "TABLE IF EXISTS found",
    ):
        connection.execute(f"DROP {statement}")


def index_some(connection: sqlite3.Connection, session: bytes | None) -> bool:
    """Rule 1, some rows of a session, or of all. In a transaction of the caller's. Whether there may be more."""
    missing = connection.execute(_MISSING, (session, session, ROWS_AT_ONCE + 1)).fetchall()
    room = BYTES_AT_ONCE
    for number, (id, size) in enumerate(missing):
        if number == ROWS_AT_ONCE or room < 0:
            return True
        call, text = connection.execute(_ROW, (id,)).fetchone()
        connection.execute(_INDEX, (id, *_columns(_text(call), _text(text))))
        room -= size
    return False


def settle(connection: sqlite3.Connection, whole: bool) -> bool:
    """Merges what deletions left behind, so that no deleted word stays (before FTS5 could do so at once). Some of
    it, or the `whole`; whether there may be more."""
    if whole:
        connection.execute("INSERT INTO found(found) VALUES ('optimize')")
        return False
    before = connection.total_changes
    connection.execute("INSERT INTO found(found, rank) VALUES ('merge', ?)", (-PAGES_AT_ONCE,))
    return connection.total_changes - before >= 2  # so FTS5 tells that it did something


def find(connection: sqlite3.Connection, session: bytes | None, query: str, limit: int) -> list[HitRow]:
    """Rule 5; the looser question only where the first gave too little."""
    asked = question(query)
    ids: dict[int, None] = {}
    for one in (asked.strict, asked.loose):
        if one.phrases and len(ids) < limit:
            ids |= dict.fromkeys(_newest_first(_found(connection, session, one, CANDIDATES * limit)))
    return list(_rows(connection, list(ids)[:limit], asked))


def _found(
    connection: sqlite3.Connection, session: bytes | None, asked: PhraseQuery, limit: int
) -> list[tuple[int, bytes, bytes]]:
    """Ids, sessions and calls, best first."""
    if session is None:
        return connection.execute(_FOUND, (asked.match, *WEIGHTS, limit)).fetchall()
    rows = ranked(connection, session, asked, WEIGHTS)[:limit]
    return [(row.row_id, session, row.call) for row in rows]


def _newest_first(found: list[tuple[int, bytes, bytes]]) -> list[int]:
    """The results of one call in the places of all of them, the newest first (rule 5). Ids count up. What was said
    has one line for all (`assistant text`), and each stays in its place."""
    by_call: dict[tuple[bytes, bytes], list[int]] = {}
    for id, session, call in found:
        by_call.setdefault((session, call), []).append(id)
    for (_, call), ids in by_call.items():
        if named_in(_text(call))[0] is None:
            ids.reverse()
        else:
            ids.sort()
    return [by_call[session, call].pop() for _, session, call in found]


def _rows(connection: sqlite3.Connection, ids: list[int], asked: Question) -> Iterator[HitRow]:
    query = "SELECT session, handle, call, at, text FROM originals WHERE id = ?"
    for id in ids:
        session, handle, call, at, text = connection.execute(query, (id,)).fetchone()
        yield HitRow(session, at, _hit(handle, _text(call), _text(text), asked))


def _hit(handle: str, call_text: str, text: str, asked: Question) -> ArchiveHit:
    stretch, offset = snippet(masked(text), asked.wanted)
    line = masked(call_text)
    tool, path = named_in(line)
    return ArchiveHit(handle, legible(line), tool, path and legible(path), stretch, offset, len(text))


def _columns(call_text: str, text: str) -> tuple[str, str, str]:
    """Rules 3 and 4."""
    call, (tool, _) = masked(call_text), named_in(call_text)
    paths = " ".join(paths_in(call)) if tool else ""
    return " ".join(words(f"{call}\n{masked(text)}")), " ".join(words(paths)), " ".join(words(tool or call))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
