"""Turns text into what evidence is compared by: words, pieces of sentences, lines, references.

1. Words are in lower case, without quotes, marks and punctuation at their edges; a word of marks alone is none.
2. A sentence is asked for in pieces of PIECE_WORDS words; the last piece reaches back where it would be short.
3. Prose is what a person wrote: without fenced code, quoted lines and tags that a host put around its own text.
"""

import re
from collections.abc import Iterator

from ctxmgr.study.metrics import error_codes, identifiers, paths

PIECE_WORDS = 6
GAP = "\f"  # stands in prose where something was taken out
LEAST_LETTERS = 3  # letters and digits of a line of code: every file has lines of brackets
SENTENCE_CHARACTERS = 400

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_RUNS = re.compile(r"[^\W_]+")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<([a-zA-Z][\w-]*)(?: [^<>]*)?>.*?</\1>", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+•>]|\d{1,3}[.)]|#{1,6})\s+")
_ENDS = re.compile(r"(?<=[.!?])[\"')*]*\s+")
_ISSUE = re.compile(r"(?<![\w/])#\d{1,7}\b|\b[A-Z]{2,8}-\d{1,6}\b")


def word_set(text: str) -> frozenset[str]:
    """A table of words, written one after the other."""
    return frozenset(text.split())


def words(text: str) -> list[str]:
    """Rule 1, in order."""
    bare = (word if word.isalnum() else _EDGES.sub("", word) for word in plain(text.lower()).split())
    return [word for word in bare if word]


def plain(text: str) -> str:
    """With typewriter apostrophes."""
    return text.replace("\u2019", "'")


def joined(text: str) -> str:
    """The words of a text with a blank around each, so that pieces match whole words only."""
    return f" {' '.join(words(text))} "


def pieces(text: str, size: int = PIECE_WORDS) -> tuple[str, ...]:
    """Rule 2; none where the text has no word. No piece goes over what `prose` took out."""
    return tuple(piece for part in text.split(GAP) for piece in _pieces(words(part), size))


def _pieces(some: list[str], size: int) -> Iterator[str]:
    starts = list(range(0, max(1, len(some) - size + 1), size)) if some else []
    if starts and starts[-1] + size < len(some):
        starts.append(len(some) - size)
    return (f" {' '.join(some[start : start + size])} " for start in starts)


def line_pieces(lines: Iterator[str] | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Each distinct line that says something, whole."""
    return tuple(dict.fromkeys(joined(line) for line in lines if len(_letters(line)) >= LEAST_LETTERS))


def runs(text: str) -> set[str]:
    """The stretches of letters and digits in a text that is in lower case: what an index is made of."""
    return set(_RUNS.findall(text))


def prose(text: str) -> str:
    """Rule 3, with gaps; the whole text where nothing else is left."""
    bare = _TAGGED.sub(f"\n{GAP}\n", _FENCED.sub(f"\n{GAP}\n", text))
    kept = "\n".join(GAP if line.lstrip().startswith((">", "|")) else line for line in bare.split("\n"))
    return kept.strip(f"{GAP}\n\t ") or text.strip()


def shortened(text: str, characters: int) -> str:
    """The start of a text, cut between words."""
    text = text.strip()
    if len(text) <= characters:
        return text
    cut = max(text.rfind(blank, 0, characters + 1) for blank in (" ", "\n", "\t"))
    return text[: cut if cut > 0 else characters]


def readable(text: str) -> str:
    """Prose for people: a gap is an ellipsis."""
    return " ".join(text.replace(GAP, "[...]").split())


def sentences(text: str, least_words: int = 3) -> Iterator[str]:
    """Of the prose; bullets and headings lose their marks."""
    for line in plain(prose(text)).split("\n"):
        for part in _ENDS.split(_BULLET.sub("", line)):
            bare = part.strip()
            if len(bare) <= SENTENCE_CHARACTERS and len(words(bare)) >= least_words:
                yield bare


def references(text: str) -> frozenset[str]:
    """Names that a later message may say again: paths by their file's name, identifiers, error codes, issues."""
    found = {path.rpartition("/")[2] for path in paths(text)}
    return frozenset((*found, *identifiers(text), *error_codes(text), *_ISSUE.findall(text)))


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())
