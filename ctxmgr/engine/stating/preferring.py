"""Turns a sentence into what it takes and what it does not: `Postgres rather than SQLite`, `tabs, not spaces`.

A text reverses another where it takes what that one leaves, for what that one takes.
"""

import re
from collections.abc import Iterator

from ctxmgr.engine.text import words_of

_NAME = r"`[^`\n]+`|\"[^\"\n]+\"|[\w@#+./-]*\w[#+]*"
_LITTLE = r"(?:(?:the|a|an|any|to|use|using|with|by|on|in|of|plain|for)\s+){0,2}"
_BEHIND = re.compile(
    rf"(?P<taken>{_NAME})(?:\s+\(?)?(?:\s*,)?\s*(?:rather than|instead of|in place of"
    rf"|,\s*(?:and\s+|but\s+)?not|and not|but not)\s+{_LITTLE}(?P<left>{_NAME})",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"\bprefer\w*\s+{_LITTLE}(?P<taken>{_NAME})"
    rf"\s+(?:over|to)\s+{_LITTLE}(?P<left>{_NAME})",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\b(?:instead of|rather than|(?:don['’]t|do not|never|no longer) use)\s+{_LITTLE}(?P<left>{_NAME})\s*[,;:]\s*"
    rf"(?:but\s+)?{_LITTLE}(?P<taken>{_NAME})",
    re.IGNORECASE,
)


def preferences(text: str) -> Iterator[tuple[str, str]]:
    """(what is taken, what is left), as words."""
    for pattern in (_BEHIND, _OVER, _BEFORE):
        for found in pattern.finditer(text):
            taken, left = words_of(found["taken"]), words_of(found["left"])
            if taken != left:
                yield taken, left


def reverses(text: str, other: str) -> bool:
    """Does this text take what the other leaves, for what it takes, and nowhere the same?"""
    of_text, of_other = set(preferences(text)), set(preferences(other))
    return not of_text & of_other and any((left, taken) in of_other for taken, left in of_text)
