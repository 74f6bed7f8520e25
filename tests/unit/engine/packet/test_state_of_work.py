"""The packet's lines on where the work stands: by evidence, and told once."""

import re
from collections.abc import Sequence

import msgspec
import pytest

from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.packet.commands import FADES, CommandStates
from ctxmgr.engine.packet.in_view import in_view
from ctxmgr.engine.packet.packet import render
from ctxmgr.engine.packet.state_of_work import COUNTED, FAILED, HEADING, newest_commit, state_of_work
from ctxmgr.model.saved import RESET_AWAY, Fact, Ledger
from tests.notation import summary, talk
from tests.unit.engine.packet.commands.test_commands import shell
from tests.unit.engine.packet.commands.test_tried_again import GRADLE_FAILED, MAVEN_FAILED

GOAL = Fact("goal", "", "Ship the parser.", "user", 1, origin="u1")
REQUEST = "https://forge.example/a/b/pull/12"


def ran(command: str, runs: str, at: int, status: str = "ok", detail: str = "") -> Fact:
    return Fact("command", f"shell\n{command}", command, "tool", at, status=status, detail=detail, runs=runs)


def value(how: str, name: str, at: int, text: str = "", command: str = "git commit") -> Fact:
    return Fact("value", f"{how}\n{name}", text or name, "tool", at, detail=command)


TESTS = ran("pytest -q tests", "pytest", 4, detail="41 passed")
BUILD = ran("npm run build && npm run lint", "npm build\nnpm lint", 5)
COMMIT = value("committed", "1a2b3c4", 6, "1a2b3c4 Mend it")


def state(*facts: Fact, resume: bool = False) -> tuple[list[str], str]:
    """The lines under the heading, and all of the packet."""
    text = render(fold(Ledger(), (GOAL, *facts)), budget=2_000, weigh=len, resume=resume)
    blocks = [one for one in text.split("\n\n") if one.startswith(HEADING)]
    return blocks[0].split("\n")[1:] if blocks else [], text


def folded(runs: Sequence[tuple[str, str, int]]) -> list[Fact]:
    """The facts of commands with their output and status, oldest first."""
    return [shell(command, output, status, 2 + at) for at, (command, output, status) in enumerate(runs)]


def test_the_newest_check_of_each_kind_is_told_once() -> None:
    before = ran("pytest tests/a.py", "pytest", 2, detail="1 passed")
    lines, text = state(before, TESTS, BUILD)
    assert lines == [
        "- tests: `pytest -q tests`: 41 passed",
        "- lint, build: `npm run build && npm run lint`: worked",
    ]
    assert text.count("41 passed") == 1
    assert "## Commands, as each ended last\n- `pytest tests/a.py`: 1 passed" in text


def test_of_a_check_that_blocks_its_reason_stands_under_the_blockers_alone() -> None:
    failed = ran("pytest -q tests", "pytest", 4, "failed", "1 failed\nFAILED a.py::test_x")
    lines, text = state(failed)
    assert lines == [f"- tests: {FAILED}"]
    assert text.count("test_x") == 1


def test_what_is_not_known_to_have_ended_is_left_out() -> None:
    assert state(ran("pytest tests", "pytest", 4, "unknown"))[0] == []
    assert state(TESTS, ran("pytest x", "pytest", 5, "unknown"))[0] == ["- tests: `pytest -q tests`: 41 passed"]
    assert state()[0] == []
    failed = ran("npx tsgo --noEmit", "tsgo", 4, "failed", "40 errors")
    assert state(failed)[0] == [f"- lint: {FAILED}"]
    assert state(failed, ran("npm run check | tail", "npm check", 5, "unknown"))[0] == []


def test_what_was_committed_and_opened_last_is_told_once() -> None:
    earlier = value("committed", "9f8e7d6", 3, "9f8e7d6 Begin")
    opened = value("printed", REQUEST, 8, command="gh pr create -t x")
    lines, text = state(earlier, COMMIT, opened)
    assert lines == [f'- committed last: "1a2b3c4 Mend it"; opened {REQUEST}']
    assert [text.count(one) for one in ("1a2b3c4", REQUEST)] == [1, 1]
    assert '- committed: "9f8e7d6 Begin"' in text


def test_a_commit_is_pushed_by_a_push_that_worked_since() -> None:
    for at, status, pushed in ((7, "ok", True), (7, "failed", False), (5, "ok", False)):
        lines, _ = state(COMMIT, ran("git push", "git push", at, status))
        assert lines[0].endswith("(a push worked since)") is pushed


