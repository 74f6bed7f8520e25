"""Keeps the full-text index of an archive in the archive's own file.

Rules:
1. Rows are indexed by the first search that may find them, not when they are put. Without searches the index costs
   nothing, and an archive of an older release is indexed the same way.
2. Triggers remove deleted or rewritten rows of `originals` from the index, so no other code, not even an older
   release, can forget to.
3. Secrets are masked before indexing (`masking`): a secret's words are only in its original.
4. For conversation text the speaker takes the place of the tool: `assistant text`, `user text`.
5. A broken index is dropped and rebuilt; the originals stay.
"""

import json
import re
import sqlite3

from ctxmgr.devices.archive.words import JOINERS, words
from ctxmgr.masking import masked

# rows indexed in one transaction; another process that puts waits no longer
ROWS_AT_ONCE = 50
BYTES_AT_ONCE = 2_000_000  # plus the row that exceeds it
PAGES_AT_ONCE = 500  # of a merge

_CHARACTERS = JOINERS.replace("'", "")
_SCHEMA = (
    f"CREATE VIRTUAL TABLE found USING fts5(words, path, tool, tokenize = \"ascii tokenchars '{_CHARACTERS}'\")",
    "CREATE TRIGGER found_deleted AFTER DELETE ON originals BEGIN DELETE FROM found WHERE rowid = old.id; END",
    "CREATE TRIGGER found_changed AFTER UPDATE OF call, text ON originals"
    " BEGIN DELETE FROM found WHERE rowid = old.id; END",
)
_SECURE_SINCE = (3, 42, 0)  # since then FTS5 can remove a deleted word from its index at once
_MISSING = """SELECT id, length(text) FROM originals WHERE (? IS NULL OR session = ?)
AND NOT EXISTS (SELECT 1 FROM found_docsize WHERE found_docsize.id = originals.id) ORDER BY id LIMIT ?"""
_ROW = "SELECT call, text FROM originals WHERE id = ?"
_INDEX = "INSERT INTO found(rowid, words, path, tool) VALUES (?, ?, ?, ?)"
_ARGUMENT = re.compile(r'\s[^\s="]+=("(?:\\.|[^"\\])*"|\S+)')
_PATH = re.compile(r"(?!\w+://)[^\s\"'=]*(?:/[^\s\"'=]*|\w\.\w{1,8})")


def has_index(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'found'").fetchone() is not None


def make_index(connection: sqlite3.Connection) -> None:
    """Runs in the caller's transaction. Raises sqlite3.OperationalError if this SQLite has no FTS5."""
    for statement in _SCHEMA:
        connection.execute(statement)
    if sqlite3.sqlite_version_info >= _SECURE_SINCE:
        connection.execute("INSERT INTO found(found, rank) VALUES ('secure-delete', 1)")


def drop_index(connection: sqlite3.Connection) -> None:
    """Runs in the caller's transaction (rule 5)."""
    for statement in (
        "TRIGGER IF EXISTS found_deleted",
        "TRIGGER IF EXISTS found_changed",
        "TABLE IF EXISTS found",
    ):
        connection.execute(f"DROP {statement}")


def index_some(connection: sqlite3.Connection, session: bytes | None) -> bool:
    """Rule 1, for some rows of one session or of all. Runs in the caller's transaction. Returns whether more may be
    left.
    """
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
    """Merges what deletions left behind, so that no deleted word remains (older FTS5 cannot remove it at once).
    Does a part, or the `whole`. Returns whether more may be left.
    """
    if whole:
        connection.execute("INSERT INTO found(found) VALUES ('optimize')")
        return False
    before = connection.total_changes
    connection.execute("INSERT INTO found(found, rank) VALUES ('merge', ?)", (-PAGES_AT_ONCE,))
    return connection.total_changes - before >= 2  # FTS5 reports this way that it did something


def _columns(call_text: str, text: str) -> tuple[str, str, str]:
    """Rules 3 and 4."""
    call, (tool, _) = masked(call_text), named_in(call_text)
    paths = " ".join(paths_in(call)) if tool else ""
    return " ".join(words(f"{call}\n{masked(text)}")), " ".join(words(paths)), " ".join(words(tool or call))


def text_of(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


def named_in(call_text: str) -> tuple[str | None, str | None]:
    """The tool, and its first argument that is just a path."""
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
    """Everything in the arguments of a call that looks like a path, in a command too."""
    return [path[0] for value in values_of(call_text) for path in _PATH.finditer(value)]
