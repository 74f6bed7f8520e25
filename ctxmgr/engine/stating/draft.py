"""Turns a summary into its lines, each with the kind of section that it stands in, and into the items they make."""

import re

import msgspec

from ctxmgr.engine.text import FENCE, HeadingKind, content_words, heading, words_of

_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[(?P<box>[ xX~>/]?)\]\s+)?")
_BREAKS = ("<", "---")  # a list of files, and a rule, are no part of an item
_ROW = "|"


class DraftItem(msgspec.Struct, frozen=True):
    """One statement: a bullet and the lines below it, a row of a table, or a paragraph. `first_line`: the place of
    its first line; `kind` of its section; `box`: what is in its box, None without one. `flat`: its words with a
    blank around each; `words`: those that say something. `folded`: the text in small letters."""

    first_line: int
    kind: HeadingKind
    box: str | None
    text: str
    flat: str
    words: frozenset[str]
    folded: str

    def names(self, words: str) -> bool:
        """Are these words in it, one after the other? Where they are of letters that no blanks part, anywhere."""
        return f" {words} " in self.flat or (not words.isascii() and words in self.flat)


class DraftLines(msgspec.Struct, frozen=True):
    """`fenced`: the places of lines in code, which nothing is written into. `folded`: all in small letters.
    `having`: the places of the items that have a word, by word. `flat`: the words of all items, a line each."""

    lines: tuple[str, ...]
    items: tuple[DraftItem, ...]
    fenced: frozenset[int]
    folded: str
    having: dict[str, list[int]]
    flat: str

    def items_naming(self, words: str) -> list[DraftItem]:
        """Those that have these words, one after the other; none for no words."""
        if not words or words not in self.flat:
            return []
        return [item for item in self.items if item.names(words)]


def draft_lines(text: str) -> DraftLines:
    lines = text.split("\n")
    items: list[DraftItem] = []
    fenced: set[int] = set()
    above: list[tuple[int, HeadingKind]] = []
    fence, first = "", -1
    for at, line in enumerate([*lines, ""]):
        mark = FENCE.match(line)
        in_code = bool(fence or mark)
        title = None if in_code else heading(line)
        starts = title is not None or not line.strip() or _begins(line)
        if first >= 0 and not in_code and starts:
            items.append(_item(first, lines[first:at], above[-1][1] if above else ""))
            first = -1
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        if in_code:
            fenced.add(at)
        if title is not None:
            _under(above, title.level, title.kind)
            first = at if title.rest else -1
        elif first < 0 and line.strip():
            first = at
    if first >= 0:
        items.append(_item(first, lines[first:], above[-1][1] if above else ""))
    having: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        for word in item.words:
            having.setdefault(word, []).append(at)
    flat = "\n".join(item.flat for item in items)
    return DraftLines(tuple(lines), tuple(items), frozenset(fenced), text.casefold(), having, flat)


def _begins(line: str) -> bool:
    return line.startswith(_BREAKS) or line.lstrip().startswith(_ROW) or bool(_ITEM.match(line))


def _under(above: list[tuple[int, HeadingKind]], level: int, kind: HeadingKind) -> None:
    """The heading opens a section; one that is not known is of the kind of the one above it."""
    while above and above[-1][0] >= level:
        above.pop()
    above.append((level, kind or (above[-1][1] if above else "")))


def _item(first: int, lines: list[str], kind: HeadingKind) -> DraftItem:
    begins = _ITEM.match(lines[0])
    box = begins["box"] if begins else None
    text = "\n".join(lines)
    said = text[begins.end() :] if begins else text
    return DraftItem(first, kind, box, said, f" {words_of(said)} ", content_words(said), said.casefold())
