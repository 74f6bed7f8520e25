"""Turns what a person or a model asks for into a question to FTS5, and any text into the words that it is found by;
pure, and the same for what is kept and for what is asked.

Of words:
1. An identifier, a path, a number or a version is one word as it stands, and each of its parts is one as well: of
   a path its segments, of those what dots, dashes and underscores part, of that what a change of case parts. The
   whole stands before its parts, so that a phrase meets the same words in the same order.
2. Words are in small letters (case folded, compatibility forms made one).
3. Scripts that put no spaces between words (Chinese, Japanese, Thai and such) are cut into pairs of characters,
   each overlapping the next.
4. What is too long for anything that people or models write is no word: a picture in base64 has none.

A query is plain words, "a phrase", `path:x` and `tool:y`. Of queries:
5. Every word goes through `words`, and stands in quotes: nothing of a query is syntax to FTS5.
6. What has to be: phrases, paths and tools. Of the words one is enough, and more of them count for more.
7. A word stands for itself and for its parts in their order, so that a name in snake case meets the same in camel
   case. A looser question takes each part, and what begins with it: it is asked where the first gives too little.
   Of a path, and of a phrase that holds a name of parts, it takes the wholes near each other: written in small
   letters, nobody sees all parts of a name.
8. Only so many words are asked for: what comes after them is left out.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

import msgspec

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


LONGEST_QUERY = 2_000  # characters that are read
MOST_WORDS = 48  # asked for at once; FTS5 takes more, people and models do not write more
NEAR_WORDS = 12  # between the words of a phrase or a path: the parts that each may have
SHORTEST_BEGINNING = 3  # characters of a word that others may begin with
_FIELDS = re.compile(r'(?:\b(path|tool):)?"([^"]*)"?|\b(path|tool):(\S+)', re.IGNORECASE)


class Phrase(msgspec.Struct, frozen=True):
    """Words in their order, in one column or ("") in any. `is_beginning`: the word may go on. `or_near`: words that
    do as well where they stand near each other."""

    words: tuple[str, ...]
    column: str = ""
    is_beginning: bool = False
    or_near: tuple[str, ...] = ()

    @property
    def match(self) -> str:
        """In FTS5's language (rule 5). No word holds a quote: none is a letter or a joiner."""
        column = f"{self.column} : " if self.column else ""
        phrase = f'{column}"{" ".join(self.words)}"{" *" if self.is_beginning else ""}'
        near = " ".join(f'"{word}"' for word in self.or_near)
        return f"{phrase} OR {column}NEAR({near}, {NEAR_WORDS})" if near else phrase


class PhraseQuery(msgspec.Struct, frozen=True):
    """All of `all_of`, and one of `any_of` where there are such."""

    all_of: tuple[Phrase, ...] = ()
    any_of: tuple[Phrase, ...] = ()

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (*self.all_of, *self.any_of)

    @property
    def needed_match(self) -> str:
        """In FTS5's language; "" where nothing is needed."""
        return " AND ".join(f"({term.match})" for term in self.all_of)

    @property
    def match(self) -> str:
        """The same of all of it; "" where nothing is asked."""
        either = " OR ".join(term.match for term in self.any_of)
        return " AND ".join([*(f"({term.match})" for term in self.all_of), *([f"({either})"] if either else [])])


class Question(msgspec.Struct, frozen=True):
    """`loose` is asked where `strict` gave too little. `wanted`: all words, for a snippet."""

    strict: PhraseQuery = PhraseQuery()
    loose: PhraseQuery = PhraseQuery()
    wanted: tuple[str, ...] = ()


def question(query: str) -> Question:
    """Any text gives one."""
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
    """Rule 7. The parts of a whole stand behind it; pairs of an unspaced text are one phrase."""
    whole, parts = group[0], group[1:]
    is_whole = all(part in whole for part in parts)
    if not parts or not is_whole:
        return [Phrase(group)]
    return [Phrase((whole,)), Phrase(parts)]


def _phrase_query(needed: list[Phrase], any_of: list[Phrase]) -> PhraseQuery:
    return PhraseQuery(tuple(needed), tuple(dict.fromkeys(any_of)))
