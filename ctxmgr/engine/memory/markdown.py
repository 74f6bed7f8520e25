"""Parses a summary in Markdown: its headings, its sections with whole items, and checklists.

Rules:
1. Nothing is lost: every word is in a section's title or item. Only these are omitted: the wrapper that a host puts
   around a summary, the writer's analysis before it, horizontal rules, statements of emptiness, and a scratchpad.
   The scratchpad is kept separately, and the one in a summary may be out of date.
2. A heading is recognised by its mark (`##`, `1.` of the nine, bold, a colon) and by its name. Inside a code fence
   nothing is a heading. The table in `sections` defines the names.
3. A known heading below another known one counts by its own name (Progress / Done). An unknown one belongs to the
   known one above it: as an item of a list (Next Steps / WP14), as context under prose (Goal).
4. After the split marker comes a second summary, of the turn that was cut (part 1). Its goal is the request of that
   turn.
5. Checklist items in code fences and in quoted lines are examples, not tasks. A tool's text is data and is not read
   for checklists.

Formats seen: pi's (Goal, Constraints & Preferences, Progress, ...), Claude Code's nine sections, and free ones that
models write instead.
"""

import re
from typing import Literal

import msgspec

from ctxmgr.engine.memory.scratchpad import without_scratchpad
from ctxmgr.engine.memory.sections import (
    BARE,
    ITEMS,
    NUMBERED,
    HeadingKind,
    SectionKind,
    kind_of,
    without_aside,
)
from ctxmgr.engine.memory.wording import BULLET, FENCE, fence_after, outside_fences
from ctxmgr.model import expression

NUMBERED_LEVEL = 2  # `1. Primary Request and Intent:` has the level of `##`
HEADING_CHARACTERS = 200  # a longer line is prose
MOST_LEVEL = 7  # bold and plain headings are deeper than any `#`

_HASHED = expression(r"^ {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$")
_UNHASHED = tuple(  # headings without `#`: the pattern, the names that count with it, the level
    (expression(pattern), names, level)
    for pattern, names, level in (
        (
            r"^ {0,3}(?:\*\*)?\d{1,2}[.)]\s+(?:\*\*)?([^:*\n]{3,60}?)(?::\*\*|\*\*:?|:)\s*(.*)$",
            NUMBERED,
            NUMBERED_LEVEL,
        ),
        (r"^ {0,3}(?:\*\*|__)([^*\n]{3,60}?)(?::(?:\*\*|__)|(?:\*\*|__):?)\s*(.*)$", BARE, MOST_LEVEL),
        (r"^([A-Z][A-Za-z &]{3,40}):\s*(.*)$", BARE, MOST_LEVEL),
    )
)
_NUMBER = expression(r"^(?:\d{1,2}[.)]|[^\w\s(<\"'`*]+)\s+")


class Heading(msgspec.Struct, frozen=True):
    """`text` is the heading as written, `rest` the text after it on the same line. `kind` is "" if unknown."""

    level: int
    text: str
    rest: str
    kind: HeadingKind


def heading(line: str) -> Heading | None:
    """Parses one line outside code fences as a heading. Returns None if it is none."""
    if len(line) > HEADING_CHARACTERS:
        return None
    match = _HASHED.match(line)
    if match:
        return _hashed(len(match[1]), match[2])
    for pattern, names, level in _UNHASHED:
        match = pattern.match(line)
        name = match[1].strip().casefold() if match else ""
        if match and (name in names or without_aside(name) in names):
            return Heading(level, match[1].strip(), match[2].strip(), kind_of(name) or "context")
    return None


def _hashed(level: int, text: str) -> Heading:
    """A heading with `#`. `Current Task: File Reorganization` is a known name with text after it."""
    text = _NUMBER.sub("", text.replace("**", "").strip()).rstrip(" :")
    kind = kind_of(text)
    if kind:
        return Heading(level, text, "", kind)
    name, colon, rest = text.partition(":")
    kind = kind_of(name) if colon else ""
    return Heading(level, name.strip(), rest.strip(), kind) if kind else Heading(level, text, "", "")


