"""Turns a text into one of the same length in which secrets are blotted out; pure.

Rules:
1. A secret is known by its shape alone: a prefix that its issuer documents, or the name that it is given. What has
   no such shape (a digest, a UUID, a picture in base64) stays.
2. The length stays, so that places in the masked text are places in the original; people are shown `[masked]`.
3. Of an assignment or a header only the value goes: what it was called is found still.
4. It errs on the side of hiding: what is hidden here can still be had whole by its handle, by who may.
5. What is looked at from one place has an end: a text may hold a secret's beginning ten thousand times over, and
   it must take no longer than its length. A value that goes on behind that end is hidden as far as it goes, and
   looked at no more.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from ctxmgr.masking.shapes import SHAPES, SecretShape
from ctxmgr.model import expression

BLOT = "\ufdd0"  # a noncharacter: Unicode keeps it out of all text, and it is no letter to any pattern
MASKED = "[masked]"
LEAST_CHARACTERS = 6  # a shorter one stands in other words by chance
_BLOTS = expression(f"{BLOT}+")
_SMALL = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}


def masked(text: str) -> str:
    """With a blot for each character of a secret (rule 2)."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have a longer small form
        lowered = text.translate(_SMALL)
    for shape in SHAPES:
        if places := _offsets(lowered, shape.hints):
            text = _without(text, shape, places)
    return text


def legible(text: str) -> str:
    """A masked text for people and models."""
    return _BLOTS.sub(MASKED, text)


def secrets_in(value: Any) -> frozenset[str]:
    """Of all texts in a JSON value; those that are long enough to be known again where nothing names them."""
    spans = ((text, blot.span()) for text in _texts(value) for blot in _BLOTS.finditer(masked(text)))
    return frozenset(text[start:end] for text, (start, end) in spans if end - start >= LEAST_CHARACTERS)


def without_secrets(text: str, known: Collection[str] = ()) -> str:
    """For who reads it: each secret is `[masked]`. `known`: of what stands beside it, which are masked here too."""
    text = masked(text)
    for secret in sorted(known, key=len, reverse=True):
        text = text.replace(secret, BLOT)
    return legible(text)


def values_without_secrets(value: Any) -> Any:
    """The same of all texts in a JSON value."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {without_secrets(name): values_without_secrets(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [values_without_secrets(item) for item in value]
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _offsets(lowered: str, hints: tuple[str, ...]) -> list[int]:
    """Of all hints, in their order."""
    offsets = []
    for hint in hints:
        offset = lowered.find(hint)
        while offset >= 0:
            offsets.append(offset)
            offset = lowered.find(hint, offset + 1)
    return sorted(offsets)


def _without(text: str, shape: SecretShape, places: list[int]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in _spans(text, shape, places):
        pieces += text[done:start], BLOT * (end - start)
        done = end
    return "".join(pieces) + text[done:] if pieces else text


def _spans(text: str, shape: SecretShape, offsets: list[int]) -> Iterator[tuple[int, int]]:
    """Where secrets of a shape begin and end, none in another."""
    pattern, more = _compiled(shape)
    free = 0
    for offset in [0] if shape.is_anywhere else offsets:
        match = None
        if offset >= free:
            match = pattern.search(text) if shape.is_anywhere else pattern.match(text, offset)
        while match is not None:
            start, end = match.span(match.lastindex or 0)
            rest = more.match(text, end)
            end = rest.end() if rest is not None else end
            yield start, end
            free = max(end, match.end())
            match = pattern.search(text, free) if shape.is_anywhere else None


@cache
def _compiled(shape: SecretShape) -> "tuple[re.Pattern[str], re.Pattern[str]]":
    return re.compile(shape.pattern, shape.flags), re.compile(shape.rest)
