"""In engine, session and summarize only `engine/tools` knows the name of a tool, or of an argument of a call.

Free to know them, by name: `ctxmgr/formats` (a host's own messages), the readers of recordings and the independent
measures in `ctxmgr/study`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxmgr.engine.tools import CATALOG
from ctxmgr.engine.tools.names import WHOLE, role_of, words_of

PACKAGE = Path(__file__).parent.parent / "ctxmgr"
HELD = ("engine", "session", "summarize")
KNOWS = PACKAGE / "engine" / "tools"
TOOL, ARGUMENTS = "tool", "arguments"
COMPARING = ("startswith", "endswith", "__contains__", "find", "count", "fullmatch", "match", "search")
READING = ("get", "pop", "setdefault", "__getitem__")


def modules() -> list[Path]:
    return sorted(path for room in HELD for path in (PACKAGE / room).rglob("*.py") if KNOWS not in path.parents)


class Scope:
    """Which names of a function stand for a tool's name, or for the arguments of a call."""

    def __init__(self, tree: ast.AST) -> None:
        self.tools, self.arguments = {TOOL, "tool_name"}, {ARGUMENTS}
        for _ in range(3):  # what is handed on from name to name
            for node in ast.walk(tree):
                for name, value in _assigned(node):
                    if self.is_tool(value):
                        self.tools.add(name)
                    if self.is_arguments(value):
                        self.arguments.add(name)

    def is_tool(self, node: ast.AST) -> bool:
        return self._is(node, TOOL, self.tools)

    def is_arguments(self, node: ast.AST) -> bool:
        return self._is(node, ARGUMENTS, self.arguments)

    def _is(self, node: ast.AST, attribute: str, names: set[str]) -> bool:
        """Is it that, or made of it in place: `x.tool`, `tool.casefold()`, `block.arguments or {}`?"""
        if isinstance(node, ast.Attribute):
            return node.attr == attribute
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, ast.BoolOp):
            return any(self._is(value, attribute, names) for value in node.values)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._is(node.func.value, attribute, names)
        return isinstance(node, ast.IfExp | ast.NamedExpr) and any(
            self._is(child, attribute, names) for child in ast.iter_child_nodes(node)
        )


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.NamedExpr):
        yield node.target.id, node.value


def has_literal(node: ast.AST, constants: frozenset[str]) -> bool:
    """A text in it, or a constant of the module that holds texts."""
    texts = (one for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))
    names = (one.id for one in ast.walk(node) if isinstance(one, ast.Name))
    return any(one.value for one in texts) or any(name in constants for name in names)


def constants_of(tree: ast.Module) -> frozenset[str]:
    """Names that stand for texts, or for collections of them: the module's, and those that run over one."""
    held = (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None)
    named = ((node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value) for node in held)
    known = frozenset(
        target.id for target, value in named if isinstance(target, ast.Name) and has_literal(value, frozenset())
    )
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension))
    over = (loop.target.id for loop in loops if isinstance(loop.target, ast.Name) and has_literal(loop.iter, known))
    return known.union(over)


def faults(source: str) -> list[str]:
    """What compares a tool's name with a literal, or reads an argument of a call by its name."""
    tree = ast.parse(source)
    scope, constants = Scope(tree), constants_of(tree)
    return [
        f"{node.lineno}: {ast.unparse(node)[:90]}" for node in ast.walk(tree) if _is_fault(node, scope, constants)
    ]


def _is_fault(node: ast.AST, scope: Scope, constants: frozenset[str]) -> bool:
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
        literal = any(has_literal(side, constants) for side in sides)
        return literal and any(scope.is_tool(side) or scope.is_arguments(side) for side in sides)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        arguments = any(scope.is_arguments(side) for side in sides)
        return arguments and any(has_literal(side, constants) for side in sides)
    if isinstance(node, ast.Subscript):
        looked_up = scope.is_tool(node.slice) and has_literal(node.value, constants)
        return looked_up or (scope.is_arguments(node.value) and has_literal(node.slice, constants))
    if isinstance(node, ast.Match):
        return scope.is_tool(node.subject)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        by_tool = scope.is_tool(node.func.value) and node.func.attr in COMPARING
        read = scope.is_arguments(node.func.value) and node.func.attr in READING
        looked_up = any(scope.is_tool(one) for one in node.args) and node.func.attr in (*READING, *COMPARING)
        literal = any(has_literal(one, constants) for one in (*node.args, node.func.value))
        return (by_tool or read or looked_up) and literal
    return False


def test_no_tool_and_no_argument_is_known_by_its_name() -> None:
    known = {path: faults(path.read_text(encoding="utf-8")) for path in modules()}
    assert {path: lines for path, lines in known.items() if lines} == {}


PLANTED = [
    "if block.tool == 'read': pass",
    "if 'patch' in block.tool.casefold(): pass",
    "if tool in ('read', 'write'): pass",
    "READS = ('read',)\nif call.tool in READS: pass",
    "name = call.tool.casefold()\nif name in {'bash'}: pass",
    "KINDS = {'read': 1}\nkind = KINDS[block.tool]",
    "KINDS = {'read': 1}\nkind = KINDS.get(block.tool)",
    "if block.tool.startswith('mcp__'): pass",
    "import re\nEDITS = re.compile('edit')\nif EDITS.search(block.tool): pass",
    "match block.tool:\n    case 'read': pass",
    "path = (block.arguments or {}).get('path')",
    "path = call.arguments['path']",
    "given = block.arguments or {}\npath = given['path']",
    "PATHS = ('path',)\nfor key in PATHS:\n    value = arguments.get(key)",
    "PATHS = ('path',)\nfound = [key for key in PATHS if key in arguments]",
    "PATHS = {'path'}\nfor name in PATHS & arguments.keys(): pass",
    "if (given := block.arguments) and 'path' in given: pass",
]


@pytest.mark.parametrize("source", PLANTED)
def test_a_planted_fault_is_found(source: str) -> None:
    assert faults(source)


@pytest.mark.parametrize(
    "source",
    [
        "if block.tool == other.tool: pass",
        "if block.tool in tools: pass",
        "if block.kind == 'call': pass",
        "text = f'{block.tool} failed'",
        "values = list((block.arguments or {}).values())",
        "tool = block.tool or 'tool'",
    ],
)
def test_what_knows_no_name_is_none(source: str) -> None:
    assert faults(source) == []


def distinctive() -> frozenset[str]:
    """Names of tools and arguments that are no plain word: none of them has business elsewhere."""
    tools = (name for row in CATALOG.rows for name in row.names)
    arguments = ("file_path", "filePath", "absolute_path", "target_file", "old_string", "oldText", "new_str", "cmd")
    return frozenset(name for name in (*tools, *arguments) if len(words_of(name)) > 1 or name == "cmd")


def test_no_text_is_the_name_of_a_tool_or_an_argument() -> None:
    names = distinctive()
    for path in modules():
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert texts & names == frozenset(), path


def test_the_names_that_are_looked_for_are_those_of_the_catalog() -> None:
    assert {"str_replace_editor", "run_shell_command", "read_many_files", "file_path"} <= distinctive()
    assert all(role_of(name) for name in ("file_path", "absolute_path", "target_file", "old_string", "cmd"))
    assert len(WHOLE) > 80
