"""The lines that a read showed at most, and those it surely did, from what it asked for and what came back."""

from typing import Any

import pytest

from ctxmgr.engine.staleness.line_ranges import Lines, read_lines
from ctxmgr.engine.staleness.result_range import Notes
from tests.unit.engine.tools.file_effects import read

WHOLE: Lines = (1, None)

# what was asked, what the result says, (at most, surely)
TABLE: list[tuple[str, Any, Notes, tuple[Lines, Lines | None]]] = [
    ("a short file", read("x"), Notes(line_count=9), (WHOLE, WHOLE)),
    ("as many lines as a host shows", read("x"), Notes(line_count=2_000), (WHOLE, WHOLE)),
    ("more than that", read("x"), Notes(line_count=2_001), ((1, 2_000), (1, 2_000))),
    ("numbers say more", read("x"), Notes(numbered=(1, 90), line_count=2_001), ((1, 90), (1, 90))),
    ("fewer lines than asked for", read("x", 11, 20), Notes(line_count=6), ((11, 20), (11, None))),
    ("as many but blank ones", read("x", 11, 20), Notes(line_count=7), ((11, 20), (11, 20))),
    ("from the first line on", read("x", None, 10), Notes(line_count=6), ((1, 10), WHOLE)),
    ("and as many there", read("x", None, 10), Notes(line_count=7), ((1, 10), (1, 10))),
    ("the end is said", read("x", 11, 20), Notes(line_count=99, at_end=True), ((11, 20), (11, None))),
    ("where to go on", read("x"), Notes(line_count=9, more=5), ((1, 4), (1, 4))),
    ("beyond what was asked for", read("x", 3, 9), Notes(line_count=9, more=50), ((3, 9), (3, 9))),
    ("before what was asked for", read("x", 10, 19), Notes(line_count=9, more=5), ((10, 4), None)),
    ("it was cut", read("x", 3, 9), Notes(is_cut=True), ((3, 9), None)),
    ("it was cut, but numbered", read("x", 3, 9), Notes(is_cut=True, numbered=(3, 5)), ((3, 9), (3, 5))),
    ("its numbers have a gap", read("x", 3, 9), Notes(broken=True, numbered=(3, 5)), ((3, 9), (3, 5))),
    ("numbers from 0 on", read("x", 3, 9), Notes(numbered=(4, 9), line_count=6), ((4, 9), (4, 9))),
    ("other numbers", read("x", 3, 9), Notes(numbered=(5, 9), line_count=6), ((3, 9), (3, 9))),
    ("numbers before", read("x", 3, 9), Notes(numbered=(2, 9), line_count=6), ((3, 9), (3, 9))),
    ("no number was asked for", read("x"), Notes(numbered=(2, 9), line_count=6), (WHOLE, WHOLE)),
    ("not exact", read("x", 3, 9, exact=False), Notes(line_count=2), ((3, 9), None)),
    ("not exact, but numbered", read("x", exact=False), Notes(numbered=(7, 9), line_count=3), ((7, 9), (7, 9))),
    ("it was cleared", read("x", 3, 9), Notes(how="cleared"), ((3, 9), None)),
    ("it is empty", read("x"), Notes(how="empty"), (WHOLE, None)),
]


@pytest.mark.parametrize(("name", "asked", "told", "lines"), TABLE, ids=[row[0] for row in TABLE])
def test_what_a_read_showed(name: str, asked: Any, told: Notes, lines: tuple[Lines, Lines | None]) -> None:
    assert read_lines(asked, told, alone=True, shell=False) == lines


def test_a_shell_shows_a_file_to_its_end() -> None:
    assert read_lines(read("x"), Notes(line_count=9_000), alone=True, shell=True) == (WHOLE, WHOLE)
    assert read_lines(read("x", 3, 9), Notes(line_count=7), alone=True, shell=True) == ((3, 9), (3, 9))


@pytest.mark.parametrize(
    ("asked", "told", "surely"),
    [
        (read("x", 3, 9), Notes(numbered=(1, 2)), (3, 9)),
        (read("x", 3, 9), Notes(is_cut=True), None),
        (read("x", 3, 9, exact=False), Notes(), None),
    ],
)
def test_of_several_reads_in_one_result_what_they_asked_for_is_known(
    asked: Any, told: Notes, surely: Lines | None
) -> None:
    assert read_lines(asked, told, alone=False, shell=False) == ((3, 9), surely)
