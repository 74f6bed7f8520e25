"""Finds what a line states of commits and of files' changes in few words, and what shows the contrary.

Rules:
1. `git commit is still pending` is as good as a task to commit; that nothing was committed is untrue where one
   commit stands, whatever was changed since.
2. Where HEAD is told to be at another commit than the last one made, and nothing moved it since.
3. A file is told as changed that nothing names, or that was read alone, where nothing ran that may change files.
4. The line is this and no more.
"""

import re
from collections.abc import Callable, Sequence

from ctxmgr.engine.tools import is_checking
from ctxmgr.model.saved import Fact

_PENDING = re.compile(
    r"\W*(?:(?:the )?(?:git )?(?P<first>commit|push|merge)`?(?: (?:is|are))?(?: still)? (?:pending|outstanding"
    r"|to do|to be done|missing|open|left)"
    r"|(?:still )?(?:to do|todo|to be done|left|remaining|pending|open|outstanding)\W+(?:to )?(?:git )?"
    r"(?P<then>commit|push|merge)(?: (?:it|the changes?|the work|everything))?)\W*",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\W*(?:nothing (?:(?:has|was|is) )?(?:been )?(?:yet )?committed|no commits?(?: (?:has|have|was|were))?"
    r"(?: been)?(?: made)?)(?: (?:yet|so far))*\W*",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"\W*(?:the )?(?:current )?HEAD`?(?: (?:is|now|at))*[ :=`*(]+"
    r"(?=\d*[a-f])([\da-f]{7,40})\W*",
    re.IGNORECASE,
)
_MOVES_HEAD = re.compile(
    r"\bgit\b[^\n;&|]*\s(?:checkout|switch|pull|merge|rebase|cherry-pick|revert"
    r"|am|reset|commit)\b"
)
_PATH = r"`?(?P<{}>[\w@.~-]*(?:/[\w@.~-]+)+\.\w+)`?"
_CHANGED = r"(?:edited|changed|modified|updated|created|added|written|rewritten|deleted|removed|patched|fixed)"
_TOUCHED = re.compile(
    rf"\W*(?:{_CHANGED}\s+(?:the file )?{_PATH.format('one')}"
    rf"|{_PATH.format('other')}\s+(?:(?:was|is|has been|got)\s+)?{_CHANGED})\W*",
    re.IGNORECASE,
)
_KEEPS = ("git add", "git commit", "git push", "git status")


def pending(text: str) -> str:
    """What git is told still to do (rule 1): "commit", "push", "merge" or ""."""
    found = _PENDING.fullmatch(text)
    return (found["first"] or found["then"]).lower() if found else ""


def says_no_commit(text: str) -> bool:
    return _NOTHING.fullmatch(text) is not None


def untouched(
    text: str, facts: Sequence[Fact], was_read: Callable[[str], bool] | None
) -> tuple[str, str, str] | None:
    """(the kind of what is not so, of what, the note), by rules 2 and 3. `facts`: past and now, oldest first."""
    if last := _other_head(text, facts):
        return "git", last, f"the last commit is {last}"
    note = _unchanged(text, facts, was_read)
    return ("file", text, note) if note else None


def _other_head(text: str, facts: Sequence[Fact]) -> str:
    """The last commit made, where HEAD is told to be another; "" otherwise."""
    said = _HEAD.fullmatch(text)
    made = [fact for fact in facts if fact.slot == "value" and fact.key.startswith("committed\n")]
    if not said or not made or made[-1].status:
        return ""
    last, told = made[-1].key.partition("\n")[2].lower(), said[1].lower()
    since = [one for one in facts if one.slot == "command" and _when(one) > _when(made[-1])]
    moved = any(_MOVES_HEAD.search(one.text) for one in since)
    same = told.startswith(last) or last.startswith(told)
    return "" if moved or same else last


def _unchanged(text: str, facts: Sequence[Fact], was_read: Callable[[str], bool] | None) -> str:
    """Why a file is not changed that the line tells as changed; "" where it may be."""
    said = _TOUCHED.fullmatch(text)
    if not said:
        return ""
    path = (said["one"] or said["other"]).removeprefix("./")
    if was_read is not None and not was_read(path.lower()) and not was_read(path.lower().rpartition("/")[2]):
        return f"nothing names {path}"
    of_file = [one for one in facts if one.slot == "file" and _is_one(one.text, path)]
    ran = (run for one in facts if one.slot == "command" for run in one.runs.split("\n") if run)
    only_read = bool(of_file) and all(one.status == "read" for one in of_file)
    return "it was read, and nothing changed it" if only_read and all(map(_changes_nothing, ran)) else ""


def _changes_nothing(run: str) -> bool:
    return is_checking(run) or run in _KEEPS


def _is_one(known: str, path: str) -> bool:
    return known == path or known.endswith(f"/{path}") or path.endswith(f"/{known}")


def _when(fact: Fact) -> tuple[int, int]:
    return fact.time_ms, fact.seq
