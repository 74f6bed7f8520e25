"""Turns a reply to a list of options, and the names of those, into which it takes and which it refuses.

1. A reply is read where it says nothing but names of options, words between them, and whether they are taken
   ("A and C, not B", "1-3", "both", "all except 2", "neither"); known of English, and of signs alone beyond it.
2. What is not read so takes nothing, where it names more than one option: one of two would be said wrongly.
"""

import re
from collections.abc import Sequence

import msgspec

REPLY_WORDS = 14  # a longer one says more than which

_TOKEN = re.compile(r"n['’]t\b|[^\W_]+|[-–,;+&/]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BETWEEN = _words(
    "and plus also with then or option options variant variants approach approaches number numbers item items"
    " the one ones of them please pls thanks yes yeah yep ok okay sure do let us go for take use pick want prefer"
    " choose like just only i we s ll d t these those above two three four five six , + & / ;"
)
_NOT = _words("not except without excluding minus skip drop no n't n’t don but")
_YES = frozenset(("yes", "yeah", "yep", "ok", "okay", "sure"))
_NO = frozenset(("no", "nope", "nah"))
_ALL = frozenset(("all", "both", "everything"))
_NONE = frozenset(("neither", "none"))
_RANGE = frozenset(("-", "–", "to", "through", "until"))
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1}


class Choice(msgspec.Struct, frozen=True):
    """Names of options, in the order of the list."""

    accepted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def choice(reply: str, names: Sequence[str]) -> Choice | None:
    """What a reply takes and refuses of the options with these names, in small letters; None where it is not
    read."""
    tokens = _TOKEN.findall(reply.casefold())
    if not names or not tokens or len(reply.split()) > REPLY_WORDS:
        return None
    if (apart := _each(tokens, names)) is not None:
        return apart
    if tokens[-1] in _NOT:
        return None  # of what?
    reader = _Reader(names)
    return reader.choice() if all(map(reader.reads, _expanded(tokens, names))) else None


def names_several(reply: str, names: Sequence[str]) -> bool:
    """Does it name more than one of them, or one and a number that none has? A small "a" is a word."""
    words = [word for word in re.findall(r"[^\W_]+", reply) if word != "a"]
    named = {word.casefold() for word in words if word.casefold() in names}
    return bool(named) and len(named.union(word for word in words if word.isdecimal() and len(word) < 3)) > 1


def _each(tokens: list[str], names: Sequence[str]) -> Choice | None:
    """Of a reply that says yes or no behind each ("1 yes, 2 no")."""
    words = [one for one in tokens if one in names or one in _YES or one in _NO]
    named, said = words[::2], words[1::2]
    if len(words) < 2 or len(named) != len(said) or len(set(named)) != len(named):
        return None
    if not set(named) <= set(names) or not set(said) <= _YES | _NO or set(tokens) - set(words) - _BETWEEN:
        return None
    pairs = list(zip(named, said, strict=True))
    return Choice(tuple(one for one, so in pairs if so in _YES), tuple(one for one, so in pairs if so in _NO))


def _expanded(tokens: list[str], names: Sequence[str]) -> list[str]:
    """With the options of a range in its place, and the names of places."""
    tokens = [names[_PLACES[one]] if one in _PLACES and _PLACES[one] < len(names) else one for one in tokens]
    found: list[str] = []
    for at, token in enumerate(tokens):
        ends = (tokens[at - 1], tokens[at + 1]) if 0 < at < len(tokens) - 1 and token in _RANGE else ("", "")
        if ends[0] in names and ends[1] in names:
            found += names[names.index(ends[0]) + 1 : names.index(ends[1])]
        else:
            found.append(token)
    return found


class _Reader:
    """What was read of a reply so far."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._state: dict[str, bool] = {}  # taken?
        self._every: bool | None = None
        self._refusing = self._unsure = False

    def reads(self, token: str) -> bool:
        """Take one word in; is it known?"""
        if token in self._names:
            self._state[token] = not self._refusing
        elif token in _ALL and not self._refusing:
            self._every = True
        elif token in _NONE:
            self._every = False
        elif token in _NOT:
            first = not self._state and self._every is None
            self._unsure = self._unsure or first
            self._refusing = token != "but" or (not self._refusing and self._every is True)
        elif token == "," and self._refusing and self._unsure:
            return False  # "not B, A and C": what the second part is nobody knows
        else:
            return token in _BETWEEN
        return True

    def choice(self) -> Choice | None:
        """What all of it says; None for nothing."""
        taken = [name for name in self._names if self._state.get(name, self._every is True and not self._named())]
        left = [name for name in self._names if self._state.get(name) is False]
        if self._every is False:
            left = [name for name in self._names if not self._state.get(name)]
        return Choice(tuple(taken), tuple(left)) if taken or left else None

    def _named(self) -> bool:
        """Does it name those that it takes, beside "both"?"""
        return any(self._state.values())
