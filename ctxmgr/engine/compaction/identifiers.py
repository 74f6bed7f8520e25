"""Turns text into the identifiers in it, as they stand there: paths, names of code, codes of errors, flags.

The one reading of what a text names, for everything that asks: what may be referred to (`balanced`), what ties
sentences together (`extractive`), what a stretch of work is about (`compaction`). Rules:

1. An identifier is a run of letters, digits and the marks that code and paths are joined by, which no plain word
   looks like: it has such a mark, a digit or a capital inside. A range of two hashes is none.
2. Words that are joined by dashes alone are prose ("long-lived"), but a flag is none.
3. Marks at its ends, and line numbers, are no part of it, nor what a search printed behind a line number
   ("a.go-12-func"). What begins a path ("/", "./", "~/") is, as it is written; `bare` is without.
4. It begins where a word does: not within a number or a hash ("78ef1d0a"), nor with the letter that a line end is
   spelled by in JSON ("\\nSetting"). Before a small letter that is told by other escapes in the text, for a path of
   Windows is written so too.
5. One time through the text: nothing here takes longer than in the length of it.
"""

import re
from functools import lru_cache

SHORTEST, LONGEST = 4, 120  # characters: `i.e` is no name, and what is longer was pasted

_RUN = re.compile(r"--[a-z][\w-]++(?![$@~./])|(?:(?<![A-Za-z0-9_])[A-Za-z_]|[$@~./])[\w$@~./-]{3,}")
_MARKED = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9][_./-]+[A-Za-z0-9]|[A-Z]{2,}[a-z0-9]|[A-Za-z]\d")
_LETTERS = re.compile(r"[A-Za-z]{2}|^[A-Z]\d{3,5}$")  # E501, but not x = 12
_ENDS = "./-~@"
_SEARCHED = re.compile(r"(?<=\.)([A-Za-z]\w{0,4})-\d+(?:-.*)?$")  # what `grep -C` prints of a file and a line
_ESCAPED = re.compile(r"\\[nrt](?![a-z])")
_RANGE = re.compile(r"[0-9a-f]{4,}\.{2,3}[0-9a-f]{4,}")  # of two states of a file, as `git diff` prints them
_QUOTED = ('\\"', "\\n\\n", "\\r\\n")  # JSON in a string
# of ASCII what stands in no run; what is beyond is left to the expression
_BETWEEN = re.sub(r"[\w$@~./-]", "", "".join(map(chr, range(ord("\x80"))))).encode()
_PARTED = bytes.maketrans(_BETWEEN, b" " * len(_BETWEEN))


def identifiers(text: str) -> list[str]:
    """Each time that one stands there, in their order."""
    runs = map(_told, _RUN.findall(_spelled(text)))
    return [run.rstrip(_ENDS) for run in runs if _is_flag(run) or is_name(run.strip(_ENDS))]


def bare(text: str) -> frozenset[str]:
    """Without what begins a path, each once. A flag is here where its name is one."""
    words = set(_spelled(text).encode("utf-8", "surrogatepass").translate(_PARTED).split())
    found = [
        (_known_names if len(word) <= LONGEST else _names_in)(word)
        for word in words
        if not ((word.isalpha() and (word.islower() or word.istitle())) or word.isdigit())  # by rule 1 it has none
    ]
    return frozenset().union(*found)


def without(text: str) -> str:
    """The text with a blank in the place of each identifier: the words that are none."""
    return _RUN.sub(lambda run: " " if _is_flag(run[0]) or is_name(run[0].strip(_ENDS)) else run[0], text)


def _names_in(word: bytes) -> frozenset[str]:
    """The names in what stands between two characters that are in none."""
    runs = map(_told, _RUN.findall(word.decode("utf-8", "surrogatepass")))
    return frozenset(name for run in runs if is_name(name := run.strip(_ENDS)))


_known_names = lru_cache(maxsize=1 << 13)(_names_in)  # a session says the same names again and again


def _spelled(text: str) -> str:
    """With blanks where line ends and tabs are spelled as in JSON."""
    if "\\" not in text:
        return text
    if any(mark in text for mark in _QUOTED):
        return text.replace("\\n", "  ").replace("\\r", "  ").replace("\\t", "  ")
    return _ESCAPED.sub("  ", text)


def _told(run: str) -> str:
    return _SEARCHED.sub(r"\1", run) if "-" in run else run


def _is_flag(run: str) -> bool:
    return run.startswith("--") and len(run.rstrip(_ENDS)) >= SHORTEST


def is_name(text: str) -> bool:
    """Is all of this one, by rule 1?"""
    if not SHORTEST <= len(text) <= LONGEST or _MARKED.search(text) is None:
        return False
    if ".." in text and _RANGE.fullmatch(text):
        return False
    joined = "-" in text and not ("/" in text or "." in text or "_" in text)  # "long-lived" is prose
    return _LETTERS.search(text) is not None and not joined
