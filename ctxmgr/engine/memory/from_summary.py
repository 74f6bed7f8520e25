"""Turns a compaction's or a branch's summary into facts.

Rules:
1. A compaction summary is cumulative: its facts have the listing "summary", and one fact in slot "listing" says
   when it was made. So a newer summary closes what it no longer lists, whichever is seen first.
2. A branch summary describes abandoned work: its facts have the source "branch" and keep nothing open. Only the
   goal's key differs, so that two branches do not hide each other.
3. Nothing is lost: what has no slot of its own is critical context, whole, with its heading as `detail`.
4. If a summary has no section for tasks, each checkbox in it is a task, in any section.
5. If one message states the same thing twice, the later statement counts (the part about the split turn comes
   second).
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import structs

from ctxmgr.engine.memory.command_log import commit_of_line, run_of_line
from ctxmgr.engine.memory.facts import TASK_KEY, Stamp, Statements, task_of_line
from ctxmgr.engine.memory.markdown import (
    ITEM_CHARACTERS,
    STATUS_OF_MARK,
    SectionItem,
    SummarySection,
    heading,
    sections_of,
)
from ctxmgr.engine.memory.scratchpad import without_scratchpad
from ctxmgr.engine.memory.sections import ITEMS, kind_of
from ctxmgr.engine.memory.user_words import request_of_line
from ctxmgr.engine.memory.wording import BULLET, FENCE, key_of, outside_fences, plain
from ctxmgr.model import expression
from ctxmgr.model.saved import Fact, Slot, Source

SUMMARY_LISTING = "summary"


def from_summary(
    text: str,
    *,
    kind: Literal["compaction", "branch"],
    stamp: Stamp,
) -> tuple[Fact, ...]:
    """The facts of one summary. A blank text gives none, so that a failed summary closes nothing."""
    if not without_scratchpad(text).strip():
        return ()
    into = _SummaryStatements(stamp, kind)
    if kind == "compaction":
        into.state("listing", SUMMARY_LISTING, "")
    sections = sections_of(text)
    for slot, texts in _singles(sections).items():
        if texts:
            into.state(slot, stamp.origin if kind == "branch" else "", "\n".join(texts))
    boxes_alone = not any(
        section.kind == "progress" or ITEMS.get(section.kind, ("context", ""))[0] == "task" for section in sections
    )
    for section in sections:
        for number, item in enumerate(section.items):
            _add_item(section, number, _without_boxes(item, into) if boxes_alone else item, into)
    return into.facts()


class _SummaryStatements(Statements):
    """The statements of one summary. All have one source; those of a compaction are in one listing."""

    def __init__(self, stamp: Stamp, kind: Literal["compaction", "branch"]) -> None:
        super().__init__(stamp)
        self._source: Source = "branch" if kind == "branch" else "summary"
        self._listing = "" if kind == "branch" else SUMMARY_LISTING

    def state(self, slot: Slot, key: str, text: str, status: str = "", detail: str = "") -> None:
        self.add(slot, key, text, self._source, status, detail, listing=self._listing)


def _singles(sections: tuple[SummarySection, ...]) -> dict[Slot, list[str]]:
    """The texts of the goal and of the current task. If there is a goal, the request of a split turn is the current
    task (`markdown`, rule 4).
    """
    goals = [item.text for part in sections if part.kind == "goal" and part.part == 0 for item in part.items]
    asked = [item.text for part in sections if part.kind == "goal" and part.part == 1 for item in part.items]
    current = [
        item.text
        for section in sorted(sections, key=lambda section: -section.part)
        if section.kind == "current"
        for item in section.items
    ]
    return {"goal": goals or asked, "current": (asked if goals else []) + current}


def _without_boxes(item: SectionItem, into: _SummaryStatements) -> SectionItem:
    """The item without its lines with checkboxes, which become tasks (rule 4). Checkboxes in code stay."""
    kept: list[str] = []
    for line, outside in outside_fences(item.text):
        bullet = BULLET.match(line) if outside and len(line) <= ITEM_CHARACTERS else None
        if bullet and bullet["box"] is not None:
            into.state("task", *task_of_line(line[bullet.end() :].strip()), STATUS_OF_MARK[bullet["box"]])
        else:
            kept.append(line)
    return SectionItem("\n".join(kept).strip(), item.mark)


def _add_item(section: SummarySection, number: int, item: SectionItem, into: _SummaryStatements) -> None:
    """Puts one item of a section into its slot."""
    kind, text = section.kind, item.text
    if kind in ("goal", "current") or not text:
        return
    if kind in ("read-files", "modified-files"):
        reading = kind == "read-files"
        path = plain(text)
        into.state("file", f"{'read' if reading else 'changed'}\n{path}", path, "read" if reading else "edited")
        return
    if kind == "progress" and item.mark:
        into.state("task", *task_of_line(text), item.mark)
        return
    slot, status = ITEMS.get(kind, ("context", ""))
    later_paragraph = kind == "step" and number > 0
    if slot == "context" or later_paragraph:
        into.state("context", key_of(text), text, detail="" if section.title == text else section.title)
    elif slot == "task":
        heading_kept = section.title if kind == "step" else _aside(section.title)
        into.state("task", *task_of_line(text), _status(status, item.mark), heading_kept)
    else:
        into.state(slot, key_of(text), text, detail=_aside(section.title))


def _aside(title: str) -> str:
    """The heading if it says more than its name ("Next Steps (WP14-WP20)"), to be kept with its items; otherwise
    "".
    """
    return title if "(" in title else ""


def _status(under: str, mark: str) -> str:
    """The status of a task, from its heading and its checkbox. An empty box only means not done."""
    if mark == "done" or not mark:
        return mark or under
    return "open" if under == "done" and mark == "open" else under if mark == "open" else mark


LATEST = "Latest request: "
ENDED = "The assistant said after #"
_DONE = "[x] "
_BLANKS = expression(r"\n(?:[^\S\n]*\n){2,}")


def carried_facts(previous: str | None) -> list[Fact]:
    """The facts of the previous summary, dated before any message. Empty without a summary."""
    if not previous or not previous.strip():
        return []
    # long runs of blank lines say nothing, and parsing them takes quadratic time
    text = _BLANKS.sub("\n\n", previous)
    facts: list[Fact] = []
    for fact in from_summary(text, kind="compaction", stamp=Stamp("", -1)):
        if fact.kind not in ("listing", "file"):
            facts += map(_read_back, _statements(fact))
    return [structs.replace(fact, listing="", order=position) for position, fact in enumerate(facts)]


def last_number(facts: list[Fact]) -> int:
    """The highest number of a user's message in these facts, or 0."""
    return max((fact.seq for fact in facts), default=0)


