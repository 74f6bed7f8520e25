"""What a later run of something else ended, and what of it is told."""

import pytest

from ctxmgr.engine.packet.commands import MOST_AGAIN
from ctxmgr.engine.tools.outcome.tried_again import MOST_TESTS
from tests.unit.engine.packet.commands.test_commands import blocker_lines, end_lines, shell

GO_FAILED = "--- FAIL: TestB_Filters (0.0s)\nFAIL\tx/a\t0.1s"
GO_PASSED = "ok  \tx/a\t0.1s"
ONE_FAILED = "FAILED tests/a.py::test_b\n1 failed, 5 passed in 1s"
PASSED = "1 passed in 1s"
JEST_FAILED = (
    "FAIL src/x.test.ts\n  ● sums › adds\n\nTest Suites: 1 failed, 3 passed, 4 total\n"
    "Tests:       2 failed, 9 passed, 11 total"
)
JEST_PASSED = "PASS src/x.test.ts\nTests:       3 passed, 3 total"
VITEST_FAILED = (
    " FAIL  src/x.test.ts > adds\n FAIL  src/x.test.ts > carries\n Test Files  1 failed | 1 passed (2)\n"
    "      Tests  2 failed | 3 passed (5)"
)
VITEST_PASSED = " Test Files  1 passed (1)\n      Tests  3 passed (3)"
GO_TREE = (
    "--- FAIL: TestA (0.0s)\n--- FAIL: TestB (0.0s)\nFAIL\nFAIL\tx.test/y/b/one\t0.1s\n"
    "FAIL\tx.test/y/b/two\t0.1s\nok  \tx.test/y/c\t0.1s\nFAIL"
)
TEST_TARGET = (
    f"All checks passed!\n{ONE_FAILED.replace('1 failed', '3 failed')}\nmake: *** [Makefile:3: test] Error 1"
)
LINT_TARGET = "a.py:1:1: F401 x\nFound 1 error.\nmake: *** [Makefile:2: lint] Error 1"
PLAYWRIGHT_FAILED = "  1 failed\n    a.spec.js:3:1 › adds ────\n  2 passed (3s)"
NO_TARGET = "something broke"
GO_OTHER_TREE = GO_TREE.replace("ok  \t", "FAIL\t")
MAVEN_FAILED = (
    "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[ERROR]   FooTest.bar:12 x\n[INFO] BUILD FAILURE"
)
GRADLE_FAILED = "FooTest > bar FAILED\n5 tests completed, 1 failed\nBUILD FAILED in 3s"
MISUSED = "error: unexpected argument 'oci::' found"

