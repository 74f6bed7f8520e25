"""The classes of the package and their fields, as the source declares them."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "ctxmgr"

Trees = dict[str, ast.Module]
FieldNames = Iterator[tuple[str, str, str]]  # class, field, annotation ("" where there is none)


@functools.cache
def trees() -> Trees:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.AnnAssign):
        return [node.target]
    return node.targets if isinstance(node, ast.Assign) else []


def fields(tree: ast.Module) -> FieldNames:
    """Annotated names of a class's body, and what its methods set of `self`."""
    for cls in classes(tree):
        for node in cls.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield cls.name, node.target.id, ast.unparse(node.annotation)
        for inner in ast.walk(cls):
            kind = ast.unparse(inner.annotation) if isinstance(inner, ast.AnnAssign) else ""
            for target in (one for given in targets(inner) for one in ast.walk(given)):
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    yield cls.name, target.attr, kind
