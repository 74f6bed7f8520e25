"""Turns a fact that was read from a summary into its statements, each on one line; a code fence keeps its lines.

A statement's fence is indented by who writes it, so that no line of it can be read as a heading; it is closed where
it was not.
"""

import re
from itertools import pairwise

from ctxmgr.engine.text import FENCE, one_line
from ctxmgr.model.saved import Fact

MOST_CHARACTERS = 4_000  # of one carried statement; a longer paragraph is a pasted document
CODE = "Code:"

_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~>/]?\]\s+)?(?=\S)")
_LED_ITEM = re.compile(r"(?<=\w): [-*•] (?=\S)")
_TABLE_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_RULED = re.compile(r"^\s*\|[\s:|-]+\|\s*$")


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


def statements(fact: Fact, labels: tuple[str, ...]) -> list[str]:
    """The statements in one fact: its items where it is a list, lines with one of our labels apart, else its
    text."""
    if fact.slot in ("goal", "current"):
        return _lines(fact.text, labels)
    parts = _items(fact.text) if fact.slot == "context" else [fact.text]
    return [block(part) if has_fence(part) else part for part in parts]


def has_fence(text: str) -> bool:
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


def _lines(text: str, labels: tuple[str, ...]) -> list[str]:
    """A goal's own lines as one text, and our labelled lines beside it."""
    own: list[str] = []
    labelled: list[str] = []
    for line in text.splitlines():
        bare = _BULLET.sub("", line)
        (labelled if bare.startswith(labels) else own).append(line)
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
