"""Turns a previous summary into the facts that are carried on.

Our own lines that are told anew with each summary are taken off: what was asked last, and how each kind of check
ended, where it ran since. All else is carried as it stands, statement by statement.
"""

import re
from collections.abc import Iterator

from msgspec import structs

from ctxmgr.engine.ledger import Stamp, from_summary, task_ids
from ctxmgr.engine.text import FENCE, key_of, kind_of
from ctxmgr.model.saved import Fact

LATEST = "Latest request: "
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_NUMBERED = re.compile(r"#(\d+)\b")
_BLANKS = re.compile(r"\n(?:[^\S\n]*\n){2,}")


def carried_facts(previous: str | None) -> list[Fact]:
    """The facts of a summary, older than any message; none without one."""
    if not previous or not previous.strip():
        return []
    text = _BLANKS.sub("\n\n", previous)  # runs of them say nothing, and cost the square of their length to read
    found: list[Fact] = []
    for fact in from_summary(text, kind="compaction", stamp=Stamp("", -1)):
        if fact.slot not in ("listing", "file"):
            found += _statements(fact)
    return [structs.replace(fact, listing="", order=place) for place, fact in enumerate(found)]


def last_number(facts: list[Fact]) -> int:
    """Of the user's messages that such facts tell."""
    told = (_NUMBERED.match(fact.text) for fact in facts if fact.slot in ("constraint", "request"))
    return max((int(one[1]) for one in told if one), default=0)


def _statements(fact: Fact) -> Iterator[Fact]:
    """One fact for each line of a list, but where a line is code."""
    lines = fact.text.splitlines()
    if fact.slot == "goal":
        text = "\n".join(line for line in lines if not line.startswith(LATEST)).strip()
        yield structs.replace(fact, text=text)
        return
    if fact.slot == "current":
        fact = structs.replace(fact, slot="context", detail="Current Work")
    split = fact.slot == "context" and not any(map(FENCE.match, lines)) and any(map(_BULLET.match, lines))
    for line in lines if split else [fact.text]:
        text = _BULLET.sub("", line).strip() if fact.slot == "context" and split else line.strip()
        if text and not text.startswith(LATEST):
            told = _titled(fact, text) if fact.slot == "context" else text
            key = fact.key if fact.slot == "task" and fact.key.startswith(task_ids.KEY) else key_of(told)
            yield structs.replace(fact, text=told, key=key, detail="")


def _titled(fact: Fact, text: str) -> str:
    """With the heading that a note stood under, where that says more than that it is context."""
    name = fact.detail.rstrip(" :")
    if not name or kind_of(name) or text.startswith(name):
        return text
    return f"{name}: {text}"
