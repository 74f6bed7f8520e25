"""Turns a statement into the words that say what it is about, to compare statements that are worded differently."""

import re

from ctxmgr.engine.text.wording import words_of

SHORT_WORD = 4  # characters: a shorter one has no ending to take off

_FORBIDS = re.compile(r"\b(?:never|not|no|avoid|stop|refrain|without|only)\b|n'?t\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:ing|ed|es|e|s)$")
_FILLERS = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "of",
        "to",
        "in",
        "on",
        "for",
        "with",
        "that",
        "this",
        "it",
        "is",
        "be",
        "do",
        "not",
        "don",
        "t",
        "i",
        "we",
        "you",
        "my",
        "our",
        "about",
        "thing",
        "things",
        "rule",
        "what",
        "said",
        "anymore",
        "any",
        "more",
        "please",
        "just",
        "s",
        "must",
        "never",
        "always",
        "only",
        "should",
        "use",
        "may",
        "can",
        "now",
        "again",
        "after",
        "all",
        "from",
        "ok",
        "okay",
        "fine",
        "feel",
        "free",
        "go",
        "ahead",
        "re",
        "allowed",
        "avoid",
        "refrain",
        "stop",
    ]
)


def content_words(text: str) -> frozenset[str]:
    """Those that say something, without their endings: `changing` speaks of what `change` does."""
    return frozenset(content_list(text))


def content_list(text: str) -> tuple[str, ...]:
    """The same, in the order in which they stand there."""
    found = (word for word in words_of(text).split() if word not in _FILLERS)
    return tuple(_ENDING.sub("", word) if len(word) > SHORT_WORD else word for word in found)


def forbids(text: str) -> bool:
    """Does it say that something is not to be?"""
    return bool(_FORBIDS.search(text))