STATUS_OF_MARK = {" ": "open", "": "open", "x": "done", "X": "done", "✓": "done", "✔": "done", "✅": "done"}
STATUS_OF_MARK |= {"~": "active", ">": "active", "/": "active"}
ITEM_CHARACTERS = 500  # a longer line is pasted text, not a task

Kind = SectionKind | Literal["read-files", "modified-files"]

LONG_BLOCK_CHARACTERS = 400  # two thirds of what a resume packet shows of one item of critical context

_EMPTY = expression(
    r"(?:[-*+•\s]*(?:\[ ?\]\s*)?\(?_*(?:none|n/?a|nothing|no prior history|\.\.\.)_*\.?\)?\.?"
    r"|-{3,}|\*{3,}|_{3,})?",
    re.IGNORECASE,
)
_FILES_OPEN: dict[str, Kind] = {"<read-files>": "read-files", "<modified-files>": "modified-files"}
_FILES_CLOSE = ("</read-files>", "</modified-files>")
# The analysis comes first, in tags or (as hosts store it) under a line of its own.
_ANALYSIS = expression(
    r"\A(?:<analysis>.*?</analysis>|Analysis:\s*$.*?^Summary:\s*$)", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_TAG_LINE = expression(r"^[^\S\n]*</?summary>[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
# what ctxmgr itself puts before a branch summary, and before summaries of these formats
BRANCH_LEAD = "What follows happened on a branch of this session that was left; work went on from an earlier point."
HANDOFF_LEAD = (
    "Notes from a model that worked on this before you. Build on what is done, and do not do it a second time."
)
CONTINUE_LEAD = "Go on with the work below. It was cut off here: nothing of it has to be asked for or done again."
# above what ctxmgr adds because a model's summary lacks it; the headings below say what it is
ADDED_HEADING = "## Added by ctxmgr (known, and not said above)"
_WRAPPERS = (
    CONTINUE_LEAD,
    BRANCH_LEAD,
    HANDOFF_LEAD,
    "The user explored a different conversation branch before returning here.",
    "Summary of that exploration:",
    "This session is being continued from a previous conversation that ran out of context.",
    "The summary below covers the earlier portion of the conversation.",
    "The conversation is summarized below:",
    "Please continue the conversation from where we left it off without asking the user any further questions.",
    "Continue with the last task that you were asked to work on.",
)


class SectionItem(msgspec.Struct, frozen=True):
    """One whole statement. `mark` is a checkbox's "open", "active" or "done", "" without a checkbox."""

    text: str
    mark: str = ""


class SummarySection(msgspec.Struct, frozen=True):
    """The items under one heading. `title` is "" before the first heading. `part` is 1 after the split marker."""

    kind: Kind
    title: str
    items: tuple[SectionItem, ...]
    part: int = 0


class _Open(msgspec.Struct):
    """A section while its lines are parsed. `lead` is an unknown heading that its text belongs to."""

    kind: Kind
    title: str
    part: int
    lead: str = ""
    lines: list[str] = []


def sections_of(text: str) -> tuple[SummarySection, ...]:
    """Splits a summary into its sections, in their order. Sections without any statement are omitted."""
    return tuple(section for section in map(_close, _split(_unwrap(without_scratchpad(text)))) if section.items)


def _unwrap(text: str) -> str:
    """Removes the host's wrapper and the analysis. If nothing else is there, the analysis is the summary."""
    body, before = text.strip(), ""
    while body != before:
        before = body
        for wrapper in _WRAPPERS:
            body = body.removeprefix(wrapper).lstrip().removesuffix(wrapper).rstrip()
    kept = _TAG_LINE.sub("", _ANALYSIS.sub("", body)).strip()
    return kept or _TAG_LINE.sub("", body).strip()


def _split(text: str) -> list[_Open]:
    """Sorts lines into open sections. Handles fences, file blocks, the split marker and nested headings."""
    sections = [_Open("context", "", 0)]
    above: list[tuple[int, Kind]] = []
    part, fence, files = 0, "", False
    for line in text.splitlines():
        mark = FENCE.match(line)
        block = None if fence else _FILES_OPEN.get(line.strip())
        title = None if fence or files or mark or block else heading(line)
        if block:
            files = True
            sections.append(_Open(block, "", part))
        elif files and line.strip() in _FILES_CLOSE:
            files = False
            sections.append(_Open("context", "", part))
        elif title and title.kind == "split":
            part, above = 1, []
            sections.append(_Open("context", "", 1))
        elif title:
            sections.append(_under(title, above, part))
        else:
            fence = fence if files else fence_after(fence, line)
            sections[-1].lines.append(line)
    return sections


def _under(title: Heading, above: list[tuple[int, Kind]], part: int) -> _Open:
    """Opens the section of a heading, given the known headings above it (rule 3). Updates `above`."""
    while above and above[-1][0] >= title.level:
        above.pop()
    parent: Kind = above[-1][1] if above else "context"
    lines = [title.rest] if title.rest else []
    if title.kind and title.kind != "split":
        above.append((title.level, title.kind))
        return _Open(title.kind, title.text, part, lines=lines)
    if parent in ITEMS:
        return _Open(parent, title.text, part, lead=title.text, lines=lines)
    return _Open("context", title.text, part, lines=lines or [])


def _close(section: _Open) -> SummarySection:
    kind, lines = section.kind, section.lines
    if kind in ("read-files", "modified-files"):
        items = [SectionItem(line.strip()) for line in lines if line.strip()]
    elif section.lead:
        body = _whole(lines)
        items = [SectionItem(f"{section.lead}: {body}" if body else section.lead)]
    elif kind in ("goal", "current"):
        items = [SectionItem(text)] if (text := _whole(lines)) else []
    elif kind != "step" and (kind in ITEMS or kind == "progress"):
        items = _items(lines)
    else:
        # in a next step, the first paragraph is the step itself
        items = [SectionItem(text) for text in _paragraphs(lines)]
    bare = not items and section.title and f"## {section.title}" != ADDED_HEADING
    if bare and ("(" in section.title or not kind_of(section.title)):
        # an unknown title, or `Next Steps (WP14-WP20)`, says something even with nothing below it
        return SummarySection("context", section.title, (SectionItem(section.title),), section.part)
    return SummarySection(kind, section.title, tuple(items), section.part)


def _says_something(text: str) -> bool:
    return _EMPTY.fullmatch(text.strip()) is None


def _whole(lines: list[str]) -> str:
    return "\n".join(line.rstrip() for line in lines if _says_something(line)).strip()


def _items(lines: list[str]) -> list[SectionItem]:
    """Splits lines into list items and paragraphs. Indented lines belong to the item above them."""
    items: list[tuple[str, list[str]]] = []
    indent: int | None = None
    gap = False
    for line, outside in outside_fences("\n".join(lines)):
        if not outside:
            if not items:
                items.append(("", []))
            items[-1][1].append(line.strip() if FENCE.match(line) else line)
            continue
        if not _says_something(line):
            gap = True
            continue
        bullet = BULLET.match(line)
        if bullet and (indent is None or len(bullet["indent"]) <= indent or bullet["box"] is not None):
            indent = len(bullet["indent"])
            box = STATUS_OF_MARK[bullet["box"]] if bullet["box"] is not None else ""
            items.append((box, [line[bullet.end() :].strip()]))
        elif items and not (gap and (indent is None or not line[0].isspace())):
            items[-1][1].append(line.strip())
        else:
            indent = None
            items.append(("", [line.strip()]))
        gap = False
    return [SectionItem("\n".join(parts).strip(), box) for box, parts in items if _says_something("\n".join(parts))]


def _paragraphs(lines: list[str]) -> list[str]:
    """Splits lines at blank ones outside fences. A long list is split into its items, so that none is cut off."""
    blocks: list[list[str]] = [[]]
    for line, outside in outside_fences("\n".join(lines)):
        if not outside or _says_something(line):
            blocks[-1].append(line.rstrip())
        elif blocks[-1]:
            blocks.append([])
    paragraphs: list[str] = []
    for block in blocks:
        text = "\n".join(block).strip()
        if len(text) > LONG_BLOCK_CHARACTERS and any(BULLET.match(line) for line in block):
            paragraphs.extend(item.text for item in _items(block))
        elif _says_something(text):
            paragraphs.append(text)
    return paragraphs
