"""Keeps the full-text index of an archive in the archive's own file: what words an original is found by.

Rules:
1. What is put is indexed with the first search that may find it, not when it is put: who never searches pays
   nothing, and the archive of an older release is indexed in the same way.
2. What leaves `originals`, or is written anew there, leaves the index by a trigger: no other code may forget it, an
   older release's neither.
3. Secrets are masked before they are indexed (`masking`): no word of one is in the file but in its original.
4. What was said has its speaker in the place of a tool: `assistant text`, `user text`.
5. A broken index is thrown away and made again; the originals stay.
"""

import json
import re
import sqlite3

from ctxmgr.devices.archive.words import JOINERS, words
from ctxmgr.masking import masked

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
_ARGUMENT = re.compile(r'\s[^\s="]+=("(?:\\.|[^"\\])*"|\S+)')
_PATH = re.compile(r"(?!\w+://)[^\s\"'=]*(?:/[^\s\"'=]*|\w\.\w{1,8})")


def has_index(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'found'").fetchone() is not None


def make_index(connection: sqlite3.Connection) -> None:
    """In a transaction of the caller's. sqlite3.OperationalError where this SQLite has no FTS5."""
    for statement in _SCHEMA:
        connection.execute(statement)
    if sqlite3.sqlite_version_info >= _SECURE_SINCE:
        connection.execute("INSERT INTO found(found, rank) VALUES ('secure-delete', 1)")


def drop_index(connection: sqlite3.Connection) -> None:
    """In a transaction of the caller's (rule 5)."""
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
        connection.execute(_INDEX, (id, *_columns(text_of(call), text_of(text))))
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


def _columns(call_text: str, text: str) -> tuple[str, str, str]:
    """Rules 3 and 4."""
    call, (tool, _) = masked(call_text), named_in(call_text)
    paths = " ".join(paths_in(call)) if tool else ""
    return " ".join(words(f"{call}\n{masked(text)}")), " ".join(words(paths)), " ".join(words(tool or call))


def text_of(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


def named_in(call_text: str) -> tuple[str | None, str | None]:
    """The tool, and the first of its arguments that is a path and nothing else."""
    tool, _, rest = call_text.partition(" ")
    if rest and not _ARGUMENT.match(f" {rest}"):
        return None, None  # a message
    return tool or None, next((value for value in values_of(call_text) if _PATH.fullmatch(value)), None)


def values_of(call_text: str) -> list[str]:
    """The texts among the arguments of a call."""
    values = []
    for argument in _ARGUMENT.finditer(call_text):
        try:
            value = json.loads(argument[1])
        except ValueError:
            continue  # a value that was cut
        if isinstance(value, str):
            values.append(value)
    return values


def paths_in(call_text: str) -> list[str]:
    """All that looks like a path in the arguments of a call, in a command too."""
    return [path[0] for value in values_of(call_text) for path in _PATH.finditer(value)]
