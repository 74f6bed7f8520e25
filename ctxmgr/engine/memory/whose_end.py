"""Turns how a command line ended into how one kind of check in it ended.

Rules:
1. A line that passed passed in all parts.
2. A line that failed failed in the check that it is about, where it runs nothing else that may fail: what goes to a
   directory, formats, or shows an output hardly does.
3. Else its tests failed where its output counts tests that did. Of other parts nobody knows: a commit without
   changes, a search without a hit or another check may have ended the line.
4. Tests failed that are counted so, whatever the status says.
"""

from ctxmgr.engine.tools import CallOutcome, RunReport, check_kind, scopes_of
from ctxmgr.engine.tools.shell import words_of

_BESIDE = words_of(
    "cd pushd popd source export set unset env echo printf mkdir touch sleep true tail head tee cat sort uniq"
    " gofmt black prettier rustfmt"
)
_FORMATS = frozenset(("cargo fmt", "go fmt", "ruff format", "mise format", "npm run format"))


def end_of_kind(kind: str, line: str, ended: CallOutcome, found: RunReport) -> CallOutcome:
    """`kind` of check in the line that ended so, and printed what was `found`."""
    counts_failed = any(number and word.endswith("failed") for number, word in found.counts)
    if kind == "test" and counts_failed and ended != "unknown":
        return "failed"
    return "unknown" if ended == "failed" and not _is_alone(kind, line) else ended


def _is_alone(kind: str, line: str) -> bool:
    """Rule 2."""
    subjects = {one.subject for one in scopes_of(line)}
    return all(check_kind(one) == kind or one in _FORMATS or one.partition(" ")[0] in _BESIDE for one in subjects)
