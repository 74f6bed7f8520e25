"""How much a function or a struct may carry: past it there wants to be an object saying what belongs together."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "ctxmgr"
PARAMETERS, FIELDS = 6, 8
ROOMS = ("engine", "session")
# what was read or gathered so far: state, not what somebody hands over
STATE = {"PreviousFacts", "WorkHistory"}
# what may carry more, by name, with what it has: nothing, and so it stays
FUNCTIONS: dict[str, int] = {}
STRUCTS: dict[str, int] = {}


def trees(kind: str) -> Iterator[ast.Module]:
    """Functions are counted everywhere, structs where the list goes through."""
    for room in ("",) if kind == "function" else ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            yield ast.parse(path.read_text(encoding="utf-8"))


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return sum(one.arg not in ("self", "cls") for one in every)


def over(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """What is over a limit: what it is, its name, and how many it has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and parameters(node) > PARAMETERS:
            yield "function", node.name, parameters(node)
        elif isinstance(node, ast.ClassDef) and node.name not in STATE:
            fields = sum(isinstance(one, ast.AnnAssign) for one in node.body)
            if fields > FIELDS:
                yield "struct", node.name, fields


@pytest.mark.parametrize(("kind", "allowed"), [("function", FUNCTIONS), ("struct", STRUCTS)])
def test_nothing_carries_more_than_the_limit(kind: str, allowed: dict[str, int]) -> None:
    """What is allowed more has just that: who mends one takes it from the list."""
    found = {name: count for tree in trees(kind) for what, name, count in over(tree) if what == kind}
    assert found == allowed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(a, b, c, d, e, f): ...", []),
        ("def f(a, b, c, /, d, e, f, *, g): ...", [("function", "f", 7)]),
        ("class C:\n    def f(self, a, b, c, d, e, f): ...", []),
        ("class C:\n" + "".join(f"    a{at}: int\n" for at in range(8)), []),
        ("class C:\n" + "".join(f"    a{at}: int\n" for at in range(9)), [("struct", "C", 9)]),
    ],
)
def test_a_planted_one_is_found(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert list(over(ast.parse(text))) == expected
