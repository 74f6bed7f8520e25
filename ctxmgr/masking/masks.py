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

from ctxmgr.masking.shapes import SHAPES, SecretShape

BLOT = "\ue000"  # a private character: no letter to any pattern, and in no text that people write
MASKED = "[masked]"
_BLOTS = re.compile(f"{BLOT}+")


def masked(text: str) -> str:
    """With a blot for each character of a secret (rule 2)."""
    lowered = text.lower()
    for shape in SHAPES:
        if any(hint in lowered for hint in shape.hints):
            text = _without(text, shape)
    return text


def _without(text: str, shape: SecretShape) -> str:
    pieces: list[str] = []
    told = 0
    found = shape.pattern.search(text)
    while found is not None:
        start, end = found.span(found.lastindex or 0)
        rest = shape.rest.match(text, end)
        end = rest.end() if rest is not None else end
        pieces += text[told:start], BLOT * (end - start)
        told = end
        found = shape.pattern.search(text, max(end, found.end()))
    return "".join(pieces) + text[told:] if pieces else text


def legible(text: str) -> str:
    """A masked text for people."""
    return _BLOTS.sub(MASKED, text)
