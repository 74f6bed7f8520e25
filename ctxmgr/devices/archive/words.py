"""Turns what a person or a model searches for into an FTS5 query, and any text into its index words. Pure; stored
and queried text get the same treatment.

Words:
1. An identifier, path, number or version is one word as written, and each of its parts is another: the segments of
   a path, and what dots, dashes, underscores or a change of case separate. The whole comes before its parts, so a
   phrase meets the same words in the same order.
2. Words are case folded, with compatibility forms unified.
3. Scripts without spaces between words (Chinese, Japanese, Thai and others) are cut into overlapping pairs of
   characters.
4. Runs longer than people or models write are not words; a picture in base64 has none.

A query consists of plain words, "a phrase", `path:x` and `tool:y`. Queries:
5. Every word goes through `words` and is quoted, so nothing in a query is FTS5 syntax.
6. Phrases, paths and tools are required. Of the plain words one is enough, and more score higher.
7. A word matches itself and its parts in order, so a name in snake case matches the same in camel case. The looser
   query accepts each part, and words that begin with it; it is used if the first finds too little. For a path, or a
   phrase with a compound name, the looser query accepts the whole words near each other, since a lower-case name
   hides its parts.
8. A query has a limited number of words; the rest is ignored.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

import msgspec

JOINERS = r"_./\:@+-"  # inside a word; code that stores words must treat each as a letter
LONGEST_RUN = 400  # characters: deep paths and addresses are shorter, encoded bytes longer
LONGEST_WORD = 64  # characters of a word that count; a SHA-256 has 64
RUNS_KNOWN = 20_000  # texts of a session repeat their identifiers

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
    """In text order, with repetitions."""
    return list(chain.from_iterable(map(_words_of, _runs(text))))


def word_groups(text: str) -> list[tuple[str, ...]]:
    """Like `words`, by run: each group is a whole with its parts, or the pairs of an unspaced text."""
    return [group for run in _runs(text) if (group := _words_of(run))]


def segments(text: str) -> list[str]:
    """Only the wholes, and the segments of paths."""
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


LONGEST_QUERY = 2_000  # characters that are read
MOST_WORDS = 48  # in one query; FTS5 takes more, people and models do not write more
NEAR_WORDS = 12  # between the words of a phrase or path, for the parts that each may have
SHORTEST_BEGINNING = 3  # shortest prefix that matches longer words
_FIELDS = re.compile(r'(?:\b(path|tool):)?"([^"]*)"?|\b(path|tool):(\S+)', re.IGNORECASE)


class Phrase(msgspec.Struct, frozen=True):
    """Words in order, in one column or ("") in any. `is_beginning`: the last word may continue. `or_near`: words
    that also match if they are near each other.
    """

    words: tuple[str, ...]
    column: str = ""
    is_beginning: bool = False
    or_near: tuple[str, ...] = ()

    @property
    def match(self) -> str:
        """In FTS5's language (rule 5). No word contains a quote, which is neither a letter nor a joiner."""
        column = f"{self.column} : " if self.column else ""
        phrase = f'{column}"{" ".join(self.words)}"{" *" if self.is_beginning else ""}'
        near = " ".join(f'"{word}"' for word in self.or_near)
        return f"{phrase} OR {column}NEAR({near}, {NEAR_WORDS})" if near else phrase


class PhraseQuery(msgspec.Struct, frozen=True):
    """All of `all_of`, and at least one of `any_of` if there are any."""

    all_of: tuple[Phrase, ...] = ()
    any_of: tuple[Phrase, ...] = ()

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (*self.all_of, *self.any_of)

    @property
    def needed_match(self) -> str:
        """In FTS5's language; "" if nothing is required."""
        return " AND ".join(f"({term.match})" for term in self.all_of)

    @property
    def match(self) -> str:
        """The whole query in FTS5's language; "" if it is empty."""
        either = " OR ".join(term.match for term in self.any_of)
        return " AND ".join([*(f"({term.match})" for term in self.all_of), *([f"({either})"] if either else [])])


class Question(msgspec.Struct, frozen=True):
    """`loose` is used if `strict` found too little. `wanted`: all words, for the snippet."""

    strict: PhraseQuery = PhraseQuery()
    loose: PhraseQuery = PhraseQuery()
    wanted: tuple[str, ...] = ()


def question(query: str) -> Question:
    """Accepts any text."""
    query = query[:LONGEST_QUERY]
    needed: list[Phrase] = []
    nearly: list[Phrase] = []
    wanted: list[str] = []
    for field in _FIELDS.finditer(query):
        column = (field[1] or field[3] or "").lower()
        text = field[2] if field[4] is None else field[4]
        of = words(text)[:MOST_WORDS]
        if of:
            needed.append(Phrase(tuple(of), column))
            near = tuple(segments(text)[:MOST_WORDS])
            is_order_free = column == "path" or len(near) < len(of)
            nearly.append(Phrase(tuple(of), column, or_near=near if is_order_free else ()))
            wanted += [] if column else of
    groups = word_groups(_FIELDS.sub(" ", query))
    strict: list[Phrase] = []
    loose: list[Phrase] = []
    for group in groups:
        if len(wanted) >= MOST_WORDS:  # rule 8
            break
        wanted += group
        strict += _strict(group)
        loose += [Phrase((word,), is_beginning=len(word) >= SHORTEST_BEGINNING) for word in group]
    return Question(_phrase_query(needed, strict), _phrase_query(nearly, loose), tuple(dict.fromkeys(wanted)))


def _strict(group: tuple[str, ...]) -> list[Phrase]:
    """Rule 7. The parts of a whole follow it; the pairs of an unspaced text form one phrase."""
    whole, parts = group[0], group[1:]
    is_whole = all(part in whole for part in parts)
    if not parts or not is_whole:
        return [Phrase(group)]
    return [Phrase((whole,)), Phrase(parts)]


def _phrase_query(needed: list[Phrase], any_of: list[Phrase]) -> PhraseQuery:
    return PhraseQuery(tuple(needed), tuple(dict.fromkeys(any_of)))
