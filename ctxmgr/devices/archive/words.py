"""Turns a text into the words that it is found by; pure, and the same for what is kept and for what is asked.

Rules:
1. An identifier, a path, a number or a version is one word as it stands, and each of its parts is one as well: of
   a path its segments, of those what dots, dashes and underscores part, of that what a change of case parts. The
   whole stands before its parts, so that a phrase meets the same words in the same order.
2. Words are in small letters (case folded, compatibility forms made one).
3. Scripts that put no spaces between words (Chinese, Japanese, Thai and such) are cut into pairs of characters,
   each overlapping the next.
4. What is too long for anything that people or models write is no word: a picture in base64 has none.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

JOINERS = r"_./\:@+-"  # within a word; whatever keeps the words must take each as a letter
LONGEST_RUN = 400  # characters: deep paths and addresses are shorter, encoded bytes longer
LONGEST_WORD = 64  # characters of a word that count: a SHA-256 has so many
RUNS_KNOWN = 20_000  # texts of one session repeat their identifiers

# blocks of Unicode whose scripts have no spaces: Thai and Lao, Myanmar, Khmer, kana and Han
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED += "\U00020000-\U0003ffff"
_JOINED = f"[{re.escape(JOINERS)}]{{1,3}}"
_LETTER = rf"[^\W{_UNSPACED}]"
_RUN = re.compile(rf"[{_UNSPACED}]+|{_LETTER}+(?:{_JOINED}{_LETTER}+)*")
_ASCII_RUN = re.compile(rf"\w+(?:{_JOINED}\w+)*", re.ASCII)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_LEVELS = tuple(re.compile(separators) for separators in (r"[/\\:@+]+", r"[.-]+", r"_+"))
_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(text: str) -> list[str]:
    """In the order in which they stand, each as often as it does."""
    return list(chain.from_iterable(map(_words_of, _runs(text))))


def word_groups(text: str) -> list[tuple[str, ...]]:
    """The same by run: each group is a whole with its parts, or the pairs of an unspaced text."""
    return [group for run in _runs(text) if (group := _words_of(run))]


def segments(text: str) -> list[str]:
    """The wholes alone, and of a path those of its segments."""
    return list(chain.from_iterable(map(_segments_of, _runs(text))))


def _segments_of(run: str) -> tuple[str, ...]:
    if _IS_UNSPACED.match(run) or len(run) > LONGEST_RUN:
        return _words_of(run)
    return tuple(part.casefold()[:LONGEST_WORD] for part in _LEVELS[0].split(run) if part)


def _runs(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_RUN.findall(text)
    return _RUN.findall(unicodedata.normalize("NFKC", text))


@lru_cache(RUNS_KNOWN)
def _words_of(run: str) -> tuple[str, ...]:
    if _IS_UNSPACED.match(run):  # rule 3
        return tuple(run[start : start + 2] for start in range(max(1, len(run) - 1)))
    if len(run) > LONGEST_RUN:  # rule 4
        return ()
    return tuple(word.casefold()[:LONGEST_WORD] for word in _parted(run, 0))


def _parted(run: str, level: int) -> Iterator[str]:
    """Rule 1."""
    if level > len(_LEVELS):
        yield run
        return
    by_case = level == len(_LEVELS)
    parts = [part for part in (_CASE if by_case else _LEVELS[level]).split(run) if part]
    if len(parts) > 1:
        yield run
    for part in parts:
        yield from _parted(part, level + 1)
