"""A run that ended with 0, and says in its output that it failed, in the words of tools known and invented."""

import pytest

from ctxmgr.engine.tools import CallOutcome, counts_text, tool_call, weighed_run
from ctxmgr.engine.tools.outcome.summing_up import counts_of, is_verdict, sums_up


def told(command: str, text: str) -> CallOutcome:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    return weighed_run(shell, text, "ok")[0]


ROWS = "\n".join(f"row {number} was read" for number in range(40))
SHORT = "FAILED tests/a.py::test_a - assert 1 == 2\n=== 1 failed, 3 passed in 0.2s ==="


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("./run_tests.sh", f"{SHORT}\nall suites done"),
        ("./scripts/everything", f"{SHORT}\nall suites done"),
        (
            "mvn test -Dmaven.test.failure.ignore=true",
            "[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
        ),
        ("npm test", "> jest || true\n\nTests:       1 failed, 3 passed, 4 total"),
        ("make test", f"pytest\n{SHORT}\nmake: [Makefile:2: test] Error 1 (ignored)"),
        ("docker compose run --rm app pytest", SHORT),
        ("docker compose up", "app-1  | started\napp-1 exited with code 1"),
        ("pytest -q", "Command timed out after 2m 0.0s\n...."),
        ("npm run build", "src/a.ts(3,5): error TS2322: no\n\nvite: built in 2s"),
        ("./gradlew test", "> Task :test\nATest > one FAILED\n4 tests completed, 1 failed\nBUILD SUCCESSFUL in 2s"),
        ("./gradlew build", "FAILURE: Build failed with an exception.\n\nBUILD FAILED in 2s"),
        ("go test ./... || exit 0; go vet ./...", "FAIL\tpkg/a\t0.1s"),
        ("zorp verify", "probing\n12 probes ok, 2 probes failed"),
        ("zorp", "Summary: 14 ok / 2 failed / 0 skipped"),
        ("bin/gizmo all", "gizmo: 5 passed, 2 failed (in 3.2 s)\nreport.html was written"),
        ("bin/gizmo all", "OVERALL: FAIL"),
        ("./publish", "uploading\nPublish failed: no route"),
        ("zorp build", "src/a.zp:12:4: error: no such name"),
    ],
)
def test_an_output_that_sums_failures_up_is_a_failure_whatever_its_status(command: str, text: str) -> None:
    assert told(command, text) == "failed"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("terraform apply", "╷\n│ Error: no provider is named so\n╵"),
        ("make clean", "rm x\nmake: [Makefile:2: clean] Error 1 (ignored)"),
        ("./load", "Traceback (most recent call last):\n  File x\nKeyError: 3"),
        ("cat test.log && ./load", SHORT),
        ("python -c 'print(open(\"log\").read())'", SHORT),
        ("./run_tests.sh", "FAILED one\nretrying\n4 passed in 1s"),
    ],
)
def test_an_output_that_leaves_it_open_is_no_success(command: str, text: str) -> None:
    assert told(command, text) == "unknown"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("pytest", "tests/a.py::test_1_failed PASSED\n=== 3 passed in 0.2s ==="),
        ("pytest -s", f"{SHORT}\n=== 3 passed in 0.2s ==="),
        ("npm test", "✓ counts 2 errors (3ms)\nTests:       3 passed, 3 total"),
        ("npm run lint", "0 errors, 3 warnings"),
        ("npx eslint .", "✖ 3 problems (0 errors, 3 warnings)"),
        ("cargo test", "test it_counts_2_failed ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored"),
        ("ruff check . --fix", "Found 3 errors (3 fixed, 0 remaining)."),
        ("mvn test", "[ERROR] a log line of a test\nTests run: 4, Failures: 0, Errors: 0\n[INFO] BUILD SUCCESS"),
        ("pip install x", "ERROR: pip's dependency resolver does not look\nSuccessfully installed x-1"),
        ("cat test.log", SHORT),
        ("grep -n failed test.log", "12:=== 1 failed, 3 passed in 0.2s ==="),
        ("rg -c failed", "1 failed"),
        ("git log -3", "abc1234 2 tests failed"),
        ("gh run view 4 --log", SHORT),
        ("docker compose logs app", SHORT),
        ("zorp logs --tail 5", SHORT),
        ("zorp run --help", "1 failed"),
        ("curl -s http://a/report", SHORT),
        ("echo '1 failed'", "1 failed"),
        ("echo '1 failed' && ./load", "1 failed\nloaded"),
        ("./load", "2 errors were mended"),
        ("./load", "404 error\nstep 3 failed, tried again\nloaded"),
        ("./load", f"{ROWS}\n2 failed\n{ROWS}"),
        ("npm run docs", "wrote how-to-fix-failed-tests.md\nwrote errors.md"),
        ("git commit -m 'Mend 2 failed tests'", "[main 1234567] Mend 2 failed tests\n 1 file changed"),
        ("git push", "   1234567..89abcde  main -> main"),
    ],
)
def test_a_success_that_speaks_of_failures_stays_one(command: str, text: str) -> None:
    assert told(command, text) == "ok"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("FAILED (failures=1, errors=1)", "failed"),
        ("12 examples, 1 failure, 1 pending", "failed"),
        ("test result: FAILED. 2 passed; 1 failed; 0 ignored; finished in 0.00s", "failed"),
        (" Tests  2 failed | 3 passed (5)", "failed"),
        ("Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 5 ms - A.dll", "failed"),
        ("Ran 12 gizmos in 3s: 2 failed", "failed"),
        ("3/9 checks failed", "failed"),
        ("failed 1 of 4 tests", "failed"),
        ("# fail 1", "failed"),
        ('  "failed": 2,', "failed"),
        ("Total: 12 Passed: 10 Failed: 2", "failed"),
        ("\x1b[31m1 failed\x1b[0m, 3 passed", "failed"),
        ("5 passed, 0 failed", "passed"),
        ("12 ok, 0 errors", "passed"),
        ("5 passed, 1 xfailed", "passed"),
        ("3 passed, 2 expected failures", "passed"),
        ("OK (expected failures=1)", ""),
        ("Retried 2 failed uploads: all ok", ""),
        ("port 5432 failed", ""),
        ("error 1045", ""),
        ("max failures: 3", ""),
        ("1 failed login, user 33 locked", ""),
        ("It says that 2 failed, which is right.", ""),
        ("The last run had 3 failures before the fix", ""),
        ("ok 3 - 2 failed", ""),
    ],
)
def test_a_line_that_sums_up_is_one_of_counts_alone(line: str, expected: str) -> None:
    assert sums_up(line) == expected


@pytest.mark.parametrize(
    "line", ["BUILD FAILED in 2s", "Result: FAIL", "zorp verify: FAILED", "Some tests failed."]
)
def test_a_verdict_is_of_the_whole(line: str) -> None:
    assert is_verdict(line)


@pytest.mark.parametrize(
    "line", ["login failed", "no test failed", "if the build failed, run it again", "Connection failed: retrying"]
)
def test_what_tells_of_a_part_or_of_none_is_no_verdict(line: str) -> None:
    assert not is_verdict(line)


def test_what_a_line_counts_is_told_with_it() -> None:
    shell = tool_call("bash", {"command": "zorp verify"}).shell
    assert shell is not None
    ended, found = weighed_run(shell, "12 probes ok, 2 probes failed", "ok")
    assert (ended, counts_text(found.counts)) == ("failed", "2 failed, 12 ok")
    assert list(counts_of("2 of them failed because the port was taken")) == []