def _statements(fact: Fact) -> Iterator[Fact]:
    """One fact for each line of a list, unless the text contains code."""
    lines = fact.text.splitlines()
    if fact.kind == "goal":
        yield fact
        return
    if fact.kind == "current" and all(map(BULLET.match, lines)):
        for line in lines:
            text = _without_bullet(line)
            yield structs.replace(fact, kind="task", status="active", text=text, key=key_of(text))
        return
    if fact.kind == "current":
        fact = structs.replace(fact, kind="context", detail="Current Work")
    split = fact.kind == "context" and not any(map(FENCE.match, lines)) and any(map(BULLET.match, lines))
    for line in lines if split else [fact.text]:
        text = _without_bullet(line) if fact.kind == "context" and split else line.strip()
        if text and not text.startswith(LATEST):
            statement = _titled(fact, text) if fact.kind == "context" else text
            key = fact.key if fact.kind == "task" and fact.key.startswith(TASK_KEY) else key_of(statement)
            yield structs.replace(fact, text=statement, key=key, detail="")


def _without_bullet(line: str) -> str:
    """The text of a list item, with its checkbox."""
    bullet = BULLET.match(line)
    return (line[bullet.end("sign") :] if bullet else line).strip()


def _read_back(fact: Fact) -> Fact:
    """Parses a line that ctxmgr wrote. Any other fact is returned unchanged."""
    if fact.kind == "goal":
        return fact
    if fact.kind == "context" and fact.text.startswith(_DONE):
        key, text = task_of_line(fact.text.removeprefix(_DONE))
        return structs.replace(fact, kind="task", status="done", key=key, text=text)
    return request_of_line(fact) or commit_of_line(fact) or run_of_line(fact) or fact


def _titled(fact: Fact, text: str) -> str:
    """The text with the heading of its section, if the heading says more than that this is context."""
    line = structs.replace(fact, text=text)
    if text.startswith((ENDED, _DONE)) or _read_back(line) is not line:
        return text
    name = fact.detail.rstrip(" :")
    if not name or heading(f"1. {name}:") or kind_of(name) or text.startswith(name):
        return text
    return f"{name}:\n{text}" if FENCE.match(text) else f"{name}: {text}"
