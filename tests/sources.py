"""What Python sources import, read by lines: tests look at all of them, and a syntax tree of each takes long."""

import re
from functools import cache
from typing import NamedTuple

_IMPORT = re.compile(
    r"^([ \t]*)(?:from ([\w.]+) import (\([^)]*\)|[^\n#]*)|import ([\w.]+)(?: as (\w+))?)", re.MULTILINE
)
_TEXT = re.compile(r'"""(?:.|\n)*?"""')
_NAME = re.compile(r"(\w+)(?: as (\w+))?")


class Import(NamedTuple):
    """One name of one import, wherever in a module it stands. `name`: None of `import module`."""

    line: int
    module: str
    name: str | None
    bound: str
    at_once: bool  # and not within a function


@cache
def imports(text: str) -> tuple[Import, ...]:
    found = []
    text = _TEXT.sub(lambda one: "\n" * one[0].count("\n"), text)
    for one in _IMPORT.finditer(text):
        line, (indent, module, names, whole, bound) = text.count("\n", 0, one.start()) + 1, one.groups()
        if whole:
            found.append(Import(line, whole, None, bound or whole, not indent))
        for name, other in _NAME.findall(re.sub("#.*", "", names or "")):
            found.append(Import(line, module, name, other or name, not indent))
    return tuple(found)
