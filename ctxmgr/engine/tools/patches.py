"""Turns the text of a patch into the files it changes, and shortens it: as `apply_patch` takes one, or as `diff -u`
writes it.

*** Begin Patch                 --- a/src/a.py
*** Update File: src/a.py       +++ b/src/a.py
@@ def f():                     @@ -3,1 +3,1 @@ def f():
-    old                        -    old
+    new                        +    new
*** End Patch
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Literal

import msgspec

from ctxmgr.model import expression

Verb = Literal["Add", "Update", "Delete"]
BEGIN = "*** Begin Patch"

_FILE = expression(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_MOVED = expression(r"^\*\*\* Move to: (.+)$", re.MULTILINE)
_UNIFIED = expression(r"^--- (\S.*)\n\+\+\+ (\S.*)$", re.MULTILINE)
_BEFORE_UNIFIED = 2_000  # characters: of a mail or a commit that stands before its patch
_HEADS = ("*** ", "@@", "--- ", "+++ ", "diff ")


class Section(msgspec.Struct, frozen=True, gc=False):
    """What a patch does to one file. `moved`: its new path."""

    verb: Verb
    path: str
    moved: str = ""


def is_patch(text: str) -> bool:
    """Whether it is a patch, with nothing before it but what a tool writes there."""
    return text.lstrip().startswith(BEGIN) or _is_unified(text)


def _is_unified(text: str) -> bool:
    if not text.lstrip().startswith(("--- ", "diff ", "Index: ")):
        return False
    return _UNIFIED.search(text, 0, _BEFORE_UNIFIED) is not None


def sections(text: str) -> tuple[Section, ...]:
    """One per file, in order; none if no file is named."""
    if _is_unified(text):
        return tuple(map(_of_unified, _UNIFIED.finditer(text)))
    heads = list(_FILE.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    moves = [_MOVED.search(text, head.end(), end) for head, end in zip(heads, ends, strict=False)]
    return tuple(
        Section(head[1], head[2].strip(), moved[1].strip() if moved else "")  # type: ignore[arg-type]
        for head, moved in zip(heads, moves, strict=True)
    )


def added(text: str) -> Iterator[tuple[str, str]]:
    """(path, whole text) of each file that a patch of `apply_patch` adds."""
    for path, lines in _lines(text, "Add"):
        yield path, "\n".join(line[1:] for line in lines if line.startswith("+"))


def updated(text: str, old: str, path: Callable[[str], bool]) -> str:
    """A file with the text `old` after a patch of `apply_patch`; `old` if a hunk does not match. `path`: whether a
    name means the file.
    """
    new, position = f"\n{old}\n", 0
    for lines in (lines for name, lines in _lines(text, "Update") if path(name)):
        for hunk in _hunks(lines):
            before, after = ("\n".join(["", *_side(hunk, sign), ""]) for sign in "-+")
            position = new.find(before, position)
            if position < 0 or before == "\n":
                return old
            new = new[:position] + after + new[position + len(before) :]
            position += len(after) - 1
    return new[1:-1]


def _lines(text: str, verb: Verb) -> Iterator[tuple[str, list[str]]]:
    """(path, lines) of each section with this verb."""
    heads = list(_FILE.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        if head[1] == verb:
            yield head[2].strip(), text[head.end() + 1 : end].split("\n")


def _hunks(lines: Iterable[str]) -> Iterator[list[str]]:
    """The changed and unchanged lines of each hunk, with their signs."""
    for changes, hunk in groupby(lines, lambda line: line[:1] in ("+", "-", " ")):
        if changes:
            yield list(hunk)


def _side(hunk: Iterable[str], sign: str) -> list[str]:
    return [line[1:] for line in hunk if line[0] in (" ", sign)]


def _of_unified(head: re.Match[str]) -> Section:
    named = [name.partition("\t")[0].strip() for name in head.groups()]
    old, new = (name[2:] if name.startswith(("a/", "b/")) else name for name in named)
    if named[0] == "/dev/null":
        return Section("Add", new)
    return Section("Delete", old) if named[1] == "/dev/null" else Section("Update", old, new if new != old else "")


def shortened(text: str, marker: str) -> str:
    """The patch with only its file lines and the heads of its hunks; `marker` replaces the lines in each."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith(_HEADS):
            lines.append(line)
        elif not lines or lines[-1] != marker:
            lines.append(marker)
    return "\n".join(lines)
