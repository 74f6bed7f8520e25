"""Finds originals by a query, best first, and shows the part of each that best matches the words. For that it keeps
a full-text index in the archive's own file.

1. An original scores as its best passage, which is about as long as a snippet. A three-line statement scores the
   same inside a long analysis as alone. Passages are scored by BM25, with more weight for a match in a path or tool
   name. All passages are equally long.
2. Within one session all statistics are the session's own: the number of its originals, and how many contain a
   phrase. Other sessions in the file do not matter, so a session gets the same order on any machine. Across all
   sessions FTS5's order is used.
3. Statistics count only rows that meet the query's conditions: for `tool:assistant`, only what the assistant said.
4. Ties: the shorter original first, then by handle. Scores are rounded so that different machines' logarithms
   cannot break a tie. Of the results of one repeated call the newest comes first; conversation text is not a call.
5. A snippet is the part with the most distinct query words; the first of two equals. It has at most
   `SNIPPET_CHARACTERS` of the original, starts and ends at a line or word if one is near, and marks cuts with dots.
   It is masked, and its position is that in the original, so a page can be requested from there.

The index:

6. Rows are indexed by the first search that may find them, not when they are put. Without searches the index costs
   nothing, and an archive of an older release is indexed the same way.
7. Triggers remove deleted or rewritten rows of `originals` from the index, so no other code, not even an older
   release, can forget to.
8. Secrets are masked before indexing (`masking`): a secret's words are only in its original.
9. For conversation text the speaker takes the place of the tool: `assistant text`, `user text`.
10. A broken index is dropped and rebuilt; the originals stay.
"""

import json
import math
import re
import sqlite3
from collections.abc import Collection, Iterator

import msgspec

from ctxmgr.devices.archive.words import JOINERS, Phrase, PhraseQuery, Question, question, words
from ctxmgr.masking import legible, masked
from ctxmgr.model import ArchiveHit

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
    """Runs in the caller's transaction (rule 10)."""
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


SATURATION = 1.2  # k1 of BM25, as in FTS5: how fast repeated words stop adding to the score
# of a column of words, which has parts beside wholes; a passage has two such lengths, some 300 characters of the
# original, and begins in the midst of the one before it
STEP_CHARACTERS = 250
DIGITS = 9
COLUMNS = ("words", "path", "tool")
_SESSION = "SELECT count(*) FROM originals WHERE session = ?"
# CROSS: matches are looked for once, and not for each original
_NEEDED = """SELECT count(*) FROM found CROSS JOIN originals ON originals.id = found.rowid
WHERE found MATCH ? AND session = ?"""
_MATCHED = """SELECT originals.id, handle, key, call, size, found.words, found.path, found.tool
FROM found CROSS JOIN originals ON originals.id = found.rowid WHERE found MATCH ? AND session = ?"""

# words, path, tool: who names a path or a tool means it; of short columns a match says more
WEIGHTS = (1.0, 4.0, 2.0)
CANDIDATES = 4  # for each hit that is wanted: among them the newest of a call is looked for
_FOUND = """SELECT originals.id, originals.session, originals.call
FROM found JOIN originals ON originals.id = found.rowid
WHERE found MATCH ?
ORDER BY bm25(found, ?, ?, ?), originals.handle, originals.key LIMIT ?"""
Frequencies = dict[int, float]  # by a phrase's number: how often it occurs, weighted by column
SNIPPET_CHARACTERS = 320  # about 80 tokens: ten hits come to less than a page
_BEFORE = 80  # characters of the snippet before its first match
_NEAR = 60  # characters within which a line start or gap is looked for
_PLACES = 2_000  # matches considered in one text


class HitRow(msgspec.Struct, frozen=True):
    """`session` in UTF-8, `time_ms` since the epoch."""

    session: bytes
    time_ms: int
    hit: ArchiveHit


class MatchedRow(msgspec.Struct, frozen=True):
    """`among_equals`: position in ties. `beside`: matches in path and tool, which count for each of the
    `passages`.
    """

    row_id: int
    call: bytes
    among_equals: tuple[int, str, str]
    passages: tuple[Frequencies, ...]
    beside: Frequencies


def ranked(
    connection: sqlite3.Connection, session: bytes, phrase_query: PhraseQuery, weights: tuple[float, ...]
) -> list[MatchedRow]:
    """`weights`: by column."""
    if phrase_query.all_of:
        (count,) = connection.execute(_NEEDED, (phrase_query.needed_match, session)).fetchone()
    else:
        (count,) = connection.execute(_SESSION, (session,)).fetchone()
    phrases = [
        (_spaced(phrase), weights if not phrase.column else _only(phrase, weights))
        for phrase in phrase_query.phrases
    ]
    matched = [
        MatchedRow(id, call, (size, handle, key), *_frequencies(columns, phrases))
        for id, handle, key, call, size, *columns in connection.execute(_MATCHED, (phrase_query.match, session))
    ]
    held = [0] * len(phrases)
    for row in matched:
        for number in {number for part in (row.beside, *row.passages) for number in part}:
            held[number] += 1
    rarity = [math.log(1 + (max(0, count - holding) + 0.5) / (holding + 0.5)) for holding in held]
    return sorted(matched, key=lambda row: (-_score(row, rarity), row.among_equals))


def _score(row: MatchedRow, rarity: list[float]) -> float:
    """Rule 1."""
    best = 0.0
    for passage in row.passages or ({},):
        score = 0.0
        for number in sorted(passage.keys() | row.beside.keys()):
            frequency = passage.get(number, 0.0) + row.beside.get(number, 0.0)
            score += rarity[number] * frequency * (SATURATION + 1) / (frequency + SATURATION)
        best = max(best, score)
    return round(best, DIGITS)