ENDED_BY_TESTS = [
    (
        "cd /w && go test ./a -run TestA",
        "a/a_test.go:4:2: x\nFAIL\tx/a [build failed]",
        "go test -run TestA",
        GO_PASSED,
    ),
    ("pnpm test", PLAYWRIGHT_FAILED, "npx playwright test a.spec.js", "  2 passed (3s)"),
    ("make lint test", TEST_TARGET, "make test", PASSED),
    ("make lint test", LINT_TARGET, "make lint", "done"),
    ("make lint test", NO_TARGET, "make -j4 test lint", PASSED),
    ("make lint test build", TEST_TARGET, "make lint test", PASSED),
    ("make test", TEST_TARGET, "make lint test", PASSED),
    ("./gradlew lint test", f"{GRADLE_FAILED}\nExecution failed for task ':app:test'.", "./gradlew test", PASSED),
    ('go test ./a/ -run "A|TestB"', GO_FAILED, 'go test ./a/ -run "TestB" -v', GO_PASSED),
    ("go test ./a/ -run TestA", GO_FAILED, "mise run test:ci", GO_PASSED),
    ("mise run test", GO_FAILED, "go test ./...", GO_PASSED),
    ("pytest", ONE_FAILED, "pytest tests/a.py::test_b", PASSED),
    ("pytest", ONE_FAILED, "pytest -k test_b", PASSED),
    (
        "cargo test oci",
        "test oci::tests::test_a ... FAILED\n1 failed",
        "cargo test tests::test_a",
        "test result: ok. 1 passed",
    ),
    ("npx jest a.test.js", "Tests: 1 failed, 1 passed, 2 total", "npm test", "Tests: 12 passed, 12 total"),
    ("cargo fmt && cargo test a oci::", MISUSED, "cargo test oci::", "test result: ok. 33 passed"),
    ("go test ./session -run TestA", "FAIL\t./session [setup failed]", "go test ./cmd/cli/session -v", GO_PASSED),
    (
        "cd /w/cmd/cli && go test ./session",
        "a.go:4:2: no x\nFAIL\tx [build failed]",
        "go test ./cmd/cli/...",
        GO_PASSED,
    ),
    ("npm test", JEST_FAILED, "npx jest src/x.test.ts", JEST_PASSED),
    ("npm test", JEST_FAILED, "npx jest x.test", JEST_PASSED),
    ("npm test", JEST_FAILED, "npm test -- src/x.test.ts", JEST_PASSED),
    ("npm run test:unit", JEST_FAILED, "yarn jest src", JEST_PASSED),
    ("make check", JEST_FAILED, "npx jest src/x.test.ts", JEST_PASSED),
    ("cd web && npm test", JEST_FAILED, "npx jest web/src/x.test.ts", JEST_PASSED),
    ("yarn test 2>&1 | grep -E 'FAIL|Tests:'", JEST_FAILED, "yarn test src/x.test.ts", JEST_PASSED),
    ("npx jest src/x.test.ts", JEST_FAILED, "yarn test src/x.test.ts", JEST_PASSED),
    ("npm test -- src/x.test.ts", JEST_FAILED, "npm test", JEST_PASSED),
    ("pnpm test", VITEST_FAILED, "npx vitest run src/x.test.ts", VITEST_PASSED),
    ("npx vitest run src/x.test.ts", VITEST_FAILED, "pnpm test", VITEST_PASSED),
    ("go test ./...", GO_TREE, "go test ./b/...", GO_PASSED),
    ("go test ./...", GO_TREE, "go test ./b/one ./b/two", GO_PASSED),
    ("make test", GO_TREE, "go test ./b/...", GO_PASSED),
    ("go test ./... 2>&1 | tail -40", GO_TREE, "go test ./b/...", GO_PASSED),
    (
        "pytest",
        f"FAILED tests/a.py::test_a\n{ONE_FAILED.replace('1 failed', '2 failed')}",
        "pytest tests/a.py",
        PASSED,
    ),
]
ENDED_BY_NONE = [
    ("go test ./a", "a/a_test.go:4:2: x\nFAIL\tx/a [build failed]", "go test", GO_PASSED),
    ("pnpm test", PLAYWRIGHT_FAILED, "npx playwright test b.spec.js", "  2 passed (3s)"),
    ("make lint test", TEST_TARGET, "make lint", "done"),
    ("make lint test", LINT_TARGET, "make test", PASSED),
    ("make lint test", NO_TARGET, "make lint", "done"),
    ("make lint test", NO_TARGET, "make test", PASSED),
    ("make lint test", NO_TARGET, "make lint", "done"),
    ("make lint test build", NO_TARGET, "make lint test", PASSED),
    ("make -C a lint test", TEST_TARGET, "make -C b test", PASSED),
    ("mvn test package", MAVEN_FAILED, "mvn test", "done"),
    ("npm test", JEST_FAILED, "npx jest src/y.test.ts", JEST_PASSED),
    ("npm test", JEST_FAILED, "npx jest src/x.test.ts -t adds", JEST_PASSED),
    ("npm test", JEST_FAILED.replace("1 failed, 3", "2 failed, 3"), "npx jest src/x.test.ts", JEST_PASSED),
    ("npm run lint && npm test", f"{JEST_FAILED}\n✖ 1 problem (1 error, 0 warnings)", "npx jest src", JEST_PASSED),
    ("pnpm test", VITEST_FAILED, "npx vitest run src/y.test.ts", VITEST_PASSED),
    ("go test ./...", GO_TREE, "go test ./b/one", GO_PASSED),
    ("go test ./...", GO_OTHER_TREE, "go test ./b/...", GO_PASSED),
    ("go test ./...", GO_TREE.replace("y/b", "y/a/b"), "go test ./b/...", GO_PASSED),
    ("go test ./...", GO_TREE, "go test ./b/... -run TestA", GO_PASSED),
    ("go test ./...", GO_TREE, "go test .", GO_PASSED),
    ("go test ./...", GO_TREE, "go test", GO_PASSED),
    ("go test ./... 2>&1 | tail -5", GO_TREE, "go test ./b/...", GO_PASSED),
    ("go test ./... 2>&1 | grep -A3 TestA", GO_TREE, "go test ./b/...", GO_PASSED),
    ("go test ./...", f"{GO_TREE}\n[output truncated]", "go test ./b/...", GO_PASSED),
    ('go test ./a/ -run "A|TestB"', GO_FAILED, 'go test ./b/ -run "TestB"', GO_PASSED),
    ('go test ./a/ -run "A|TestB"', GO_FAILED, 'go test ./a/ -run "TestC"', GO_PASSED),
    ("pytest", ONE_FAILED, "pytest tests/b.py", PASSED),
    ("pytest", ONE_FAILED, "pytest -k 'not test_b'", PASSED),
    ("pytest", ONE_FAILED.replace("1 failed", "3 failed"), "pytest tests/a.py::test_b", PASSED),
    ("go test ./a/", GO_FAILED, "npm test", "Tests: 12 passed, 12 total"),
    ("cargo test a oci::", MISUSED, "cargo build", "Finished"),
    ("npm run lint", "a.ts: TestB is unused\n1 error", "npm test", "Tests: 12 passed, 12 total"),
]


