"""The table of presets: a row each, and nobody asks a preset's name for what its object tells."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxmgr.engine.presets.table import PRESETS
from ctxmgr.model.policy import Preset

PACKAGE = Path(__file__).parents[4] / "ctxmgr"
NAMES: tuple[str, ...] = Preset.__args__  # type: ignore[attr-defined]


def test_each_preset_that_a_policy_may_name_has_a_row() -> None:
    assert tuple(PRESETS) == NAMES
    assert [preset.name for preset in PRESETS.values()] == list(NAMES)


def is_preset(node: ast.expr) -> bool:
    """Is it a thing called preset: a name, an attribute, a key?"""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = str(node.slice.value)
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return is_preset(node.value)
    return name.lower().removeprefix("_") in ("preset", "strategy")


def compared_with_names(tree: ast.Module) -> Iterator[int]:
    """The lines on which a preset is compared with a name, or with several, written out or under a name of their
    own."""
    assigned = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        sides: list[ast.AST] = []
        if isinstance(node, ast.Compare) and any(map(is_preset, [node.left, *node.comparators])):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Match) and is_preset(node.subject):
            sides = [*node.cases]
        sides += [assigned[side.id] for side in sides if isinstance(side, ast.Name) and side.id in assigned]
        found = {one.value for side in sides for one in ast.walk(side) if isinstance(one, ast.Constant)}
        if not found.isdisjoint(NAMES):
            yield node.lineno


def test_no_preset_is_asked_for_by_its_name() -> None:
    found = {
        str(path.relative_to(PACKAGE)): list(compared_with_names(ast.parse(path.read_text(encoding="utf-8"))))
        for path in PACKAGE.rglob("*.py")
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "text",
    [
        'if policy.preset == "off": ...',
        'if "balanced" != preset: ...',
        'if self.policy.preset in ("off", "tools"): ...',
        'if answer["preset"] == "turns": ...',
        'if session.preset.name == "turns": ...',
        'WHOLE = {"off", "turns"}\nif preset in WHOLE: ...',
        'match preset:\n    case "off": ...',
    ],
)
def test_a_planted_comparison_is_found(text: str) -> None:
    assert list(compared_with_names(ast.parse(text)))
