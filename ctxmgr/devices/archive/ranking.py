"""Turns the originals of one session that a question matches into their order, best first.

1. BM25, of which each number is the session's own: how many of its originals there are and how long, and how many
   hold a phrase. What other sessions put into the file changes nothing, so that the same session gives the same
   order on another machine.
2. Those that are counted are what has all that the question needs: of `tool:assistant`, what the assistant said.
3. Scores are compared to so many digits that no two machines' logarithms part equals.
"""

import math
import sqlite3

import msgspec

from ctxmgr.devices.archive.queries import Asked, Phrase

# of BM25, as FTS5 has them: how soon more of a word count for nothing more, and how much a long text's count less
SATURATION, LENGTH_SHARE = 1.2, 0.75
DIGITS = 9
COLUMNS = ("words", "path", "tool")
_SESSION = "SELECT count(*), total(size) FROM originals WHERE session = ?"
_NEEDED = """SELECT count(*), total(size) FROM found CROSS JOIN originals ON originals.id = found.rowid
WHERE found MATCH ? AND session = ?"""  # CROSS: a match is looked for once, and not for each original
_MATCHED = """SELECT originals.id, handle, key, call, size, found.words, found.path, found.tool
FROM found CROSS JOIN originals ON originals.id = found.rowid WHERE found MATCH ? AND session = ?"""


class MatchedRow(msgspec.Struct, frozen=True):
    """`frequencies`: of each phrase, weighed by column."""

    id: int
    call: bytes
    order: tuple[str, str]
    size: int
    frequencies: tuple[float, ...]


def ranked(
    connection: sqlite3.Connection, session: bytes, asked: Asked, weights: tuple[float, ...]
) -> list[MatchedRow]:
    """Of equals by handle. `weights`: by column."""
    if asked.needed:
        count, size = connection.execute(_NEEDED, (asked.needed_match, session)).fetchone()
    else:
        count, size = connection.execute(_SESSION, (session,)).fetchone()
    phrases = [(_spaced(one), weights if not one.column else _only(one, weights)) for one in asked.phrases]
    matched = [
        MatchedRow(id, call, (handle, key), size, _frequencies(columns, phrases))
        for id, handle, key, call, size, *columns in connection.execute(_MATCHED, (asked.match, session))
    ]
    held = [sum(1 for row in matched if row.frequencies[at]) for at in range(len(phrases))]
    rarity = [math.log(1 + (max(0, count - one) + 0.5) / (one + 0.5)) for one in held]
    mean = size / count if count and size else 1.0

    def score(row: MatchedRow) -> float:
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * row.size / mean)
        each = zip(row.frequencies, rarity, strict=True)
        return round(sum(rare * often * (SATURATION + 1) / (often + norm) for often, rare in each), DIGITS)

    return sorted(matched, key=lambda row: (-score(row), row.order))


def _spaced(phrase: Phrase) -> str:
    """As it stands in a column whose words have two blanks between them: neighbours share none."""
    return f" {'  '.join(phrase.words)}{'' if phrase.is_beginning else ' '}"


def _only(phrase: Phrase, weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(one if name == phrase.column else 0.0 for name, one in zip(COLUMNS, weights, strict=True))


def _frequencies(columns: list[str], phrases: list[tuple[str, tuple[float, ...]]]) -> tuple[float, ...]:
    """Most of a search's time is spent here."""
    weighed = [(f" {one.replace(' ', '  ')} ", place) for place, one in enumerate(columns) if one]
    found = []
    for phrase, weights in phrases:
        often = 0.0
        for text, place in weighed:
            if weights[place] and phrase in text:
                often += weights[place] * text.count(phrase)
        found.append(often)
    return tuple(found)
