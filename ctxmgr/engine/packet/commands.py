"""Turns command facts into lines: what failed when it was last tried, and what works here.

Rules:

1. Commands that only look or wait, and scripts written for one run, are left out: their failing blocks nothing,
   their working tells nothing.
2. Several that failed with the same error are one line, which names the newest. What an error is wrapped in, and a
   code alone, is not quoted.
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.ledger import ERROR_CHARACTERS, SHELL
from ctxmgr.engine.text import code, one_line
from ctxmgr.engine.tools import is_lost
from ctxmgr.model.saved import Fact

COMMAND_CHARACTERS = 120
DIRECTORY_CHARACTERS = 60
MOST_BLOCKERS = 6
MOST_WORKED = 5
MOST_SAME = 3  # other commands of one error that are named

_LOOKING = re.compile(
    r"(?:ls|ll|cat|head|tail|less|grep|rg|ag|fd|find|wc|which|type|file|stat|du|df|pwd|echo|printf|sleep|test"
    r"|\[|tree|sed -n|awk|diff|cmp|jq|ps|env|true|cd|open|code|history|date|whoami|uname"
    r"|git (?:status|diff|log|show|branch|remote|grep|blame|rev-parse|ls-files)"
    r"|gh (?:\w+ (?:view|list|status|diff)|auth status|search))(?:\s|$)"
)
_ONE_OFF = re.compile(r"<<|\s-(?:e|c|p)\s+[\"'$]|^(?:kill|pkill|rm|mkdir|touch|mv|cp|ln|chmod|sed)\s")
_GIT = re.compile(r"^git\s|&& git (?:add|commit|push)\b")  # what git did is in git
_DIRECTORY = re.compile(r"^cd\s+(\S+)\s*(?:&&|;)\s*")
_RUN = re.compile(r"(?:[^|\"']|\"(?:[^\"\\]|\\.)*\"|'[^']*'|\|\|)*", re.DOTALL)  # without what its output passed
_REDIRECTED = re.compile(r"\s*(?:2>&1)?\s*$")
_TAG = re.compile(r"^\s*<(\w+)>|</\w+>\s*$")
_ENVELOPE = re.compile(r"^\{.{0,300}?\"output\"\s*:\s*\"(?:\\n|\s)*|(?:\\n|\s)*\"\}+\s*$", re.DOTALL)
_SAYS_NOTHING = re.compile(
    r"\W*(?:(?:command|process|script)\s+)?(?:exit(?:ed)?(?:\s+with)?(?:\s+(?:code|status))?\W*\d+|errors?|failed)\W*",
    re.IGNORECASE,
)
_ABORTED = re.compile(r"\b(?:abort|cancel|interrupt)", re.IGNORECASE)


def blocker_lines(facts: Sequence[Fact]) -> tuple[list[str], int]:
    """Return a line for each of the newest errors that block, newest first, and how many there are."""
    groups: dict[str, list[Fact]] = {}
    for number, fact in enumerate(reversed(facts)):
        if _is_blocker(fact):
            groups.setdefault(_error(fact) or f"\n{number}", []).append(fact)
    return [_blocker(same) for same in list(groups.values())[:MOST_BLOCKERS]], len(groups)


def _error(fact: Fact) -> str:
    """What it failed with, bare; "" for nothing that says more than that it failed."""
    error = _ENVELOPE.sub("", _TAG.sub("", fact.detail)).strip()
    return "" if _SAYS_NOTHING.fullmatch(error) else error


def worked_lines(facts: Sequence[Fact]) -> list[str]:
    """Return a line for each of the newest commands that worked, newest first."""
    lines: list[str] = []
    for fact in reversed(facts):
        runs = _runs(fact) if fact.status == "ok" else ""
        found = _RUN.match(runs)
        runs = _REDIRECTED.sub("", found[0]) if found else runs
        if runs and not (_LOOKING.match(runs) or _ONE_OFF.search(runs) or _GIT.search(runs)):
            line = f"- {code(runs, COMMAND_CHARACTERS)}"
            lines += [line] if line not in lines else []
        if len(lines) == MOST_WORKED:
            break
    return lines


def _runs(fact: Fact) -> str:
    """What a shell command runs, without the directory it changed to first; "" for another tool's call."""
    by, _, argument = fact.key.partition("\n")
    return _DIRECTORY.sub("", argument) if by == SHELL else ""


def _is_blocker(fact: Fact) -> bool:
    """Whether a failure stands in the way. What a person stopped did not fail, nor what `cd` kept from running."""
    if fact.status != "failed" or _ABORTED.search(fact.detail[:40]) or is_lost(fact.detail):
        return False
    runs = _runs(fact)
    return not runs or not (_LOOKING.match(runs) or _ONE_OFF.search(runs))


def _blocker(same: Sequence[Fact]) -> str:
    """One line of those that failed with one error, newest first."""
    error = _error(same[0])
    quoted = f': "{one_line(error, ERROR_CHARACTERS)}"' if error else ""
    others = list(dict.fromkeys(map(_named, same[1:])))
    more = f", {len(others) - MOST_SAME} more" if len(others) > MOST_SAME else ""
    also = f" (so did {', '.join(others[:MOST_SAME])}{more})" if others else ""
    return f"- {_named(same[0])}{quoted}{also}"


def _named(fact: Fact) -> str:
    """The command, and where it ran."""
    directory = _DIRECTORY.match(fact.key.partition("\n")[2])
    name = directory[1].rstrip("/").rpartition("/")[2] if directory else ""
    place = f" in {one_line(name, DIRECTORY_CHARACTERS)}" if name else ""
    return f"{code(_runs(fact) or fact.text, COMMAND_CHARACTERS)}{place}"
