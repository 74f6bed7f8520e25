"""Turns sources and a run of the program into which numbers the run can not have noticed: those that nothing read.

1. A constant is read where its name, or that of a constant that is made of it, stands in a function that was
   called. Names are compared without their module: two of one name count as read together.
2. What a module reads when it is imported (a default, the body of a class) is always read.
3. A number that no called function reads changes nothing, whatever it is: what is called follows from what is read.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple


class Sources(NamedTuple):
    """`made_of` it: constants by name, with those that their value mentions them; `always`: names of rule 2."""

    made_of: dict[str, set[str]]
    always: set[str]

    def names(self, name: str) -> set[str]:
        """A constant and all that are made of it."""
        found, new = {name}, [name]
        while new:
            for other in self.made_of.get(new.pop(), set()) - found:
                found.add(other)
                new.append(other)
        return found

    def is_read(self, name: str, by: set[str]) -> bool:
        """`by`: the names that a run has read."""
        found = self.names(name)
        return not found.isdisjoint(by) or not found.isdisjoint(self.always)


def sources(root: Path) -> Sources:
    """Of all modules below a folder."""
    made_of: defaultdict[str, set[str]] = defaultdict(set)
    always: set[str] = set()
    for path in sorted(root.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name in _names(node.value):
                    made_of[name].update(found for target in targets for found in _names(target))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                always.update(_at_definition(node))
            elif isinstance(node, ast.ClassDef):
                always.update(_of_class(node))
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                always.update(_names(node))
    return Sources(dict(made_of), always)


def called(run: Callable[[], Any]) -> set[str]:
    """The names that the functions read which a run has called."""
    seen: set[CodeType] = set()

    def entered(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        run()
    finally:
        sys.setprofile(before)
    return {name for code in seen for name in _read(code)}


def _read(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _read(one)


def _at_definition(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
        yield from _names(part)


def _of_class(node: ast.ClassDef) -> Iterator[str]:
    """Without the bodies of its methods."""
    for part in (*node.decorator_list, *node.bases, *node.body):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _at_definition(part)
        else:
            yield from _names(part)


def _names(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr
