"""Turns the previous summary into statements that are carried on, and knows our own lines again.

Rules:
1. What stands under a known heading keeps its kind, what does not is a note, paragraph by paragraph with its
   title. Nothing is doubled: the same words are one statement.
2. Our own lines carry labels where their section does not tell what they are; reading them back gives the same
   statements. So writing what was read gives the same text, and a chain does not grow.
3. What the split turn's part said last is told until something new is said.
"""

import re

import msgspec

from ctxmgr.engine.extractive.collecting.pieces import CODE, flat, has_fence, statements
from ctxmgr.engine.ledger import Stamp, from_summary, task_ids
from ctxmgr.engine.text import CONTINUE_LEAD, key_of, kind_of, sections_of
from ctxmgr.model.saved import Fact, Slot

TITLE_CHARACTERS = 80
JOINED_CHARACTERS = 600  # statements under one unknown heading stand on one line up to here

LATEST = "Latest request: "
FILES = "Files worked on most: "
NAMES = "Named often: "
RAN = "Last run: "
WORKED = "Commands that worked: "  # as summaries of ours said it before
ASKED = "Asked: "
FAILED = "Failed: "
CONSTRAINT = "Constraint: "
DECIDED = "Decided: "
DONE = "Done: "
BLOCKED = "Blocked: "
NOW = "Now: "
LAST = "Last said: "
FOUND = "Found: "
PLANNED = "Planned earlier (check before doing it): "
LIKELY = "Planned earlier, likely done since (check): "
CONTINUE = CONTINUE_LEAD
ARROW = '" → '  # between a request and what it came to

_TITLES = frozenset(
    [
        "key technical concepts",
        "files and code sections",
        "errors and fixes",
        "problem solving",
        "all user messages",
    ]
)
_ENTRY = re.compile(r"`([^`\n]+)`(?: \((?:changed (\d+))?(?:, )?(?:read (\d+))?\))?")
_CODE = re.compile(r"`([^`\n]+)`")
_RELABELLED: dict[str, tuple[Slot, str]] = {
    CONSTRAINT: ("constraint", ""),
    DECIDED: ("decision", ""),
    DONE: ("task", "done"),
    BLOCKED: ("task", "blocked"),
    NOW: ("task", "active"),
    ASKED: ("request", ""),
}
LABELS = (LATEST, FILES, NAMES, RAN, WORKED, FAILED, LAST, FOUND, PLANNED, LIKELY, *_RELABELLED)
_BLANKS = re.compile(r"\n(?:[^\S\n]*\n){2,}")


class PreviousFacts(msgspec.Struct):
    """What a previous summary says. `facts` are older than any message. `latest` is its newest request.

    `files` maps a path to (changed, read); `failed` are our lines on what failed before, `ran` those on how other
    commands ended; `split` is the request of a turn that was cut, `last_statement` what was said last in it,
    `title` the unknown heading that the last note stood under. `findings`, `planned` and `likely` are our
    lines with these labels.
    """

    facts: list[Fact] = []
    latest: str = ""
    split: str = ""
    last_statement: str = ""
    files: dict[str, tuple[int, int]] = {}
    names: dict[str, None] = {}
    ran: dict[str, None] = {}
    failed: dict[str, None] = {}
    findings: dict[str, None] = {}
    planned: list[str] = []
    likely: list[str] = []
    title: str = ""


def read(previous: str | None, age: int = -1) -> PreviousFacts:
    """Read a summary; `age` is the time its statements get, below that of all messages."""
    carried = PreviousFacts()
    if not previous or not previous.strip():
        return carried
    previous = _BLANKS.sub(
        "\n\n", previous
    )  # runs of them say nothing, and cost the square of their length to read
    carried.split = next(
        (
            flat(item.text)
            for part in sections_of(previous)
            if part.part and part.kind == "goal"
            for item in part.items
        ),
        "",
    )
    facts = from_summary(previous, kind="compaction", stamp=Stamp("", age))
    for fact in facts:
        if fact.slot in ("listing", "file"):
            continue
        for text in statements(fact, (LATEST, LAST, *_RELABELLED)):
            _take(fact, text, carried)
    return carried