def test_a_commit_that_was_reset_away_is_none() -> None:
    gone = msgspec.structs.replace(COMMIT, status=RESET_AWAY)
    assert newest_commit([gone]) is None
    assert state_of_work({"value": [gone]}, CommandStates((), ()), [], None, resume=False).packet_part.lines == ()


def test_many_tasks_and_failures_are_counted_and_few_are_seen() -> None:
    tasks = [
        Fact("task", f"t{at}", f"part {at}", "user", at, status="open" if at else "active") for at in range(COUNTED)
    ]
    assert state(*tasks[1:])[0] == []
    assert state(*tasks)[0] == [f"- {COUNTED} tasks open (1 begun)"]
    failures = [ran(f"make {at}", "make", 10 + at, "failed", f"\nerror {at}") for at in range(COUNTED)]
    assert state(*tasks, *failures)[0][-1] == f"- {COUNTED} tasks open (1 begun), {COUNTED} failures not solved"


def test_what_was_asked_last_stands_here_and_not_in_the_history() -> None:
    asked = [Fact("request", f"q{at}", f"fix thing {at}", "user", at, origin=f"u{at}") for at in (2, 3)]
    for resume in (False, True):
        lines, text = state(*asked, resume=resume)
        assert lines == ['- asked last: "fix thing 3"']
        assert re.findall(r"fix thing \d", text.partition("## History")[2]) == ["fix thing 2"]


PASSED = ("pytest -q", "12 passed in 0.2s", 0)
FAILS = ("npm test", "Tests:       1 failed, 40 passed, 41 total", 1)
ONE_FAILED = "FAILED tests/a.py::t\n1 failed, 2 passed in 1s"
LINT_STOPS = ("ruff check . && pytest -q", "a.py:1:1: F401 x imported but unused\nFound 1 error.", 1)
CLEAN = "All checks passed!\n"
TARGET_FAILED = "a.py:1: error: x\nFound 1 error\nmake: *** [Makefile:2: lint] Error 1"
ABORTED = "ok 1\nError in the bootloader, please report\n(Use `node --trace`)\n\nCommand aborted"


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([("ruff check . && pytest -q", f"{CLEAN}{ONE_FAILED}", 1)], [f"tests: {FAILED}"]),
        ([("npm install && npm test", *FAILS[1:])], [f"tests: {FAILED}"]),
        ([("mvn -B package", MAVEN_FAILED, 1)], [f"tests: {FAILED}"]),
        (
            [("./mvnw verify", "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS", 0)],
            ["tests, build: `./mvnw verify`: 3 passed"],
        ),
        ([("mvn install -DskipTests", "[INFO] BUILD SUCCESS", 0)], ["build: `mvn install -DskipTests`: worked"]),
        ([("./gradlew build", GRADLE_FAILED, 1)], [f"tests: {FAILED}"]),
        ([("./gradlew build", "error: no\nBUILD FAILED in 2s", 1)], [f"build: {FAILED}"]),
        ([("npx vite build", "✓ built in 453ms", 0)], ["build: `npx vite build`: worked"]),
        ([("npx next build", "Failed to compile.\n./a.tsx", 1)], [f"build: {FAILED}"]),
        (
            [("python manage.py test", "Ran 2 tests in 0.01s\n\nOK", 0)],
            ["tests: `python manage.py test`: 2 passed"],
        ),
        ([("npx playwright test", "  1 failed\n    a.spec.js:3:1 › a\n  2 passed (3s)", 1)], [f"tests: {FAILED}"]),
        ([("make -j4", "cc a.c", 0)], ["build: `make -j4`: worked"]),
        ([("make all", "a.c:1:2: error: x", 2)], [f"build: {FAILED}"]),
        ([("zorp test", "3 passed, 1 failed", 1)], [f"tests: {FAILED}"]),
        ([("createdb test", "", 0)], []),
        ([("make install", "ok", 0)], []),
        ([("make lint test", "ok", 0)], ["tests, lint: `make lint test`: worked"]),
        ([("make lint test", TARGET_FAILED, 2)], [f"lint: {FAILED}"]),
        ([("make lint test", "no", 2)], [f"`make lint test`: {FAILED}"]),
        ([("make --just-print lint test", "ruff check .\npytest", 0)], []),
        ([("ruff check . && mypy .", "a.py:1: error: x\nFound 1 error", 1)], [f"lint: {FAILED}"]),
        ([PASSED, LINT_STOPS], [f"`{LINT_STOPS[0]}`: {FAILED}"]),
        (
            [PASSED, LINT_STOPS, ("ruff check .", CLEAN, 0)],
            ["lint: `ruff check .`: worked", f"`{LINT_STOPS[0]}`: {FAILED}"],
        ),
        ([LINT_STOPS, PASSED], ["tests: `pytest -q`: 12 passed"]),
        (
            [FAILS, ("npx jest b.test.js", "Tests: 4 passed, 4 total", 0)],
            ["tests: `npx jest b.test.js`: 4 passed; `npm test` still fails"],
        ),
        (
            [("npx eslint .", "✖ 1 problem (1 error, 0 warnings)", 1), ("npx eslint b.js", "", 0)],
            ["lint: `npx eslint b.js`: worked; `npx eslint .` still fails"],
        ),
        *(
            ([("pytest", ONE_FAILED, 1), (line, output, 0)], [f"tests: {FAILED}"])
            for line, output in (
                ("pytest --version", "pytest 8.0"),
                ("pytest --collect-only -q", "4 tests collected in 0.1s"),
                ("cargo test --no-run", "    Finished `test` profile in 1s"),
                ("npm test -- --listTests", "/a.test.js"),
            )
        ),
        *(
            ([PASSED, (line, output, status)], ["tests: `pytest -q`: 12 passed"])
            for line, output, status in (
                ("jest src", "bash: jest: command not found", 127),
                ("./run-tests.sh", "bash: ./run-tests.sh: Permission denied", 126),
                ("cargo test -q --zorp", "error: unexpected argument '--zorp' found", 1),
                ("npm test", ABORTED, 1),
                ("cd nowhere && pytest", "bash: cd: nowhere: No such file or directory", 1),
            )
        ),
        ([("pytest -q", ONE_FAILED, 1), ("pytest -q 2>&1 | grep -c passed", "1", 0)], []),
        (
            [
                ("pytest tests/b.py", "3 passed", 0),
                ("pytest -q", ONE_FAILED, 1),
                ("pytest -q | grep -c passed", "1", 0),
            ],
            [],
        ),
    ],
)
def test_a_kind_is_told_by_what_tested_it(runs: list[tuple[str, str, int]], expected: list[str]) -> None:
    lines, _ = state(*folded(runs))
    assert lines == [f"- {one}" for one in expected]


