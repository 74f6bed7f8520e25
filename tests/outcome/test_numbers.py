"""Each number of the engine moves an outcome, or is written down as a promise or a limit.

`moved.json` is what `scripts/sensitivity` found; `documented.toml` is written by hand.
"""

import ast
import importlib.util
import json
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
MOVED = json.loads((HERE / "moved.json").read_text(encoding="utf-8"))
DOCUMENTED = tomllib.loads((HERE / "documented.toml").read_text(encoding="utf-8"))
OPEN_AT_MOST = 4  # closed cost and the probes may tell; what they do not tell either leaves
LEAST_MOVED = 0.005


@cache
def reading() -> ModuleType:
    """`scripts/trying/numbers.py`, which is no part of a package that tests import."""
    spec = importlib.util.spec_from_file_location("trying_numbers", ROOT / "scripts" / "trying" / "numbers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def names() -> tuple[str, ...]:
    found = reading().numbers(ROOT / "ctxmgr" / "engine", "ctxmgr.engine")
    return tuple(number.name for number in found)


def documented() -> list[str]:
    return [name for groups in DOCUMENTED.values() for group in groups for name in group["names"]]


def test_names_tell_numbers_apart() -> None:
    assert len(set(names())) == len(names()) > 200


def test_each_number_moves_an_outcome_or_is_documented() -> None:
    assert [name for name in names() if name not in MOVED and name not in set(documented())] == []


def test_none_is_written_down_twice_or_is_there_no_more() -> None:
    listed = [*MOVED, *documented()]
    assert [name for name in set(listed) if listed.count(name) > 1 or name not in names()] == []


@pytest.mark.parametrize("name", sorted(MOVED))
def test_what_moved_did_so_by_enough(name: str) -> None:
    assert abs(MOVED[name]["by"]) >= LEAST_MOVED


@pytest.mark.parametrize("kind", ["promise", "limit"])
def test_a_reason_is_a_sentence(kind: str) -> None:
    assert all(group["why"].endswith(".") and len(group["why"].split()) > 5 for group in DOCUMENTED[kind])


def test_what_is_open_only_gets_less() -> None:
    assert sum(len(group["names"]) for group in DOCUMENTED.get("open", ())) <= OPEN_AT_MOST


SOURCE = "A = 1\nB, C = 2, 0.5\nD: dict[str, int] = {'x': 3, 'y': 0}\nE = 'no'\nF = A * 2\n"


def test_what_numbers_are_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SOURCE)
    (tmp_path / "two.py").write_text("A = 7\n")
    found = reading().numbers(tmp_path, "p")
    assert [(one.name, one.module, one.value) for one in found] == [
        ("one.A", "p.one", 1),
        ("B", "p.one", 2),
        ("C", "p.one", 0.5),
        ("D", "p.one", 3),
        ("F", "p.one", 2),
        ("two.A", "p.two", 7),
    ]


def test_a_number_is_changed_alone(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SOURCE)
    third = reading().numbers(tmp_path, "p")[2]
    changed = reading().with_value(ast.parse(SOURCE), third, reading().scaled(third.value, 2))
    assert ast.unparse(changed) == ast.unparse(ast.parse(SOURCE.replace("0.5", "1.0")))
    assert reading().scaled(5, 0.5) == 2
