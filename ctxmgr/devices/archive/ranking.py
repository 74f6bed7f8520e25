"""Turns the originals of one session that a question matches into their order, best first.

1. An original is as good as its best passage, a stretch of about a snippet's length: a sentence of three lines
   counts the same within a long analysis as alone. A passage's score is BM25's; all are equally long.
2. Each number is the session's own: how many of its originals there are, and how many hold a phrase. What other
   sessions put into the file changes nothing, so that the same session gives the same order on another machine.
3. Those that are counted are what has all that the question needs: of `tool:assistant`, what the assistant said.
4. Of equals the shorter comes first, then by handle. Scores are compared to so many digits that no two machines'
   logarithms part equals.
"""

import math
import sqlite3

import msgspec

from ctxmgr.devices.archive.queries import Phrase, PhraseQuery

SATURATION = 1.2  # of BM25, as FTS5 has it: how soon more of a word counts for nothing more
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

Frequencies = dict[int, float]  # by a phrase's number: how often it stands there, weighed by column


class MatchedRow(msgspec.Struct, frozen=True):
    """`among_equals`: their order. `beside`: of path and tool, which count in each of the `passages`."""

    row_id: int
    call: bytes
    among_equals: tuple[int, str, str]
    passages: tuple[Frequencies, ...]
    beside: Frequencies


def ranked(
    connection: sqlite3.Connection, session: bytes, asked: PhraseQuery, weights: tuple[float, ...]
) -> list[MatchedRow]:
    """`weights`: by column."""
    if asked.all_of:
        (count,) = connection.execute(_NEEDED, (asked.needed_match, session)).fetchone()
    else:
        (count,) = connection.execute(_SESSION, (session,)).fetchone()
    phrases = [(_spaced(one), weights if not one.column else _only(one, weights)) for one in asked.phrases]
    matched = [
        MatchedRow(id, call, (size, handle, key), *_frequencies(columns, phrases))
        for id, handle, key, call, size, *columns in connection.execute(_MATCHED, (asked.match, session))
    ]
    held = [0] * len(phrases)
    for row in matched:
        for at in {at for one in (row.beside, *row.passages) for at in one}:
            held[at] += 1
    rarity = [math.log(1 + (max(0, count - one) + 0.5) / (one + 0.5)) for one in held]
    return sorted(matched, key=lambda row: (-_score(row, rarity), row.among_equals))


def _score(row: MatchedRow, rarity: list[float]) -> float:
    """Rule 1."""
    best = 0.0
    for passage in row.passages or ({},):
        score = 0.0
        for at in sorted(passage.keys() | row.beside.keys()):
            often = passage.get(at, 0.0) + row.beside.get(at, 0.0)
            score += rarity[at] * often * (SATURATION + 1) / (often + SATURATION)
        best = max(best, score)
    return round(best, DIGITS)


def _spaced(phrase: Phrase) -> str:
    """As it stands in a column."""
    return f" {' '.join(phrase.words)}{'' if phrase.is_beginning else ' '}"


def _only(phrase: Phrase, weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(one if name == phrase.column else 0.0 for name, one in zip(COLUMNS, weights, strict=True))


def _frequencies(
    columns: list[str], phrases: list[tuple[str, tuple[float, ...]]]
) -> tuple[tuple[Frequencies, ...], Frequencies]:
    """Of passages that hold a phrase, and beside them. Most of a search's time is spent here."""
    text, *named = (f" {one} " for one in columns)
    passages: dict[int, Frequencies] = {}
    beside: Frequencies = {}
    for at, (phrase, weights) in enumerate(phrases):
        for column, weight in zip(named, weights[1:], strict=True):
            if weight and phrase in column:
                beside[at] = beside.get(at, 0.0) + weight * column.count(phrase)
        place = text.find(phrase) if weights[0] else -1
        while place >= 0:
            step = place // STEP_CHARACTERS
            for number in (step, step + 1):
                passage = passages.setdefault(number, {})
                passage[at] = passage.get(at, 0.0) + weights[0]
            place = text.find(phrase, place + 1)  # the blank behind one may stand before the next
    return tuple(passages.values()), beside
