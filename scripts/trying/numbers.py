"""Turns the engine's sources into its numbers, and one of them into a halved or doubled one.

1. A number is a literal in a module-level assignment. Of several in one assignment each is one: `NAMES[0]`, or by
   the name that it is unpacked to.
2. It is told by the name that it is assigned to; where several modules have that name, with the module's last part,
   or as many as tell it apart. So a module can move without a word.
3. Half of an integer is rounded down; a number that neither changes (0) is none.
4. What every preset decides by and the policy has as a default is a number, too: `policy.KEY.FIELD`.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

POLICY = "ctxmgr.model.policy"
PARTS = {"WorkingSet": "workingSet"}  # structs of the policy and their keys, by rule 4


class Number(NamedTuple):
    """`line` and `column` of the literal, as `ast` counts."""

    name: str
    module: str
    line: int
    column: int
    value: float


def numbers(engine: Path, package: str) -> list[Number]:
    """All numbers below a folder, whose modules are of `package`."""
    found: list[tuple[str, str, ast.Constant]] = []
    for path in sorted(engine.rglob("*.py")):
        parts = path.relative_to(engine).with_suffix("").parts
        module = ".".join((package, *(part for part in parts if part != "__init__")))
        found += [(name, module, literal) for name, literal in _assigned(ast.parse(path.read_text("utf-8")))]
    modules = Counter(name for name, _ in {(name.partition("[")[0], module) for name, module, _ in found})
    out = []
    for name, module, literal in found:
        own = name if modules[name.partition("[")[0]] == 1 else f"{_ending(module, name, found)}.{name}"
        out.append(Number(own, module, literal.lineno, literal.col_offset, literal.value))  # type: ignore[arg-type]
    return out


def policy_numbers(root: Path) -> list[Number]:
    """Rule 4, of the sources below `root`."""
    tree = ast.parse((root / "model" / "policy.py").read_text("utf-8"))
    structs = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in PARTS]
    assert len(structs) == len(PARTS)
    found = []
    for struct in structs:
        for field in struct.body:
            if isinstance(field, ast.AnnAssign):
                assert isinstance(field.value, ast.Constant)
                place = field.value.lineno, field.value.col_offset
                name = f"policy.{PARTS[struct.name]}.{ast.unparse(field.target)}"
                found.append(Number(name, POLICY, *place, field.value.value))  # type: ignore[arg-type]
    return found


def _ending(module: str, name: str, found: list[tuple[str, str, ast.Constant]]) -> str:
    """The shortest end of a module's name that no other module with this name has."""
    others = {other for one, other, _ in found if one == name} - {module}
    parts = module.split(".")
    for count in range(1, len(parts)):
        end = ".".join(parts[-count:])
        if not any(other.endswith(f".{end}") for other in others):
            return end
    return module


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, node.value
        else:
            continue
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for name, one in zip(target.elts, value.elts, strict=True):
                yield from _literals(ast.unparse(name), one)
        else:
            yield from _literals(ast.unparse(target), value)


def _literals(name: str, value: ast.expr) -> Iterator[tuple[str, ast.Constant]]:
    found = [
        node
        for node in ast.walk(value)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value
    ]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    for place, node in enumerate(found):
        yield (name if len(found) == 1 else f"{name}[{place}]"), node


def scaled(value: float, factor: float) -> float:
    """Of the same type (rule 3)."""
    return int(value * factor) if isinstance(value, int) else value * factor


def with_value(tree: ast.Module, number: Number, value: float) -> ast.Module:
    """The module with another number there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and (node.lineno, node.col_offset) == (number.line, number.column):
            node.value = value
    return tree