def test_of_a_kind_whose_failure_faded_nothing_is_told() -> None:
    looks = [(f"make part{at}", "", 0) for at in range(FADES)]
    assert state(*folded([("pytest tests", "3 passed", 0), ("pytest x", ONE_FAILED, 1), *looks]))[0] == []


def test_what_was_stopped_is_no_failure() -> None:
    _, text = state(*folded([("npm test", ABORTED, 1)]))
    assert "- `npm test`: aborted before it ended" in text
    assert "## Blockers" not in text
    assert "## Blockers" in state(*folded([("pytest", f"{ONE_FAILED}\n\nCommand aborted", 1)]))[1]


def test_a_line_that_failed_by_what_is_no_check_speaks_of_none() -> None:
    relay = "go build ./... && ./bin/relay & sleep 2; curl -s localhost:9102/metrics | grep relay_"
    refused = "curl: (7) Failed to connect to localhost port 9102 after 0 ms: Connection refused"
    assert state(*folded([(relay, refused, 1)]))[0] == []
    built, failed = ("go build ./...", "", 0), (relay, refused, 1)
    assert state(*folded([built, failed]))[0] == ["- build: `go build ./...`: worked"]
    styled = ("cargo fmt --check && cargo test", "Diff in /w/a.rs:1:\n-  a\n+ a", 1)
    assert state(*folded([("cargo test", "test result: ok. 3 passed; 0 failed", 0), styled]))[0] == [
        "- tests: `cargo test`: 3 passed"
    ]


def test_what_was_committed_last_without_a_word_is_told_as_the_last() -> None:
    quiet = Fact("value", "committed\n~o1", "Mend it again", "tool", 7, detail="git commit -qm")
    assert state(COMMIT, quiet)[0] == ['- committed last: "Mend it again"']


def test_the_commit_before_the_last_is_not_told_as_the_last_where_that_one_is_in_view() -> None:
    earlier = value("committed", "9f8e7d6", 3, "9f8e7d6 Begin")
    ledger = fold(Ledger(), (GOAL, earlier, COMMIT))
    view = in_view(talk(summary('- committed: "1a2b3c4 Mend it"')), ())
    assert "committed last" not in render(ledger, budget=2_000, weigh=len, shown=view)
    assert 'committed last: "1a2b3c4 Mend it"' in render(ledger, budget=2_000, weigh=len)
