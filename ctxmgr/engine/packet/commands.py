"""Turns command facts into lines: what failed when it was last tried, and what works here.

Commands that only look or wait, and scripts written for one run, are left out: their failing blocks nothing,
their working tells nothing.
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.ledger import ERROR_CHARACTERS, SHELL
from ctxmgr.engine.text import code, one_line
from ctxmgr.model.saved import Fact

COMMAND_CHARACTERS = 120
DIRECTORY_CHARACTERS = 60
MOST_BLOCKERS = 6
MOST_WORKED = 5

_LOOKING = re.compile(
    r"(?:ls|ll|cat|head|tail|less|grep|rg|ag|fd|find|wc|which|type|file|stat|du|df|pwd|echo|printf|sleep|test"
    r"|\[|tree|sed -n|awk|diff|cmp|jq|ps|env|true|cd|open|code|history|date|whoami|uname"
    r"|git (?:status|diff|log|show|branch|remote|grep|blame|rev-parse|ls-files))(?:\s|$)"
)
_ONE_OFF = re.compile(r"<<|\s-(?:e|c|p)\s+[\"'$]|^(?:kill|pkill|rm|mkdir|touch|mv|cp|ln|chmod|sed)\s")
_GIT = re.compile(r"^git\s|&& git (?:add|commit|push)\b")  # what git did is in git
_DIRECTORY = re.compile(r"^cd\s+(\S+)\s*(?:&&|;)\s*")
_PIPED = re.compile(r"\s*(?:2>&1\s*)?\|(?!\|).*$", re.DOTALL)  # what was looked at of its output
_ABORTED = re.compile(r"\b(?:abort|cancel|interrupt)", re.IGNORECASE)
_NOWHERE = re.compile(r"\bcd:(?:\d+:)? .*(?:no such file|not a directory)|\bcan't cd to\b", re.IGNORECASE)


def blocker_lines(facts: Sequence[Fact]) -> tuple[list[str], int]:
    """Return a line for each of the newest blockers, newest first, and how many there are."""
    failed = [fact for fact in reversed(facts) if _is_blocker(fact)]
    return [_blocker(fact) for fact in failed[:MOST_BLOCKERS]], len(failed)


def worked_lines(facts: Sequence[Fact]) -> list[str]:
    """Return a line for each of the newest commands that worked, newest first."""
    lines: list[str] = []
    for fact in reversed(facts):
        runs = _runs(fact) if fact.status == "ok" else ""
        runs = _PIPED.sub("", runs)
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
    if fact.status != "failed" or _ABORTED.search(fact.detail[:40]) or _NOWHERE.search(fact.detail):
        return False
    runs = _runs(fact)
    return not runs or not (_LOOKING.match(runs) or _ONE_OFF.search(runs))


def _blocker(fact: Fact) -> str:
    directory = _DIRECTORY.match(fact.key.partition("\n")[2])
    name = directory[1].rstrip("/").rpartition("/")[2] if directory else ""
    place = f" in {one_line(name, DIRECTORY_CHARACTERS)}" if name else ""
    quoted = f': "{one_line(fact.detail, ERROR_CHARACTERS)}"' if fact.detail else ""
    return f"- {code(_runs(fact) or fact.text, COMMAND_CHARACTERS)}{place}{quoted}"
