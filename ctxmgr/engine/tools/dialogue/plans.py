"""Turns a call that hands a plan to the user, and its result, into whether the user approved it.

1. A host's own sentence at the start of the result says so; without one nothing is known.
2. A plan is known by its heading, or its first line, and by the file that the host says it is in.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

TITLE_CHARACTERS = 120
PATH_CHARACTERS = 240

_APPROVED = re.compile(r"\s*(?:User has approved (?:your|the|exiting) plan|Plan approved\b)")
_REJECTED = re.compile(r"\s*Plan rejected\.(?: User feedback: (?P<said>.*?)(?:\n\n|\Z))?", re.DOTALL)
_STORED = re.compile(r"\b(?:saved to|stored at):[ \t]*(\S[^\n]*)")
_WHOLE = re.compile(r"^## Approved Plan[^\n]*:\s*\n", re.MULTILINE)
_MARK = re.compile(r"^[\s#>*_-]*")
_PATHS = ("planFilePath", "plan_path", "plan_filename")


class PlanAnswer(msgspec.Struct, frozen=True):
    """`title` and `path` of the plan, "" where nothing tells; `reason`: why it was rejected."""

    approved: bool
    title: str
    path: str
    reason: str = ""


def plan_answer(arguments: Mapping[str, Any], result: str) -> PlanAnswer | None:
    """What the result says of the plan; None for nothing."""
    approved, rejected = _APPROVED.match(result), _REJECTED.match(result)
    if not approved and not rejected:
        return None
    said = (rejected["said"] or "").strip() if rejected else ""
    return PlanAnswer(approved is not None, plan_title(arguments, result), _path(arguments, result), said)


def plan_title(arguments: Mapping[str, Any], result: str = "") -> str:
    """The heading of a plan, or its first line."""
    given = arguments.get("plan")
    whole = _WHOLE.search(result)
    text = given if isinstance(given, str) and given.strip() else result[whole.end() :] if whole else ""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    line = next((one for one in lines if one.startswith("#")), lines[0] if lines else "")
    return _MARK.sub("", line).strip()[:TITLE_CHARACTERS]


def _path(arguments: Mapping[str, Any], result: str) -> str:
    stored = _STORED.search(result)
    given = next((arguments[name] for name in _PATHS if isinstance(arguments.get(name), str)), "")
    return (stored[1].strip() if stored else given)[:PATH_CHARACTERS]