def _spaced(phrase: Phrase) -> str:
    """As it is written in a column."""
    return f" {' '.join(phrase.words)}{'' if phrase.is_beginning else ' '}"


def _only(phrase: Phrase, weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(weight if name == phrase.column else 0.0 for name, weight in zip(COLUMNS, weights, strict=True))


def _frequencies(
    columns: list[str], phrases: list[tuple[str, tuple[float, ...]]]
) -> tuple[tuple[Frequencies, ...], Frequencies]:
    """Of passages that contain a phrase, and beside them. Most of a search's time is spent here."""
    text, *named = (f" {column} " for column in columns)
    passages: dict[int, Frequencies] = {}
    beside: Frequencies = {}
    for number, (phrase, weights) in enumerate(phrases):
        for column, weight in zip(named, weights[1:], strict=True):
            if weight and phrase in column:
                beside[number] = beside.get(number, 0.0) + weight * column.count(phrase)
        offset = text.find(phrase) if weights[0] else -1
        while offset >= 0:
            step = offset // STEP_CHARACTERS
            for step_number in (step, step + 1):
                passage = passages.setdefault(step_number, {})
                passage[number] = passage.get(number, 0.0) + weights[0]
            offset = text.find(phrase, offset + 1)  # the blank behind one match may precede the next
    return tuple(passages.values()), beside


def snippet(text: str, wanted: Collection[str]) -> tuple[str, int]:
    """The snippet of a masked text, and its start. `wanted`: words, as `words` makes them."""
    start = _cut(text, _best(text, wanted))
    end = min(len(text), start + SNIPPET_CHARACTERS)
    if end < len(text):
        gaps = [text.rfind(gap, max(start, end - _NEAR), end) for gap in ("\n", " ")]
        end = next((gap for gap in gaps if gap > start), end)
    body = legible(text[start:end]).strip()
    return f"{'…' if start else ''}{body}{'…' if end < len(text) else ''}", start


def _best(text: str, wanted: Collection[str]) -> int:
    """Where the best part starts (rule 5)."""
    longest_first = sorted({word for word in wanted if word}, key=lambda word: (-len(word), word))
    if not longest_first:
        return 0
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    places = [
        (match.start(), match[0].casefold())
        for _, match in zip(range(_PLACES), pattern.finditer(text), strict=False)
    ]
    best, most = 0, 0
    first = 0
    for last in range(len(places)):
        while places[last][0] - places[first][0] > SNIPPET_CHARACTERS - _BEFORE:
            first += 1
        known = {word for _, word in places[first : last + 1][-50:]}
        if len(known) > most:
            best, most = places[first][0], len(known)
    return best


def _cut(text: str, offset: int) -> int:
    """The start of the line, or of a word, before an offset (rule 5)."""
    start = max(0, offset - _BEFORE)
    if start == 0:
        return 0
    line = text.find("\n", start, offset)
    if line >= 0:
        return line + 1
    gap = text.find(" ", start, min(offset, start + _NEAR))
    return gap + 1 if gap >= 0 else start


def find(connection: sqlite3.Connection, session: bytes | None, query: str, limit: int) -> list[HitRow]:
    """Best first. Uses the looser query only if the first found too little."""
    parsed = question(query)
    ids: dict[int, None] = {}
    for phrases in (parsed.strict, parsed.loose):
        if phrases.phrases and len(ids) < limit:
            ids |= dict.fromkeys(_newest_first(_matches(connection, session, phrases, CANDIDATES * limit)))
    return list(_rows(connection, list(ids)[:limit], parsed))


def _matches(
    connection: sqlite3.Connection, session: bytes | None, phrase_query: PhraseQuery, limit: int
) -> list[tuple[int, bytes, bytes]]:
    """Ids, sessions and calls, best first."""
    if session is None:
        return connection.execute(_FOUND, (phrase_query.match, *WEIGHTS, limit)).fetchall()
    rows = ranked(connection, session, phrase_query, WEIGHTS)[:limit]
    return [(row.row_id, session, row.call) for row in rows]


def _newest_first(matches: list[tuple[int, bytes, bytes]]) -> list[int]:
    """Reorders the results of each call, newest first, within the positions they hold (rule 4). Ids count up.
    Conversation text has one shared call line (`assistant text`), so it keeps its positions.
    """
    by_call: dict[tuple[bytes, bytes], list[int]] = {}
    for id, session, call in matches:
        by_call.setdefault((session, call), []).append(id)
    for (_, call), ids in by_call.items():
        if named_in(text_of(call))[0] is None:
            ids.reverse()
        else:
            ids.sort()
    return [by_call[session, call].pop() for _, session, call in matches]


def _rows(connection: sqlite3.Connection, ids: list[int], parsed: Question) -> Iterator[HitRow]:
    query = "SELECT session, handle, call, at, text FROM originals WHERE id = ?"
    for id in ids:
        session, handle, call, time_ms, text = connection.execute(query, (id,)).fetchone()
        yield HitRow(session, time_ms, _hit(handle, text_of(call), text_of(text), parsed))


def _hit(handle: str, call_text: str, text: str, parsed: Question) -> ArchiveHit:
    stretch, offset = snippet(masked(text), parsed.wanted)
    line = masked(call_text)
    tool, path = named_in(line)
    return ArchiveHit(handle, legible(line), tool, path and legible(path), stretch, offset, len(text))