@pytest.mark.parametrize(("failed", "printed", "later", "output"), ENDED_BY_TESTS)
def test_what_was_tried_again_blocks_no_more_and_is_told_with_what_worked(
    failed: str, printed: str, later: str, output: str
) -> None:
    facts = [shell(failed, printed, 1, 1), shell(later, output, 0, 2)]
    assert blocker_lines(facts[:1])[1] == 1
    assert blocker_lines(facts) == ([], 0)
    assert any(line.endswith(f"; `{later}` worked since") for line in end_lines(facts))


def test_a_failure_of_several_targets_is_ended_by_each_of_them() -> None:
    facts = [
        shell("make lint test", NO_TARGET, 2, 1),
        shell("make lint", "done", 0, 2),
        shell("make test", PASSED, 0, 3),
    ]
    assert [blocker_lines(facts[:count])[1] for count in (1, 2, 3)] == [1, 1, 0]


@pytest.mark.parametrize(("failed", "printed", "later", "output"), ENDED_BY_NONE)
def test_what_was_not_tried_again_blocks(failed: str, printed: str, later: str, output: str) -> None:
    assert blocker_lines([shell(failed, printed, 1, 1), shell(later, output, 0, 2)])[1] == 1


def test_of_a_check_that_was_aborted_last_no_older_end_of_it_is_told_alone() -> None:
    facts = [shell("npm run check", "done", 0, 1), shell("npm run check | head -40", "Command aborted", 1, 2)]
    assert end_lines(facts) == [
        "- `npm run check | head -40`: aborted before it ended",
        "- `npm run check`: worked",
    ]
    assert blocker_lines(facts) == ([], 0)


def test_of_failures_that_another_run_ended_the_newest_two_are_told() -> None:
    """They have room of their own, so that they take none of what checks are told in."""
    failed = [
        shell(f"pytest tests/{name}.py", f"FAILED tests/{name}.py::test_{name}\n1 failed", 1, at)
        for at, name in enumerate("abc")
    ]
    facts = [*failed, shell("make test", "41 passed", 0, 9)]
    told = [line for line in end_lines(facts) if "worked since" in line]
    assert [line.split("`")[1] for line in told] == ["pytest tests/c.py", "pytest tests/b.py"]
    assert len(told) == MOST_AGAIN


@pytest.mark.parametrize(("count", "ended"), [(MOST_TESTS, True), (MOST_TESTS + 1, False)])
def test_of_a_line_that_quotes_more_tests_than_are_read_none_is_taken_for_all(count: int, ended: bool) -> None:
    names = [f"tests/a.py::test_{number}" for number in range(count)]
    failed = shell("pytest", f"FAILED {' '.join(names)}\n{count} failed", 1, 1)
    later = [shell(f"pytest {name}", PASSED, 0, at) for at, name in enumerate(names, 2)]
    assert blocker_lines([failed, *later])[1] == (0 if ended else 1)


@pytest.mark.parametrize(
    ("command", "output", "later"),
    [
        ("mvn clean test", MAVEN_FAILED, "mvn clean compile"),
        ("mvn clean install", MAVEN_FAILED, "mvn clean install -DskipTests"),
        ("mvn clean install", MAVEN_FAILED, "mvn clean install -Dmaven.test.skip=true"),
        ("mvn clean verify", MAVEN_FAILED, "mvn clean"),
        ("./gradlew clean test", GRADLE_FAILED, "./gradlew clean assemble"),
        ("./gradlew assemble", GRADLE_FAILED, "./gradlew assemble -x test"),
        ("./gradlew clean build", GRADLE_FAILED, "./gradlew clean"),
        ("make clean test", ONE_FAILED, "make clean build"),
        ("make clean all", ONE_FAILED, "make clean"),
        ("pdm run test", ONE_FAILED, "pdm run start"),
        ("hatch run test", ONE_FAILED, "hatch run start"),
    ],
)
def test_a_run_without_the_tests_ends_no_failure_of_them(command: str, output: str, later: str) -> None:
    lines, _ = blocker_lines([shell(command, output, 1, 1), shell(later, "done", 0, 2)])
    assert [line.partition("`: ")[0] for line in lines] == [f"- `{command}"]
    assert blocker_lines([shell(command, output, 1, 1), shell(command, "done", 0, 2)])[0] == []
