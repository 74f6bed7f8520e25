"""Turns what a person or a model asks for into a question to FTS5, which no text can break; pure.

A query is plain words, "a phrase", `path:x` and `tool:y`. Rules:
1. Every word goes through `words`, and stands in quotes: nothing of a query is syntax to FTS5.
2. What has to be: phrases, paths and tools. Of the words one is enough, and more of them count for more.
3. A word stands for itself and for its parts in their order, so that a name in snake case meets the same in camel
   case. A looser question takes each part, and what begins with it: it is asked where the first gives too little.
   Of a path, and of a phrase that holds a name of parts, it takes the wholes near each other: written in small
   letters, nobody sees all parts of a name.
4. Only so many words are asked for: what comes after them is left out.
"""

import re

import msgspec

from ctxmgr.devices.archive.words import segments, word_groups, words

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
        """In FTS5's language (rule 1). No word holds a quote: none is a letter or a joiner."""
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
        if len(wanted) >= MOST_WORDS:  # rule 4
            break
        wanted += group
        strict += _strict(group)
        loose += [Phrase((word,), is_beginning=len(word) >= SHORTEST_BEGINNING) for word in group]
    return Question(_phrase_query(needed, strict), _phrase_query(nearly, loose), tuple(dict.fromkeys(wanted)))


def _strict(group: tuple[str, ...]) -> list[Phrase]:
    """Rule 3. The parts of a whole stand behind it; pairs of an unspaced text are one phrase."""
    whole, parts = group[0], group[1:]
    is_whole = all(part in whole for part in parts)
    if not parts or not is_whole:
        return [Phrase(group)]
    return [Phrase((whole,)), Phrase(parts)]


def _phrase_query(needed: list[Phrase], any_of: list[Phrase]) -> PhraseQuery:
    return PhraseQuery(tuple(needed), tuple(dict.fromkeys(any_of)))
