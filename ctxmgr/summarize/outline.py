"""Splits a summary's text into its sections, and merges several summaries by their sections.

Rules:
1. Every line is in one section. A section starts at a heading that the ledger knows
   (`ctxmgr.engine.memory.headings`), at a heading of the shape, or at `#` and `##`, but not inside a code fence. A
   known heading under an unknown one (Backend / Done) is a different section from the same heading elsewhere.
2. Sections of the same title are merged, and a statement appears once in them: a second copy of a summary, or of a
   part of it, adds nothing.
3. Texts are merged oldest first. A statement that is done in a later text is not also open from an earlier one, and
   of singular content (the current work, the next step) the last one counts.
"""

import re
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.memory import Heading, HeadingKind, heading, key_of, outside_fences
from ctxmgr.model import expression
from ctxmgr.summarize.formats import Shape, key_of_title

OWN_LEVEL = 2  # unknown headings down to `##` are beside the known ones, deeper ones below them

_OPEN: frozenset[HeadingKind] = frozenset(("active", "next", "blocked"))
_ONE_AT_A_TIME: frozenset[HeadingKind] = frozenset(("current", "step"))
_BULLET = expression(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = expression(r"^\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(?:\[[ xX~>/]?\]\s+)?")
_BARE_NINE = expression(r"^ {0,3}(?:#{1,6}\s+)?(?:\*\*)?(\d[.)]\s+[A-Za-z ]{5,40}?)(?:\*\*)?:?(?:\*\*)?\s*$")
_NOTHING = expression(r"[-*+•\s]*\(?none\)?\.?\s*", re.IGNORECASE)


class OutlineSection(msgspec.Struct, frozen=True):
    """One section: its heading's line, "" before the first heading, and the lines below it."""

    key: str
    kind: HeadingKind
    line: str
    lines: tuple[str, ...]


class _Statement(msgspec.Struct):
    """A statement in its first wording, and the number of the last text that makes it."""

    text: str
    last: int


class _Gathered(msgspec.Struct):
    """A section during a merge."""

    kind: HeadingKind
    line: str
    statements: list[_Statement]


def outline_sections(text: str, shape: Shape) -> tuple[OutlineSection, ...]:
    """The sections of a summary, in order; the first has no heading and may be empty."""
    titles = frozenset(shape.titles)
    sections: list[tuple[str, HeadingKind, str, list[str]]] = [("", "", "", [])]
    above = ""
    for line, outside in outside_fences(text):
        start = _start(line, titles) if outside else None
        if start is None:
            sections[-1][3].append(line.rstrip())
            continue
        title, head = start
        key = key_of_title(title.text)
        if title.level <= OWN_LEVEL:
            unknown = title.level == OWN_LEVEL and not title.kind and key not in titles
            above = f"{key}/" if unknown else ""
        below = [f"   {title.rest}"] if title.rest else []
        sections.append((key if title.level <= OWN_LEVEL else above + key, title.kind, head, below))
    return tuple(OutlineSection(key, kind, line, tuple(lines)) for key, kind, line, lines in sections)


def first_section(text: str, shape: Shape) -> int:
    """The number of the line where the first section known to the shape starts; the number of lines if there is
    none.
    """
    own = frozenset(shape.titles)
    wanted = frozenset(kind for need in shape.needs for kind in need.kinds) - {"context"}
    number = -1
    for number, (line, outside) in enumerate(outside_fences(text)):
        start = _start(line, own) if outside else None
        if start and (key_of_title(start[0].text) in own or start[0].kind in wanted):
            return number
    return number + 1


def as_text(sections: Sequence[OutlineSection]) -> str:
    """The sections as one text, unchanged."""
    return "\n".join(line for part in sections for line in (*filter(None, (part.line,)), *part.lines)).strip("\n")


def _start(line: str, titles: frozenset[str]) -> tuple[Heading, str] | None:
    """The heading that starts a section at this line (rule 1), and the line without the text behind it."""
    opening = heading(line)
    if opening is None:
        bare = _BARE_NINE.match(line)  # `1. Primary Request and Intent` without its colon; the ledger requires one
        line = f"{bare[1]}:" if bare else line
        opening = heading(line) if bare else None
    if opening is None:
        return None
    known = opening.kind or key_of_title(opening.text) in titles
    if not known and not (opening.level <= OWN_LEVEL and line.lstrip().startswith("#")):
        return None
    head = line.rstrip()
    return opening, head[: -len(opening.rest)].rstrip() if opening.rest and head.endswith(opening.rest) else head


def undoubled(text: str, shape: Shape) -> str:
    """The text with sections of the same title merged; unchanged if no title repeats."""
    sections = outline_sections(text, shape)
    keys = [part.key for part in sections if part.line]
    return as_text(sections) if len(set(keys)) == len(keys) else together((text,), shape)


def together(texts: Sequence[str], shape: Shape) -> str:
    """Merges summaries by their sections, oldest first (rules 2 and 3)."""
    gathered: dict[str, _Gathered] = {}
    for number, text in enumerate(texts):
        started: set[str] = set()
        for part in outline_sections(text, shape):
            section = gathered.setdefault(part.key, _Gathered(part.kind, part.line, []))
            statements = statements_of(part.lines)
            if part.kind in _ONE_AT_A_TIME and statements and part.key not in started:
                section.statements = []
            started.add(part.key)
            _add(section, statements, number)
    _close(gathered)
    return "\n\n".join(_written(gathered[key]) for key in _in_order(gathered, shape))


def _add(section: _Gathered, statements: Sequence[str], number: int) -> None:
    """Adds what a section does not state yet. Within one text nothing is dropped: the same words may be under
    different headings.
    """
    known = {_sameness(statement.text): statement for statement in section.statements}
    for text in statements:
        same = known.get(_sameness(text))
        if same:
            same.last = number
        else:
            section.statements.append(_Statement(text, number))


def _in_order(gathered: dict[str, _Gathered], shape: Shape) -> list[str]:
    """The shape's own sections in its order, then the others in theirs; empty ones only as headings."""
    own = shape.titles
    ranks = {key: number for number, key in enumerate(own)}
    order = sorted(gathered, key=lambda key: ranks.get(key, len(own)) if key else -1)
    return [key for key in order if gathered[key].line or gathered[key].statements]


def _close(gathered: dict[str, _Gathered]) -> None:
    """Drops what was open before it was done, and "(none)" from sections with content (rule 3)."""
    done: dict[str, int] = {}
    for section in gathered.values():
        if section.kind == "done":
            done.update((_wording(statement.text), statement.last) for statement in section.statements)
    for section in gathered.values():
        if section.kind in _OPEN and section.statements:
            kept = [
                statement
                for statement in section.statements
                if statement.last >= done.get(_wording(statement.text), -1)
            ]
            section.statements = kept or [_Statement("- (none)", 0)]
        real = [statement for statement in section.statements if not _NOTHING.fullmatch(statement.text)]
        section.statements = real or section.statements[:1]


def statements_of(lines: Sequence[str]) -> list[str]:
    """The statements in a section's lines: a top-level bullet with everything below it, a paragraph, or a heading
    of its own with everything below it; code fences stay whole.
    """
    statements: list[list[str]] = []
    apart, indent, headed = True, -1, False
    for line, outside in outside_fences("\n".join(lines)):
        if outside and (title := heading(line)) and not title.kind:
            statements.append([line])
            apart, headed = False, True
            continue
        if headed:
            statements[-1].append(line)
            continue
        blank = outside and not line.strip()
        bullet = _BULLET.match(line) if outside else None
        top = bullet is not None and (indent < 0 or len(bullet[1]) <= indent)
        if blank:
            apart = True
            continue
        deeper = indent >= 0 and (line[:1].isspace() or not outside)
        if not statements or top or (apart and not deeper):
            statements.append([])
            indent = len(bullet[1]) if bullet else -1
        elif apart:
            statements[-1].append("")
        statements[-1].append(line)
        apart = False
    return ["\n".join(lines).rstrip() for lines in statements]


def _sameness(statement: str) -> str:
    return " ".join(_MARKS.sub("", statement).split()) or statement


def _wording(statement: str) -> str:
    return key_of(_MARKS.sub("", statement))


def _written(section: _Gathered) -> str:
    bodies = [statement.text for statement in section.statements]
    listed = all(_BULLET.match(body) for body in bodies)
    body = ("\n" if listed else "\n\n").join(_renumbered(bodies) if listed else bodies)
    return f"{section.line}\n{body}".strip("\n") if body else section.line


def _renumbered(bodies: list[str]) -> list[str]:
    """Renumbers a numbered list, which may come from several."""
    number = re.compile(r"^\s*\d{1,3}([.)])(?=\s)")
    if len(bodies) < 2 or not all(number.match(body) for body in bodies):
        return bodies
    return [number.sub(rf"{ordinal}\1", body, count=1) for ordinal, body in enumerate(bodies, 1)]


def section_kinds(text: str, shape: Shape) -> frozenset[HeadingKind]:
    """The kinds of sections that have a heading in this text."""
    return frozenset(part.kind for part in outline_sections(text, shape) if part.line)
