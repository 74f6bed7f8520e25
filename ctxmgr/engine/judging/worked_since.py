"""Finds the later run that shows a failed one to work, by itself or as a part of a line all of which worked; and
checks that fail nowhere."""

import re
from collections.abc import Sequence

from ctxmgr.engine.stating import bare_command
from ctxmgr.engine.tools import is_checking, scopes_of
from ctxmgr.model.saved import Fact

_AND = re.compile(r"\s+&&\s+")
_MAY_FAIL = re.compile(r"\|\||[;\n\"']")  # a part of such a line may have failed, or be no part


def worked_since(failed: Fact, commands: Sequence[Fact]) -> Fact | None:
    """The newest that worked after this and was of all that its last check was of; None where it did not fail, or
    a run of that ended otherwise since. `commands`: oldest first."""
    subject = failed.runs.rpartition("\n")[2]
    if failed.status != "failed" or not is_checking(subject):
        return None
    aim = next((one for one in reversed(scopes_of(failed.text)) if one.subject == subject), None)
    for fact in reversed(commands):
        if aim is None or _when(fact) <= _when(failed):
            return None
        if subject not in fact.runs.split("\n"):
            continue
        if fact.status != "ok":
            return None
        if any(one.subject == subject and one.shows(aim) for one in scopes_of(fact.text)):
            return fact
    return None


def standing(commands: Sequence[Fact]) -> list[Fact]:
    """Without failures that a later run shows to work."""
    return [fact for fact in commands if worked_since(fact, commands) is None]


def never_failing(commands: Sequence[Fact]) -> dict[str, Fact]:
    """The newest run of each check, by its bare words, of which none stands failed in whatever directory, nor any
    run of its program."""
    left = standing(commands)
    failing = {run for one in left if one.status != "ok" for run in one.runs.split("\n")}
    return {
        bare_command(part): one
        for one in left
        if one.status == "ok" and all(is_checking(run) and run not in failing for run in one.runs.split("\n"))
        for part in (one.text, *(_AND.split(one.text) if not _MAY_FAIL.search(one.text) else ()))
    }


def _when(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order
