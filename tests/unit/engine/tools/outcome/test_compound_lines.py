"""What the output says of commands in loops, conditions, groups and pipes, where no status speaks of them."""

import pytest

from ctxmgr.engine.tools import CallOutcome, counts_text, tool_call, weighed_run
from tests.unit.engine.tools.outcome.shell_lines import ended

FAILS = "FAILED tests/a.py::test_one - x\n1 failed, 2 passed in 0.10s"
PASSES = "3 passed in 0.10s"

WITHIN = [
    "(cd app && pytest -q) | tail -5",
    "(cd app; pytest -q; echo done) 2>&1 | tail",
    "{ pytest -q; } | tail -3",
    "{ pytest -q; echo done; } 2>&1 | tee log | tail -3",
    "if pytest -q; then echo good; else echo bad; fi",
    "if ! pytest -q; then\n  echo bad\nfi",
    "if [[ -f a.py && $X == y* ]]; then pytest -q | tail -3; fi",
    "if [ -d app ]; then (cd app && pytest -q); fi | tail -3",
    "pytest -q 2>&1 | tail -5 & wait",
    "pytest -q &\nwait $!\ntail -1 notes",
    "case $1 in\n  all) pytest -q ;;\n  *) echo none ;;\nesac",
    "run() { pytest -q; }; true",
    "cat list | while read -r one; do pytest -q $one | tail -2; done",
    "for one in a b; do (cd $one && pytest -q | tail -1); done",
    "for one in a b; do\n  pytest -q $one\ndone 2>&1 | tail -5",
    "for ((i = 0; i < 2; i++)); do pytest -q; done",
    "cd app; set +e; pytest -q; X=$?; if (( X )); then echo bad; fi",
    "pytest -q <<< one | tail -3",
    "pytest -q ${X:+$(ls)} | tail -3",
    "pytest -q $(git ls-files 'tests/*.py') | tail -3",
    'out=$(pytest -q 2>&1); echo "$out" | tail -3',
    "diff <(pytest -q) old; true",
]


@pytest.mark.parametrize("command", WITHIN)
def test_a_check_that_failed_within_a_line_is_read_by_its_reader(command: str) -> None:
    assert ended(command, FAILS) == "failed"
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    _, found = weighed_run(shell, FAILS, "failed")
    assert (counts_text(found.counts), found.lines[0]) == ("1 failed, 2 passed", FAILS.split("\n")[0])


@pytest.mark.parametrize("command", WITHIN)
def test_no_status_of_0_makes_a_success_of_what_it_does_not_speak_of(command: str) -> None:
    assert ended(command, "text") == "unknown"


@pytest.mark.parametrize("command", [one for one in WITHIN if not one.startswith(("diff", "out="))])
def test_one_check_that_shows_that_it_passed_went_well_wherever_it_stands(command: str) -> None:
    often = any(word in command for word in ("for ", "while ", "run()"))
    assert ended(command, PASSES) == ("unknown" if often else "ok")  # one of several may have said nothing


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("for one in a b; do (cd $one && pytest -q | tail -1); done", "3 passed in 1s\n1 failed in 1s", "failed"),
        ("for one in a b; do (cd $one && pytest -q | tail -1); done", "1 failed in 1s\n3 passed in 1s", "failed"),
        ("for one in 1 2 3; do pytest -q && break; done", "1 failed in 1s\n3 passed in 1s", "unknown"),
        ("for one in 1 2 3; do pytest -q && break; done", "1 failed in 1s\n1 failed in 1s", "failed"),
        ("until pytest -q; do sleep 1; done", "1 failed in 1s\n3 passed in 1s", "unknown"),
        ("while ! pytest -q; do sleep 1; done", "1 failed in 1s", "failed"),
        ("(cd a && pytest -q; cd ../b && npx tsc) | tail", "a.ts(1,2): error TS2304: no", "failed"),
        ("(cd a && pytest -q; cd ../b && npx tsc) | tail", "3 passed in 1s", "unknown"),
        ("(pytest -q) > log 2>&1; tail -1 log", "1 failed in 1s", "failed"),
        ("(pytest -q) > log 2>&1; tail -1 log", "1 passed in 1s", "unknown"),
        ("(pytest -q) | grep passed", "1 passed in 1s", "unknown"),
        ("if [ -f a.py ]; then echo yes; fi", "yes", "unknown"),
        ("if [ -f a.py ]; then echo yes; fi; pytest -q", "3 passed in 1s", "ok"),
        ("if [ -f a.py ]; then echo yes; fi; pytest -q", "text", "ok"),  # of which the status speaks
        ("for one in a b; do echo $one; done; make", "a\nb", "ok"),
        ("set -e\nfor one in a b; do echo $one; done\nmake\nmake install", "a\nb", "ok"),
        ("set -e\nif true; then make; fi\nmake install", "a\nb", "unknown"),
        ("npm run dev & sleep 2; curl -s http://a/", "ready", "unknown"),
        ("for one in a b; do grep -c $one c.txt; done", "1\n0", "unknown"),
        ("for one in a b; do cat $one; done", FAILS, "unknown"),  # what a look prints is no outcome
        ("echo 'if pytest then' | cat", FAILS, "ok"),
        ("for u in a b; do curl -s -o x -w '%{http_code}\\n' $u; done", "200\n404", "failed"),
        ("until curl -s -o x -w '%{http_code}\\n' a; do sleep 1; done", "000\n200", "unknown"),
        ("until curl -s -o x -w '%{http_code}\\n' a; do sleep 1; done", "000\n000", "failed"),
    ],
)
def test_what_several_runs_print_is_told_as_far_as_it_is_sure(
    command: str, text: str, expected: CallOutcome
) -> None:
    assert ended(command, text) == expected


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("for one in a b; do grep $one c.txt; done", 1, "unknown"),
        ("if grep -q a c.txt; then make; fi", 1, "unknown"),
        ("if grep -q a c.txt; then make; fi", 2, "failed"),
        ("for one in a b; do make $one; done", 1, "failed"),
        ("(cd app && pytest -q) | tail -5", 1, "failed"),
    ],
)
def test_a_status_of_such_a_line_that_may_be_an_answer_is_unknown(
    command: str, status: int, expected: CallOutcome
) -> None:
    assert ended(command, "", status) == expected


@pytest.mark.parametrize(
    "command", ["(pytest -q", "for one in a b; do pytest", "echo 'a", "fi", "a) b", "{ } }", "((", "case"]
)
def test_a_line_that_no_shell_would_run_is_unknown(command: str) -> None:
    assert ended(command, "text") == "unknown"
