"""Each number of the engine, and each default of the policy that every preset decides by, moves an outcome, or
is written down as a promise or a limit with a reason of its own.

Numbers of `model/prices.py`, which decide what a list costs, are written down with their source.
`moved.json` is what `scripts/sensitivity` found; `documented.toml` is written by hand.
"""

import ast
import importlib.util
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctxmgr.model import Policy
from tests.outcome.measuring import RUNS
from tests.outcome.summaries import SUMMARY_RUNS

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
MOVED = json.loads((HERE / "moved.json").read_text(encoding="utf-8"))
DOCUMENTED = tomllib.loads((HERE / "documented.toml").read_text(encoding="utf-8"))
LEAST_MOVED = 0.005
LEAST_WORDS = 8  # of a reason
MOST_FOR_ONE_REASON = 1  # numbers; of one assignment all may have the same
NAMED_TEST = re.compile(r"\btest_\w+")
LABELS = {run.label for run in (*RUNS, *SUMMARY_RUNS)}


@cache
def trying(name: str) -> ModuleType:
    """A module of `scripts/trying`, which is no part of a package that tests import."""
    spec = importlib.util.spec_from_file_location(f"trying_{name}", ROOT / "scripts" / "trying" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def names() -> tuple[str, ...]:
    found = trying("numbers").numbers(ROOT / "ctxmgr" / "engine", "ctxmgr.engine")
    return tuple(number.name for number in found)


@cache
def values() -> dict[str, float]:
    """What each number that is tried is today: the engine's, and the defaults that every preset decides by."""
    numbers = trying("numbers")
    found = [
        *numbers.numbers(ROOT / "ctxmgr" / "engine", "ctxmgr.engine"),
        *numbers.policy_numbers(ROOT / "ctxmgr"),
    ]
    return {number.name: number.value for number in found}


def stale(today: Mapping[str, float], moved: Mapping[str, Any]) -> list[str]:
    """What was tried of another number than today's, one line each."""
    scaled = trying("numbers").scaled
    return [
        f"{name}: {one['value']:g} is neither half nor double of {today[name]:g}"
        for name, one in moved.items()
        if name in today and one["value"] not in (scaled(today[name], 0.5), scaled(today[name], 2))
    ]


@cache
def price_names() -> tuple[str, ...]:
    """Of `model/prices.py`, by which the engine decides what a list costs: a provider's, none of ours to try."""
    found = trying("numbers").numbers(ROOT / "ctxmgr" / "model", "ctxmgr.model")
    return tuple(f"prices.{number.name}" for number in found if number.module == "ctxmgr.model.prices")


def reasons(documented: Mapping[str, Any]) -> dict[str, str]:
    """By name of the number; of one assignment by that."""
    return {name: why for kind in documented.values() for name, why in kind.items()}


def constant(name: str) -> str:
    """The assignment that a number stands in: `RIGHTS` of `RIGHTS[3]`."""
    return name.partition("[")[0]


def faults(known: Iterable[str], moved: Mapping[str, Any], documented: Mapping[str, Any]) -> list[str]:
    """What is wrong with what is written down, one line each."""
    known, whys = list(known), reasons(documented)
    spelled = {one for name in known for one in (name, constant(name))}
    found = [f"{name}: no such number" for name in [*moved, *whys] if name not in spelled]
    found += [
        f"{name}: moves nothing and is not documented"
        for name in known
        if name not in moved and name not in whys and constant(name) not in whys
    ]
    found += [f"{name}: moves an outcome and is documented as well" for name in whys if name in moved]
    found += [f"{name}: moved by too little" for name, one in moved.items() if abs(one["by"]) < LEAST_MOVED]
    found += [f"{name}: moved in no run" for name, one in moved.items() if one["run"] not in LABELS]
    found += [f"{name}: documented, and all its parts move" for name in whys if is_idle(name, known, moved)]
    used = Counter(whys.values())
    for name, why in whys.items():
        if len(why.split()) < LEAST_WORDS or not why.endswith("."):
            found.append(f"{name}: the reason is no sentence")
        if used[why] > MOST_FOR_ONE_REASON:
            found.append(f"{name}: the reason is another number's")
        found += [
            f"{name}: there is no {test}" for test in NAMED_TEST.findall(why) if test not in modules_of_tests()
        ]
    return found


@cache
def modules_of_tests() -> frozenset[str]:
    """The names of all test modules."""
    return frozenset(path.stem for path in (ROOT / "tests").rglob("test_*.py"))


def is_idle(name: str, known: Iterable[str], moved: Mapping[str, Any]) -> bool:
    """Whether an assignment is documented of which each number moves an outcome."""
    of_it = [one for one in known if constant(one) == name]
    return len(of_it) > 1 and all(one in moved for one in of_it)


def test_names_tell_numbers_apart() -> None:
    assert len(set(names())) == len(names()) > 200


def test_each_number_moves_an_outcome_or_is_documented_for_a_reason_of_its_own() -> None:
    assert faults([*values(), *price_names()], MOVED, DOCUMENTED) == []


def test_each_value_that_was_tried_is_half_or_double_of_todays() -> None:
    assert stale(values(), MOVED) == []


def test_a_value_of_another_day_is_told() -> None:
    tried = {"A": {"value": 3}, "B": {"value": 1.0}, "C": {"value": 14}, "GONE": {"value": 9}}
    assert stale({"A": 7, "B": 0.5, "C": 7}, tried) == []
    assert stale({"A": 9, "B": 0.5, "C": 8}, tried) == [
        "A: 3 is neither half nor double of 9",
        "C: 14 is neither half nor double of 8",
    ]


def test_the_defaults_by_which_every_preset_decides_are_numbers() -> None:
    made = Policy().working_set
    assert {name: value for name, value in values().items() if name.startswith("policy.")} == {
        "policy.workingSet.results": made.results,
        "policy.workingSet.tokens": made.tokens,
    }


def test_each_number_of_what_a_call_costs_has_a_line_with_its_source() -> None:
    """But for a unit, each tells who asks that price or has that rule, or why it bounds what is told."""
    told = DOCUMENTED["provider"]
    assert {constant(name) for name in price_names()} == set(told)
    sources = ("platform.claude.com/docs", "developers.openai.com/api/docs", "ctxmgr/data/models.json", "A unit:")
    assert [name for name, why in told.items() if not any(one in why for one in sources)] == []


@pytest.mark.parametrize("kind", DOCUMENTED)
def test_a_reason_is_a_promise_or_a_limit_or_a_providers_word(kind: str) -> None:
    assert kind in ("promise", "limit", "provider")


RUN = RUNS[0].label
MOVES = {"A": {"by": 0.005, "run": RUN}}
WHY = "So many lines at most, as the README says."
GOOD = {"limit": {"B": WHY, "C": "So many words at most, as the guide says."}}
KNOWN = ("A", "B", "C[0]", "C[1]")


@pytest.mark.parametrize(
    ("known", "moved", "documented", "told"),
    [
        (KNOWN, MOVES, GOOD, []),
        ((*KNOWN, "D"), MOVES, GOOD, ["D: moves nothing and is not documented"]),
        (KNOWN[1:], MOVES, GOOD, ["A: no such number"]),
        (KNOWN[:1], MOVES, {"limit": {"B": WHY}}, ["B: no such number"]),
        (KNOWN, {"A": {"by": -0.004, "run": RUN}}, GOOD, ["A: moved by too little"]),
        (KNOWN, {"A": {"by": -0.01, "run": "elsewhere"}}, GOOD, ["A: moved in no run"]),
        (KNOWN, {**MOVES, "B": MOVES["A"]}, GOOD, ["B: moves an outcome and is documented as well"]),
        (
            KNOWN,
            {**MOVES, "C[0]": MOVES["A"], "C[1]": MOVES["A"]},
            GOOD,
            ["C: documented, and all its parts move"],
        ),
        (
            KNOWN,
            MOVES,
            {"limit": {**GOOD["limit"], "B": "So many lines at most, as test_nothing_of_it holds."}},
            ["B: there is no test_nothing_of_it"],
        ),
        (KNOWN, MOVES, {"limit": {**GOOD["limit"], "B": "It is small."}}, ["B: the reason is no sentence"]),
        (
            KNOWN,
            MOVES,
            {"limit": {"B": WHY, "C": WHY}},
            ["B: the reason is another number's", "C: the reason is another number's"],
        ),
    ],
)
def test_what_is_wrong_is_told(known: Any, moved: Any, documented: Any, told: list[str]) -> None:
    assert faults(known, moved, documented) == told


SOURCE = "A = 1\nB, C = 2, 0.5\nD: dict[str, int] = {'x': 3, 'y': 0}\nE = 'no'\nF = A * 2\n"


def test_what_numbers_are_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SOURCE)
    (tmp_path / "two.py").write_text("A = 7\n")
    found = trying("numbers").numbers(tmp_path, "p")
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
    third = trying("numbers").numbers(tmp_path, "p")[2]
    changed = trying("numbers").with_value(ast.parse(SOURCE), third, trying("numbers").scaled(third.value, 2))
    assert ast.unparse(changed) == ast.unparse(ast.parse(SOURCE.replace("0.5", "1.0")))
    assert trying("numbers").scaled(5, 0.5) == 2


READING = """
A = 1
B = (A, 2)
C = 3
D = 4
E = 5

def first(most=D):
    return [one for one in B if one]

def second():
    return C

class Third:
    fourth = E
"""


def test_which_numbers_a_run_reads(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(READING)
    known, there = trying("reach").sources(tmp_path), dict[str, Any]()
    exec(compile(READING, "one.py", "exec"), there)
    read = trying("reach").called(there["first"])
    assert [name for name in "ABCDE" if known.is_read(name, read)] == ["A", "B", "D", "E"]
