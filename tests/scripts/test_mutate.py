"""What `scripts/mutate` goes by: which tests run a line, which lines tell of a mutant, and how one is imported."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def part(name: str) -> ModuleType:
    """A module of scripts/trying; the folder of a script is on the path only while it runs."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module(f"trying.{name}")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


covering, forking = part("covering"), part("forking")

SOURCE = """\
LIMIT = 3


def told(value: int, most: int = 5) -> int:
    if value > LIMIT:
        found = (value
                 + most)
    else:
        found = 0
    for one in range(found):
        found -= one
    return found


class Kept:
    size = 4

    def large(self) -> bool:
        return self.size > 2
"""


def test_the_lines_whose_tests_tell_of_a_mutant() -> None:
    """Those of its statement without what is within, of a function's head all of it; none of an import's."""
    for line, lines in [
        (1, None),
        (4, range(4, 13)),
        (5, range(5, 6)),
        (6, range(6, 8)),
        (7, range(6, 8)),
        (9, range(9, 10)),
        (10, range(10, 11)),
        (12, range(12, 13)),
        (16, None),
        (19, range(19, 20)),
    ]:
        assert covering.lines_beside(SOURCE, line) == lines, line


def test_a_module_is_imported_from_other_source_and_its_file_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tried_one.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [forking.Instead("tried_one", "VALUE = 2\n"), *sys.meta_path])
    assert importlib.import_module("tried_one").VALUE == 2
    monkeypatch.delitem(sys.modules, "tried_one")
    assert (tmp_path / "tried_one.py").read_text() == "VALUE = 1\n"
    assert not (tmp_path / "__pycache__").exists()
