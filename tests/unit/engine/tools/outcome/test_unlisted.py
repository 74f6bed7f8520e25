"""How a runner ended that nobody listed, where a pipe hides its status: by what it says, and else nobody knows."""

import pytest

from ctxmgr.engine.tools import counts_text, tool_call, weighed_run
from tests.unit.engine.tools.outcome.shell_lines import ended


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            "npx playwright test 2>&1 | tail -5",
            "  1 failed\n    [chromium] a.spec.ts:3:1 logs in\n  3 passed (4.2s)",
        ),
        ("python manage.py test 2>&1 | tail -3", "Ran 12 tests in 0.1s\n\nFAILED (failures=1)"),
        ("bin/rails test | tail -3", "12 runs, 20 assertions, 1 failures, 0 errors, 0 skips"),
        ("php artisan test | tail -3", "  Tests:    1 failed, 3 passed (4 assertions)\n  Duration: 0.3s"),
        ("npx ng test --watch=false | tail -2", "TOTAL: 1 FAILED, 3 SUCCESS"),
        ("xcodebuild test -scheme X | tail -2", "** TEST FAILED **"),
        ("npx cypress run | tail", "    ✖  1 of 2 failed (50%)  00:05  6  5  1"),
        ("npx nx test app | tail -3", " NX   Ran target test for project app\n ✖  1/1 failed"),
        ("npx hardhat test | tail", "  3 passing (1s)\n  1 failing"),
        ("forge test | tail -2", "Suite result: FAILED. 3 passed; 1 failed; 0 skipped; finished in 1.1ms"),
        ("npx react-scripts test | tail", "Tests:       1 failed, 3 passed, 4 total"),
        ("pre-commit run -a | tail -4", "ruff........Failed\n- hook id: ruff\n- exit code: 1"),
        ("bundle exec rubocop | tail -1", "12 files inspected, 3 offenses detected"),
        ("zorp verify | tail -2", "12 probes ok, 2 probes failed"),
        ("zorp everything | tail -2", "Summary: 14 ok / 2 failed / 0 skipped"),
    ],
)
def test_behind_a_pipe_it_failed_where_it_says_so(command: str, text: str) -> None:
    assert ended(command, text) == "failed"


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("npx playwright test | tail -1", "  3 passed (4.2s)", "ok"),
        ("python manage.py test 2>&1 | tail -3", "Ran 12 tests in 0.1s\n\nOK", "ok"),
        ("php artisan test | tail -3", "  Tests:    4 passed (6 assertions)", "ok"),
        ("bundle exec rubocop | tail -1", "12 files inspected, no offenses detected", "ok"),
        ("zorp verify | tail -1", "the last line", "unknown"),
        ("zorp everything | tail -1", "14 ok", "unknown"),
        ("zorp everything | head -1", "0 failed", "unknown"),
    ],
)
def test_behind_a_pipe_it_went_well_where_a_check_says_so_at_its_end(
    command: str, text: str, expected: str
) -> None:
    assert ended(command, text) == expected


def test_it_is_told_with_what_it_counts() -> None:
    shell = tool_call("bash", {"command": "zorp everything | tail -2"}).shell
    assert shell is not None
    told, found = weighed_run(shell, "gizmo: 5 passed, 2 failed (in 3.2 s)\nreport.html was written", "failed")
    assert (told, counts_text(found.counts)) == ("failed", "2 failed, 5 passed")
    assert found.lines == ("gizmo: 5 passed, 2 failed (in 3.2 s)",)
