"""Turns the previous summary into statements that are carried on, and knows our own lines again.

Rules:
1. What stands under a known heading keeps its kind, what does not is a note, paragraph by paragraph with its
   title. Nothing is doubled: the same words are one statement.
2. Our own lines carry labels where their section does not tell what they are; reading them back gives the same
   statements. So writing what was read gives the same text, and a chain does not grow.
3. A statement is put on one line. Only a code fence keeps its lines, indented so that no line of it can be read
   as a heading; it is closed where it was not.
"""

import re
from itertools import pairwise

import msgspec

from ctxmgr.engine.extract_summary import from_summary
from ctxmgr.engine.headings import kind_of
from ctxmgr.engine.packet_text import one_line
from ctxmgr.engine.sections import CONTINUE_LEAD, parse
from ctxmgr.engine.wording import FENCE, key_of
from ctxmgr.model.facts import Fact, Slot

MOST_CHARACTERS = 4_000  # of one carried statement; a longer paragraph is a pasted document
TITLE_CHARACTERS = 80
JOINED_CHARACTERS = 600  # statements under one unknown heading stand on one line up to here
INDENT = "    "  # four: a heading has at most three

LATEST = "Latest request: "
FILES = "Files worked on most: "
NAMES = "Named often: "
RAN = "Commands that worked: "
ASKED = "Asked: "
FAILED = "Failed: "
CONSTRAINT = "Constraint: "
DECIDED = "Decided: "
DONE = "Done: "
BLOCKED = "Blocked: "
NOW = "Now: "
CODE = "Code:"
CONTINUE = CONTINUE_LEAD

_TITLES = frozenset(
    [
        "key technical concepts",
        "files and code sections",
        "errors and fixes",
        "problem solving",
        "all user messages",
    ]
)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~>/]?\]\s+)?(?=\S)")
_LED_ITEM = re.compile(r"(?<=\w): [-*•] (?=\S)")
_TABLE_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_RULED = re.compile(r"^\s*\|[\s:|-]+\|\s*$")
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
LABELS = (LATEST, FILES, NAMES, RAN, FAILED, *_RELABELLED)


class Carried(msgspec.Struct):
    """What a previous summary says. `facts` are older than any message. `latest` is its newest request.

    `files` maps a path to (changed, read); `failed` are our lines on what failed before; `split` is the request
    of a turn that was cut, `title` the unknown heading that the last note stood under.
    """

    facts: list[Fact] = []
    latest: str = ""
    split: str = ""
    files: dict[str, tuple[int, int]] = {}
    names: list[str] = []
    ran: list[str] = []
    failed: list[str] = []
    title: str = ""


def read(previous: str | None, age: int = -1) -> Carried:
    """Read a summary; `age` is the time its statements get, below that of all messages."""
    carried = Carried()
    if not previous or not previous.strip():
        return carried
    carried.split = next(
        (flat(item.text) for part in parse(previous) if part.part and part.kind == "goal" for item in part.items),
        "",
    )
    facts = from_summary(previous, kind="compaction", origin="", at=age, seq=0, entry=None)
    for fact in facts:
        if fact.slot in ("listing", "file"):
            continue
        for text in _statements(fact):
            _take(fact, text, carried)
    return carried


def flat(text: str) -> str:
    """A statement on one line, cleaned until cleaning changes nothing; a table as its rows."""
    if "|" in text and "\n" in text:
        text = "\n".join(_row(line) for line in text.splitlines() if not _RULED.match(line))
    for _ in range(4):
        cleaned = _LED_ITEM.sub(": ", one_line(text, MOST_CHARACTERS))
        if cleaned == text:
            break
        text = cleaned
    return text


def _row(line: str) -> str:
    """A table's row as a list item; any other line as it is."""
    row = _TABLE_ROW.match(line)
    return f"- {', '.join(cell.strip() for cell in row[1].split('|'))}" if row else line


