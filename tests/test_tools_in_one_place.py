"""In engine, session and summarize only `engine/tools` knows the name of a tool, or of an argument of a call.

Free to know them, by name: `ctxmgr/formats` (a host's own messages), the readers of recordings and the independent
measures in `ctxmgr/study`.
"""

import ast
from functools import cache
from pathlib import Path

from ctxmgr.engine.tools import CATALOG
from ctxmgr.engine.tools.names import WHOLE, role_of, words_of

PACKAGE = Path(__file__).parent.parent / "ctxmgr"
HELD = ("engine", "session", "summarize")
KNOWS = PACKAGE / "engine" / "tools"
TOOL, ARGUMENTS = {"tool", "tool_name"}, {"arguments"}
LOOKING = {"startswith", "endswith", "find", "count", "get", "pop", "setdefault"}


def modules() -> list[Path]:
    return sorted(path for room in HELD for path in (PACKAGE / room).rglob("*.py") if KNOWS not in path.parents)


@cache
def nodes(source: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(source)))


def faults(source: str) -> list[str]:
    """What compares a tool's name with a text, or reads an argument of a call by its name, in one expression."""
    return [ast.unparse(node)[:90] for node in nodes(source) if _is_fault(node)]


def _is_fault(node: ast.AST) -> bool:
    match node:
        case ast.Compare():
            sides = (node.left, *node.comparators)
            return any(_is_of(side, TOOL | ARGUMENTS) for side in sides) and any(map(_has_text, sides))
        case ast.Subscript():
            return _is_of(node.slice, TOOL) or (_is_of(node.value, ARGUMENTS) and _has_text(node.slice))
        case ast.Match():
            return _is_of(node.subject, TOOL)
        case ast.Call(func=ast.Attribute(value=of, attr=name)):
            return _is_of(of, TOOL | ARGUMENTS) and name in LOOKING and any(map(_has_text, node.args))
    return False


def _is_of(node: ast.AST, names: set[str]) -> bool:
    """Whether it is that, or made of it in place: `x.tool`, `tool.casefold()`, `block.arguments or {}`."""
    match node:
        case ast.Attribute():
            return node.attr in names
        case ast.Name():
            return node.id in names
        case ast.Call(func=ast.Attribute()):
            return _is_of(node.func.value, names)
        case ast.BoolOp() | ast.NamedExpr():
            return any(_is_of(child, names) for child in ast.iter_child_nodes(node))
    return False


def _has_text(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value for one in ast.walk(node))


def test_no_tool_and_no_argument_is_known_by_its_name() -> None:
    known = {path: faults(path.read_text(encoding="utf-8")) for path in modules()}
    assert {path: lines for path, lines in known.items() if lines} == {}


PLANTED = [
    "if block.tool == 'read': pass",
    "if 'patch' in block.tool.casefold(): pass",
    "if tool in ('read', 'write'): pass",
    "KINDS = {'read': 1}\nkind = KINDS[block.tool]",
    "if block.tool.startswith('mcp__'): pass",
    "match block.tool:\n    case 'read': pass",
    "path = (block.arguments or {}).get('path')",
    "path = call.arguments['path']",
    "if 'path' in (given := block.arguments): pass",
]


KNOWS_NONE = [
    "if block.tool == other.tool: pass",
    "if block.tool in tools: pass",
    "if block.kind == 'call': pass",
    "text = f'{block.tool} failed'",
    "values = list((block.arguments or {}).values())",
    "tool = block.tool or 'tool'",
]


def test_a_planted_fault_is_found() -> None:
    assert [source for source in PLANTED if not faults(source)] == []
    assert [source for source in KNOWS_NONE if faults(source)] == []


def distinctive() -> frozenset[str]:
    """Names of tools and arguments that are no plain word: none of them has business elsewhere."""
    tools = (name for row in CATALOG.rows for name in row.names)
    arguments = ("file_path", "filePath", "absolute_path", "target_file", "old_string", "oldText", "new_str", "cmd")
    return frozenset(name for name in (*tools, *arguments) if len(words_of(name)) > 1 or name == "cmd")


def test_no_text_is_the_name_of_a_tool_or_an_argument() -> None:
    names = distinctive()
    for path in modules():
        every = nodes(path.read_text(encoding="utf-8"))
        texts = {node.value for node in every if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert texts & names == frozenset(), path


def test_the_names_that_are_looked_for_are_those_of_the_catalog() -> None:
    assert {"str_replace_editor", "run_shell_command", "read_many_files", "file_path"} <= distinctive()
    assert all(role_of(name) for name in ("file_path", "absolute_path", "target_file", "old_string", "cmd"))
    assert len(WHOLE) > 80
