"""Turns what a person or a model asks for into a question to FTS5, which no text can break; pure.

A query is plain words, "a phrase", `path:x` and `tool:y`. Rules:
1. Every word goes through `words`, and stands in quotes: nothing of a query is syntax to FTS5.
2. What has to be: phrases, paths and tools. Of the words one is enough, and more of them count for more.
3. A word stands for itself and for its parts in their order, so that a name in snake case meets the same in camel
   case. A looser question takes each part, and what begins with it: it is asked where the first gives too little.
4. Only so many words are asked for: what comes after them is left out.
"""

import re

import msgspec

from ctxmgr.devices.archive.words import word_groups, words

LONGEST_QUERY = 2_000  # characters that are read
MOST_WORDS = 48  # asked for at once; FTS5 takes more, people and models do not write more
SHORTEST_BEGINNING = 3  # characters of a word that others may begin with
_FIELDS = re.compile(r'(?:\b(path|tool):)?"([^"]*)"?|\b(path|tool):(\S+)', re.IGNORECASE)


class Question(msgspec.Struct, frozen=True):
    """`strict` and `loose`: questions in FTS5's language, "" where there is nothing to ask. `wanted`: all words,
    for a snippet."""

    strict: str = ""
    loose: str = ""
    wanted: tuple[str, ...] = ()


def question(query: str) -> Question:
    """Any text gives one."""
    query = query[:LONGEST_QUERY]
    needed: list[str] = []
    wanted: list[str] = []
    for found in _FIELDS.finditer(query):
        column = (found[1] or found[3] or "").lower()
        of = words(found[2] if found[4] is None else found[4])[:MOST_WORDS]
        if of:
            needed.append(f"{column} : {_phrase(of)}" if column else _phrase(of))
            wanted += [] if column else of
    groups = word_groups(_FIELDS.sub(" ", query))
    strict: list[str] = []
    loose: list[str] = []
    for group in groups:
        if len(wanted) >= MOST_WORDS:  # rule 4
            break
        wanted += group
        strict += _strict(group)
        loose += [f"{_phrase([word])}{' *' if len(word) >= SHORTEST_BEGINNING else ''}" for word in group]
    return Question(_joined(needed, strict), _joined(needed, loose), tuple(dict.fromkeys(wanted)))


def _strict(group: tuple[str, ...]) -> list[str]:
    """Rule 3. The parts of a whole stand behind it; pairs of an unspaced text are one phrase."""
    whole, parts = group[0], group[1:]
    is_whole = all(part in whole for part in parts)
    if not parts or not is_whole:
        return [_phrase(group)]
    return [_phrase([whole]), _phrase(parts)]


def _phrase(of: "list[str] | tuple[str, ...]") -> str:
    """Rule 1. No word holds a quote: none is a letter or a joiner."""
    return f'"{" ".join(of)}"'


def _joined(needed: list[str], any_of: list[str]) -> str:
    either = " OR ".join(dict.fromkeys(any_of))
    return " AND ".join([*(f"({one})" for one in needed), *([f"({either})"] if either else [])])
