"""Turns what a line says of a command into a claim: that it works, that it fails, or neither plainly.

Rules:
1. What says that nothing failed ("0 failed", "no errors", "no longer fails") says that it works.
2. What is told of now ("it failed, now green") is the claim, and not what was before it.
3. A claim belongs to the command before it on its line, and to those that this one is listed with.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

Ending = Literal["works", "fails", ""]

FAILS = re.compile(
    r"\b(?:fail\w*|errors?|broken|breaks?|crash\w*|red|timed out|times out|blocked|refused|rejected)\b|[✗✘×❌]",
    re.IGNORECASE,
)
CODE = re.compile(r"`([^`\n]+)`")
_WORD_WORKS = r"(?:pass(?:es|ed|ing)?|green|succe\w+|works?|worked|clean)"
WORKS = re.compile(rf"\b{_WORD_WORKS}\b|[✓✔✅]", re.IGNORECASE)
_FAILURE = r"(?:fail\w*|errors?|breaks?|broken|crash\w*|problems?)\b"
_NO_FAILURE = re.compile(
    rf"(?:(?<![\w.])(?:no|zero|0|without)\s+(?:\w+\s+)?|(?:\b(?:not|never)|n['’]t)\s+){_FAILURE}", re.IGNORECASE
)
_NOW = re.compile(
    r"(?:[^\w\s]|^|\b(?:and|it|that|which|so)\b)\s*(?:(?:it|is|are|'s)\s+)*"
    rf"(?:now\s+(?:is\s+|are\s+|all\s+)?(?:{_WORD_WORKS}\b|[✓✔✅])|(?:{_WORD_WORKS}|[✓✔✅])\s+(?:again\s+)?now\b)",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:not?|never|without|cannot|if|when|once|until|unless|should|must|shall|will|would|could|can|may|might|to"
    r"|make|makes|ensure|verify|check|after|expect\w*|zero|0|only|but|except|some|part\w*)\b|n['’]t\b|\?"
    r"|\b(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could|must)nt\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:before|earlier|previously|initially|first|then|since|again|was|were|had|resolv\w*|fix\w*|mend\w*)\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:,|&|\+|/|,?\s*and)\s*", re.IGNORECASE)


class Claim(msgspec.Struct, frozen=True):
    """What is said of the code `quoted`, at `start` of the line at `line_index` of a text. `now`: it is said to be
    so now (rule 2)."""

    line_index: int
    start: int
    quoted: str
    ending: Ending
    now: bool


def claims(text: str) -> Iterator[Claim]:
    """Of each code in it (rule 3)."""
    for number, line in enumerate(text.split("\n")):
        said, end = "", len(line)
        found: list[Claim] = []
        for one in reversed(list(CODE.finditer(line))):
            between, end = line[one.end() : end], one.start()
            said = said if found and _LISTED.fullmatch(between) else between
            found.append(Claim(number, one.start(), one[1], ending(said), bool(_NOW.search(said))))
        yield from reversed(found)


def ending(said: str) -> Ending:
    """Rules 1 and 2."""
    said = present(said)
    works, fails = bool(WORKS.search(said)), bool(FAILS.search(said))
    return "" if works == fails else "works" if works else "fails"


def present(said: str) -> str:
    """What is said of now, and what says that nothing failed as a mark."""
    said = _NO_FAILURE.sub(" ✓ ", said)
    return said[max((one.start() for one in _NOW.finditer(said)), default=0) :]


def is_plain(text: str, now: bool) -> bool:
    """Is it told as it is: not what shall be, or was, or both? `now`: what was is told to be over."""
    said = _NO_FAILURE.sub(" ✓ ", CODE.sub(" ", text))
    return not _HEDGED.search(said) and (now or not _PAST.search(said))
