"""What evidence is compared by: words, pieces of sentences, whole lines, references.

1. Words are in lower case, without quotes, marks and punctuation at their edges; marks alone are no word.
2. A sentence is asked for in pieces of PIECE_WORDS words; the last piece overlaps the one before if it would be
   short.
3. Prose is what a person wrote: without fenced code, quoted lines, tables, and tags that a host put around its own
   text.
"""

import re
from collections.abc import Iterable, Iterator

from ctxmgr.study.observations import error_codes, identifiers, paths

PIECE_WORDS = 6
GAP = "\f"  # marks removed text in prose
LEAST_LETTERS = 3  # letters and digits of a line of code; every file has lines of brackets
SENTENCE_CHARACTERS = 400

_WORD = re.compile(r"[^\W_](?:\S*[^\W_])?")
_RUNS = re.compile(r"[^\W_]+")
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|<([a-zA-Z][\w-]*)(?: [^<>]*)?>.*?</\1>|^[ \t]*[>|][^\n]*", re.DOTALL | re.MULTILINE
)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|#{1,6})\s+")
_ENDS = re.compile(r"(?<=[.!?])[\"')*]*\s+")


def word_set(text: str) -> frozenset[str]:
    """A table of words, separated by blanks."""
    return frozenset(text.split())


def words(text: str) -> list[str]:
    """Rule 1, in order; apostrophes become ASCII."""
    return _WORD.findall(text.lower().replace("\u2019", "'"))


def joined(text: str) -> str:
    """The words of a text with a blank around each, so that pieces match whole words only."""
    return f" {' '.join(words(text))} "


def pieces(text: str, size: int = PIECE_WORDS) -> tuple[str, ...]:
    """Rule 2; none if the text has no word. No piece crosses what `prose` removed."""
    made: list[str] = []
    for part in text.split(GAP):
        some = words(part)
        starts = list(range(0, max(1, len(some) - size + 1), size)) if some else []
        if starts and starts[-1] + size < len(some):
            starts.append(len(some) - size)
        made += (f" {' '.join(some[start : start + size])} " for start in starts)
    return tuple(made)


def line_pieces(lines: Iterable[str]) -> tuple[str, ...]:
    """Each distinct non-empty line, whole."""
    return tuple(dict.fromkeys(joined(line) for line in lines if sum(map(str.isalnum, line)) >= LEAST_LETTERS))


def runs(text: str) -> set[str]:
    """The runs of letters and digits in a lower-case text, which an index is made of."""
    return set(_RUNS.findall(text))


def prose(text: str) -> str:
    """Rule 3, with gaps; the whole text if nothing else remains."""
    return _NOT_PROSE.sub(f"\n{GAP}\n", text).strip(f"{GAP}\n\t ") or text.strip()


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
    for line in prose(text).replace("\u2019", "'").split("\n"):
        for part in _ENDS.split(_BULLET.sub("", line)):
            sentence = part.strip()
            if len(sentence) <= SENTENCE_CHARACTERS and len(words(sentence)) >= least_words:
                yield sentence


def references(text: str) -> frozenset[str]:
    """Names that a later message may say again: paths by their file's name, identifiers, error codes."""
    names = {path.rpartition("/")[2] for path in paths(text)}
    return frozenset((*names, *identifiers(text), *error_codes(text)))