def _take(fact: Fact, text: str, carried: PreviousFacts) -> None:
    """Put one statement where it belongs: our labels first, then the fact's own slot."""
    fenced = has_fence(text)
    if not fenced:
        text = flat(text)
    if not text or text == CONTINUE or (fact.slot == "context" and text.casefold() in _TITLES):
        return
    if fact.slot == "context" and _counted(text, carried):
        return
    if not fenced and _labelled(text.removeprefix(NOW), carried):
        return
    if text.startswith(LATEST) and fact.slot in ("goal", "context", "current"):
        carried.latest = text.removeprefix(LATEST).strip('"')
        return
    slot, status, detail = fact.slot, fact.status, fact.detail
    for label, (other, state) in _RELABELLED.items():
        if text.startswith(label) and fact.slot in ("goal", "context", "request", "current"):
            slot, status, text, detail = other, state, text.removeprefix(label), ""
    if slot == "current":
        slot, status = "task", "active"
    if slot == "request":
        text = text.strip('"')
    name = _title(detail) if slot == "context" else ""
    joins, carried.title = name == carried.title and bool(name), "" if fenced else name
    if joins and len(text) + len(carried.facts[-1].text) < JOINED_CHARACTERS and not fenced:
        before = carried.facts[-1].text
        text = f"{before}{' ' if before[-1] in '.!?:' else '; '}{text}"
        carried.facts.pop()
    elif name and not text.startswith(name):
        body = text.removeprefix(CODE).lstrip("\n")
        text = f"{name}:\n{body}" if fenced else f"{name}: {text}"
    place = len(carried.facts)
    key = "" if slot == "goal" else key_of(text)
    if slot == "task":
        told = task_ids.stated(text)
        key, text = (fact.key, text) if fact.key.startswith(task_ids.KEY) else told
    carried.facts.append(
        msgspec.structs.replace(
            fact, slot=slot, status=status, text=text, key=key, detail="", listing="", order=place
        )
    )


def _counted(text: str, carried: PreviousFacts) -> bool:
    """Read one of our lines that hold several things; whether it is one."""
    if text.startswith(FILES):
        for path, changed, seen in _ENTRY.findall(text.removeprefix(FILES)):
            carried.files.setdefault(path, (int(changed or 0), int(seen or 0)))
    elif text.startswith(NAMES):
        carried.names.update(dict.fromkeys(_CODE.findall(text)))
    elif text.startswith(RAN):
        carried.ran[text.removeprefix(RAN)] = None
    elif text.startswith(WORKED):
        carried.ran.update({f"`{command}`: worked": None for command in reversed(_CODE.findall(text))})
    elif text.startswith(FAILED):
        carried.failed[text.removeprefix(FAILED)] = None
    else:
        return False
    return True


def _labelled(text: str, carried: PreviousFacts) -> bool:
    """Read one of our lines that says itself what it is, wherever it stands; whether it is one."""
    if text.startswith(LAST):
        carried.last_statement = text.removeprefix(LAST)
    elif text.startswith(FOUND):
        carried.findings[text.removeprefix(FOUND)] = None
    elif text.startswith(PLANNED):
        carried.planned.append(text.removeprefix(PLANNED))
    elif text.startswith(LIKELY):
        carried.likely.append(text.removeprefix(LIKELY))
    else:
        return False
    carried.title = ""
    return True


def _title(title: str) -> str:
    """The heading a note stood under, unless that says only what kind of section it was."""
    name = flat(title)[:TITLE_CHARACTERS].rstrip(" :")
    return "" if name.casefold() in _TITLES or kind_of(name) == "context" else name