def _statements(fact: Fact) -> list[str]:
    """The statements in one fact: its items where it is a list, its labelled lines apart, else its text."""
    if fact.slot in ("goal", "current"):
        return _lines(fact.text)
    parts = _items(fact.text) if fact.slot == "context" else [fact.text]
    return [block(part) if _has_fence(part) else part for part in parts]


def _has_fence(text: str) -> bool:
    return any(FENCE.match(line) for line in text.splitlines())


def _items(text: str) -> list[str]:
    """A paragraph's list items at its outer level, fences whole; the paragraph where it is no list, or where its
    first line introduces the list."""
    lines, marks, fence = text.splitlines(), list[int](), ""
    for number, line in enumerate(lines):
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif _BULLET.match(line):
            marks.append(number)
    if not marks:
        return [text]
    outer = min(_indent(lines[number]) for number in marks)
    starts = [number for number in marks if _indent(lines[number]) <= outer]
    before = "\n".join(lines[: starts[0]]).strip()
    if before.endswith(":"):
        return [text]
    bounds = [*starts, len(lines)]
    parts = ["\n".join(lines[start:end]) for start, end in pairwise(bounds)]
    return [*([before] if before else []), *(_BULLET.sub("", part, count=1) for part in parts)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines(text: str) -> list[str]:
    """A goal's own lines as one text, and our labelled lines beside it."""
    own: list[str] = []
    labelled: list[str] = []
    for line in text.splitlines():
        bare = _BULLET.sub("", line)
        (labelled if bare.startswith((LATEST, *_RELABELLED)) else own).append(line)
    return [*(["\n".join(own)] if own else []), *(_BULLET.sub("", line) for line in labelled)]


def block(text: str) -> str:
    """A statement with a code fence: its lines without the indentation they share in the fence, fence closed. A
    line of words comes first: a fence after a bullet would be none."""
    out: list[str] = []
    inside: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = FENCE.match(line)
        if fence and mark and mark[1].startswith(fence):
            out += [*_dedented(inside), fence]
            inside, fence = [], ""
        elif fence:
            inside.append(line.rstrip())
        elif mark:
            fence = mark[1]
            out.append(line.strip())
        elif line.strip():
            out.append(flat(line))
    if fence:
        out += [*_dedented(inside), fence]
    return "\n".join(out if out and not FENCE.match(out[0]) else [CODE, *out])


def _dedented(lines: list[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    least = min(indents, default=0)
    return [line[least:] for line in lines]


def _take(fact: Fact, text: str, carried: Carried) -> None:
    """Put one statement where it belongs: our labels first, then the fact's own slot."""
    fenced = _has_fence(text)
    if not fenced:
        text = flat(text)
    if not text or text == CONTINUE or (fact.slot == "context" and text.casefold() in _TITLES):
        return
    if fact.slot == "context" and _counted(text, carried):
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
    carried.facts.append(
        msgspec.structs.replace(
            fact, slot=slot, status=status, text=text, key=key, detail="", listing="", place=place
        )
    )


def _counted(text: str, carried: Carried) -> bool:
    """Read one of our lines that hold several things; whether it is one."""
    if text.startswith(FILES):
        for path, changed, seen in _ENTRY.findall(text.removeprefix(FILES)):
            carried.files.setdefault(path, (int(changed or 0), int(seen or 0)))
    elif text.startswith(NAMES):
        carried.names += [name for name in _CODE.findall(text) if name not in carried.names]
    elif text.startswith(RAN):
        carried.ran += [name for name in _CODE.findall(text) if name not in carried.ran]
    elif text.startswith(FAILED):
        failed = text.removeprefix(FAILED)
        carried.failed += [failed] if failed not in carried.failed else []
    else:
        return False
    return True


def _title(title: str) -> str:
    """The heading a note stood under, unless that says only what kind of section it was."""
    name = flat(title)[:TITLE_CHARACTERS].rstrip(" :")
    return "" if name.casefold() in _TITLES or kind_of(name) == "context" else name
