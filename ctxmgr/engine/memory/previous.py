"""Turns a previous summary into the facts that are carried on.

Lines of our own are read back into what they tell: the user's messages by their numbers, checks and commits, so
that what happened since closes them as it would have. All else is carried as it stands, statement by statement.

What is numbered has that number in `seq`: of a check, the user's message that it came after.
"""

import re
from collections.abc import Iterator

from msgspec import structs

from ctxmgr.engine.memory import task_ids
from ctxmgr.engine.memory.from_summary import from_summary
from ctxmgr.engine.memory.headings import heading, kind_of
from ctxmgr.engine.memory.statements import Stamp
from ctxmgr.engine.memory.wording import FENCE, key_of
from ctxmgr.model.saved import Fact

LATEST = "Latest request: "
ENDED = "The assistant said after #"
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_USERS = re.compile(r'#(\d{1,6}): "(.*)"', re.DOTALL)
_RUN = re.compile(
    r"(?P<kind>[a-z]{2,12}): `(?P<line>[^`]+)`(?P<script> \(\d+ lines?, sha256 [0-9a-f]{8}\))?"
    r' (?P<ended>passed|failed|ran)(?: after #(?P<after>\d{1,6}))?(?:, outcome not shown|: "(?P<told>.*)")?'
)
_DONE = "[x] "
_COMMIT = re.compile(r'commit ([0-9a-f]{7,40}): "(.*)"')
_STATUSES = {"passed": "ok", "failed": "failed", "ran": "unknown"}
_BLANKS = re.compile(r"\n(?:[^\S\n]*\n){2,}")


def carried_facts(previous: str | None) -> list[Fact]:
    """The facts of a summary, older than any message; none without one."""
    if not previous or not previous.strip():
        return []
    text = _BLANKS.sub("\n\n", previous)  # runs of them say nothing, and cost the square of their length to read
    found: list[Fact] = []
    for fact in from_summary(text, kind="compaction", stamp=Stamp("", -1)):
        if fact.slot not in ("listing", "file"):
            found += map(_read_back, _statements(fact))
    return [structs.replace(fact, listing="", order=place) for place, fact in enumerate(found)]


def last_number(facts: list[Fact]) -> int:
    """Of the user's messages that such facts tell."""
    return max((fact.seq for fact in facts), default=0)


def _statements(fact: Fact) -> Iterator[Fact]:
    """One fact for each line of a list, but where a line is code."""
    lines = fact.text.splitlines()
    if fact.slot == "goal":
        yield fact
        return
    if fact.slot == "current" and all(map(_BULLET.match, lines)):
        for line in lines:
            text = _BULLET.sub("", line).strip()
            yield structs.replace(fact, slot="task", status="active", text=text, key=key_of(text))
        return
    if fact.slot == "current":
        fact = structs.replace(fact, slot="context", detail="Current Work")
    split = fact.slot == "context" and not any(map(FENCE.match, lines)) and any(map(_BULLET.match, lines))
    for line in lines if split else [fact.text]:
        text = _BULLET.sub("", line).strip() if fact.slot == "context" and split else line.strip()
        if text and not text.startswith(LATEST):
            told = _titled(fact, text) if fact.slot == "context" and not _is_ours(text) else text
            key = fact.key if fact.slot == "task" and fact.key.startswith(task_ids.KEY) else key_of(told)
            yield structs.replace(fact, text=told, key=key, detail="")


def _is_ours(text: str) -> bool:
    return text.startswith((ENDED, _DONE)) or any(one.fullmatch(text) for one in (_USERS, _RUN, _COMMIT))


def _read_back(fact: Fact) -> Fact:
    """What a line of ours tells; another fact as it is."""
    if fact.slot == "goal":
        return fact
    if fact.slot == "context" and fact.text.startswith(_DONE):
        key, text = task_ids.stated(fact.text.removeprefix(_DONE))
        return structs.replace(fact, slot="task", status="done", key=key, text=text)
    if said := _USERS.fullmatch(fact.text):
        return structs.replace(fact, slot="request", key=f"#{said[1]}", text=said[2], seq=int(said[1]), status="")
    if made := _COMMIT.fullmatch(fact.text):
        key, text = f"committed\n{made[1]}", f"{made[1]} {made[2]}"
        return structs.replace(fact, slot="value", key=key, text=text, status="")
    if run := _RUN.fullmatch(fact.text):
        line = run["line"] + (run["script"] or "")
        return structs.replace(
            fact,
            slot="command",
            key=f"{run['kind']}\n{line}",
            text=line,
            seq=int(run["after"] or 0),
            status=_STATUSES[run["ended"]],
            detail=run["told"] or "",
            runs=run["kind"],
        )
    return fact


def _titled(fact: Fact, text: str) -> str:
    """With the heading that a note stood under, where that says more than that it is context."""
    name = fact.detail.rstrip(" :")
    if not name or heading(f"1. {name}:") or kind_of(name) or text.startswith(name):
        return text
    return f"{name}:\n{text}" if FENCE.match(text) else f"{name}: {text}"
