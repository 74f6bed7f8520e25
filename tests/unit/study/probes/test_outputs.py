"""How a run ended, from its output."""

import pytest

from ctxmgr.study.probes.reading.outputs import ended


@pytest.mark.parametrize(
    ("output", "flagged", "check", "filtered", "failed"),
    [
        ("all fine", False, False, False, False),
        ("all fine", True, False, False, True),
        ("Process exited with code 101\nOutput:\nx", False, False, False, True),
        ("Process exited with code 0\nOutput:\nerror: x", False, True, False, False),
        ("--- FAIL: TestX\nFAIL", False, True, True, True),
        ("--- FAIL: TestX\nFAIL", False, False, True, False),
        ("0 errors, 0 failed", False, True, True, False),
        ("2 issues:", False, True, True, True),
        ("src/a.ts(1,2): error TS2339: no such member", False, True, True, True),
        ('{"exit_code":1,"output":""}', False, False, False, True),
        ("Command exited with code 2", True, False, False, True),
    ],
)
def test_a_run_failed_by_flag_code_or_line(
    output: str, flagged: bool, check: bool, filtered: bool, failed: bool
) -> None:
    assert ended(output, flagged, check, filtered).failed is failed


def test_error_lines_are_the_first_that_name_one() -> None:
    found = ended("Exit code 1\nbuilding\nfatal: one\nerror: two\nfailed three\nerror: four", True, False, False)
    assert found.errors == ("fatal: one", "error: two", "failed three")


def test_without_any_the_first_lines_are_it() -> None:
    assert ended("Exit code 1\nstrange\n---\nthing", True, False, False).errors == ("strange", "thing")


def test_of_a_formatter_the_files_are_what_it_failed_with() -> None:
    diff = 'Diff in /w/a.rs:1:\n-  b!("failure")\n+ b!("failure")\nDiff in /w/a.rs:9:\n-  b\nDiff in /w/b.rs:3:\n'
    assert ended(diff, True, True, False).errors == ("Diff in /w/a.rs:1:", "Diff in /w/b.rs:3:")


def test_telling_lines_are_the_last_that_count() -> None:
    found = ended("compiling\n3 tests\nok pkg/a\nTests: 7 passed\nbye", False, True, False)
    assert found.telling == ("ok pkg/a", "Tests: 7 passed")


def test_a_run_that_goes_on_has_an_id() -> None:
    assert ended("Process running with session ID 812\nOutput:\n", False, True, False).running == "812"
    assert ended("Script running with cell ID 60\n", False, True, False).running == "60"
    assert ended("done", False, True, False).running == ""


def test_a_long_line_is_cut_between_words() -> None:
    (line,) = ended("error: " + "word " * 100, True, False, False).errors
    assert len(line) <= 300
    assert line.endswith(" word")
    assert ended("error:" + "x" * 400, True, False, False).errors == ()
