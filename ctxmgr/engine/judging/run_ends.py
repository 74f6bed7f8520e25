"""Turns a command fact into how it ended: its counts, what it failed with, and both in words."""

import re

from ctxmgr.engine.ledger import ERROR_CHARACTERS
from ctxmgr.engine.text import one_line, quoted
from ctxmgr.model.saved import GOES_ON, Fact

_TAG = re.compile(r"^\s*<(\w+)>|</\w+>\s*$")
_ENVELOPE = re.compile(r"^\{.{0,300}?\"output\"\s*:\s*\"(?:\\n|\s)*|(?:\\n|\s)*\"\}+\s*$", re.DOTALL)
_SAYS_NOTHING = re.compile(
    r"\W*(?:(?:command|process|script)\s+)?(?:exit(?:ed)?(?:\s+with)?(?:\s+(?:code|status))?\W*\d+|errors?|failed)\W*",
    re.IGNORECASE,
)
_BAD = re.compile(r"\d+ (?:[a-z]+ )?(?:failed|errors?|issues?|problems?|offenses?)\b")
_STOPPED = re.compile(r"\b(?:abort|cancel|interrupt)", re.IGNORECASE)
_STOPPED_CHARACTERS = 40  # of a line, among which it says so of the run


def error_line(fact: Fact) -> str:
    """The line that its output is quoted by."""
    return fact.detail.rpartition("\n")[2] if fact.status == "failed" else ""


def was_stopped(fact: Fact) -> bool:
    """Did somebody stop it before it ended?"""
    return bool(_STOPPED.search(error_line(fact)[:_STOPPED_CHARACTERS]))


def counts_of(fact: Fact) -> str:
    return one_line(fact.detail.rpartition("\n")[0] if fact.status == "failed" else fact.detail, ERROR_CHARACTERS)


def reason(fact: Fact) -> str:
    """What it failed with, bare; "" for nothing that says more than that it failed."""
    error = _ENVELOPE.sub("", _TAG.sub("", error_line(fact))).strip()
    return "" if _SAYS_NOTHING.fullmatch(error) else error


def how_it_ended(fact: Fact) -> str:
    """`41 passed`, `worked`, `3 failed, 41 passed; "FAILED test_a"`, `outcome unknown`."""
    counts = counts_of(fact)
    if fact.status == "unknown":
        if fact.detail.startswith(GOES_ON):
            return "not known to have ended"
        return f"outcome unknown; {quoted_error(fact.detail)}" if fact.detail else "outcome unknown"
    if fact.status == "ok":
        kept = ", ".join(count for count in counts.split(", ") if count and not _BAD.search(count))
        return kept if "passed" in kept else f"worked, {kept}" if kept else "worked"
    error = reason(fact)
    said = counts if _BAD.search(counts) else f"failed, {counts}" if counts else "failed"
    return f"{said}; {quoted_error(error)}" if error else said


def quoted_error(error: str) -> str:
    return quoted(error, ERROR_CHARACTERS)
