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
from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxmgr.engine.tools.paths import normal

Verb = Literal["Add", "Update", "Delete"]
BEGIN = "*** Begin Patch"

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_MOVED = re.compile(r"^\*\*\* Move to: (.+)$", re.MULTILINE)
_UNIFIED = re.compile(r"^--- (\S.*)\n\+\+\+ (\S.*)$", re.MULTILINE)
_BEFORE_UNIFIED = 2_000  # characters: of a mail or a commit that stands before its patch
_HEADS = ("*** ", "@@", "--- ", "+++ ", "diff ")


class Section(msgspec.Struct, frozen=True, gc=False):
    """What a patch does to one file. `moved`: its new path."""

    verb: Verb
    path: str
    moved: str = ""


def is_patch(text: str) -> bool:
    """Is it a patch, and nothing else before it than what a tool writes there?"""
    return text.lstrip().startswith(BEGIN) or _is_unified(text)


def _is_unified(text: str) -> bool:
    if not text.lstrip().startswith(("--- ", "diff ", "Index: ")):
        return False
    return _UNIFIED.search(text, 0, _BEFORE_UNIFIED) is not None


def sections(text: str) -> tuple[Section, ...]:
    """One a file, in order; none where no file is named."""
    return tuple(section for section, _ in _parts(text))


def _parts(text: str) -> Iterator[tuple[Section, str]]:
    """Each section with its lines."""
    unified = _is_unified(text)
    heads = list((_UNIFIED if unified else _FILE).finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=False):
        body = text[head.end() : end]
        yield _of_unified(head) if unified else _section(head, body), body


def _section(head: re.Match[str], body: str) -> Section:
    verb: Verb = head[1]  # type: ignore[assignment]
    moved = _MOVED.search(body)
    return Section(verb, head[2].strip(), moved[1].strip() if moved else "")


def _of_unified(head: re.Match[str]) -> Section:
    old, new = (name.partition("\t")[0].strip() for name in head.groups())
    if old == "/dev/null":
        return Section("Add", _without_side(new))
    if new == "/dev/null":
        return Section("Delete", _without_side(old))
    old, new = _without_side(old), _without_side(new)
    return Section("Update", old, new if new != old else "")


def _without_side(name: str) -> str:
    """`src/a.py` of `b/src/a.py`."""
    return name[2:] if name.startswith(("a/", "b/")) else name


def added(text: str) -> Iterator[tuple[str, str]]:
    """(path after the patch, the lines that it adds there) of each file that it adds lines to."""
    for section, body in _parts(text):
        lines = [line[1:] for line in body.split("\n") if line.startswith("+")]
        if lines and section.verb != "Delete":
            yield normal(section.moved or section.path), "\n".join(lines)


def shortened(text: str, marker: str) -> str:
    """The patch with its file lines and the heads of its hunks alone; `marker` stands in each for the lines."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith(_HEADS):
            lines.append(line)
        elif not lines or lines[-1] != marker:
            lines.append(marker)
    return "\n".join(lines)
