"""Each line of the threat model (docs/explanation/security.md) names tests that hold it, and they are there."""

import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "explanation" / "security.md"
WHO = (
    "another user of the machine",
    "another site in your browser",
    "the project's files",
    "the model",
    "a tool's output",
    "another machine of the store",
)
_TEST = re.compile(r"^(?:async )?def (test_\w+)\(", re.MULTILINE)
_NAME = re.compile(r"`([^`]+)`")


def rows() -> list[list[str]]:
    """Its cells, of each line but the head."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@cache
def every_test() -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py"))
    return frozenset(name for text in texts for name in _TEST.findall(text))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[1][:50])
def test_a_line_names_tests_that_are_there(row: list[str]) -> None:
    *_, cell = row
    names = _NAME.findall(cell)
    assert names
    assert [name for name in names if name not in every_test()] == []
    assert re.fullmatch(r"`\w+`(, `\w+`)*", cell), "names of tests, and nothing else"


def test_everybody_is_in_it() -> None:
    assert set(WHO) <= {who for who, *_ in rows()}
    assert all(len(row) == 4 for row in rows())
