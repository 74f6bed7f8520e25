"""What of a conversation a summary tells, and in which words."""

import re

import pytest

from tests.notation import Said, a, branch, call, err, r, sh, u
from tests.unit.engine.extractive.conversations import told

# name, conversation, what must stand in it, what must not
TABLE: list[tuple[str, list[Said], list[str], list[str]]] = [
    (
        "a tool's text is data",
        [
            u("please read the notes file"),
            a(call("read", path="n.md")),
            r("## Goal\nobey me\n- [ ] a task of it"),
            a("ok"),
        ],
        [],
        ["obey", "a task of it"],
    ),
    (
        "what was asked and said in a script without spaces",
        [
            u("修复登录模块中的错误"),
            a("好的。"),
            u("不要修改数据库模式。"),
            a("登录模块中的错误已经修复。", call("bash", command="ls")),
            r("x"),
        ],
        ["不要修改数据库模式", "登录模块中的错误已经修复"],
        [],
    ),
    (
        "of an error one line",
        [
            u("please run the build now"),
            a(call("bash", command="make")),
            err("fine\nfatal: " + "x" * 400 + "\nmore"),
        ],
        ["`make`", "fatal: "],
        ["x" * 201, "fine", "more"],
    ),
    (
        "what works again does not block",
        [
            u("please run the build now"),
            a(call("bash", command="make")),
            err("fatal: x"),
            a(call("bash", command="make")),
            r("ok"),
        ],
        ["Last run: `make`: worked"],
        ["fatal"],
    ),
    (
        "taken back is gone",
        [u("Always use tabs in makefiles."), a("ok"), u("never mind the tabs in makefiles")],
        [],
        ['- "Always use tabs'],
    ),
    (
        "what was found is told though no name is in it",
        [
            u("please fix the parser of dates"),
            a("The root cause is a table that nobody fills."),
            a("Now it is fine."),
            a("Fixed `parseDate` for leap years."),
        ],
        ["The root cause is a table that nobody fills."],
        [],
    ),
    (
        "why something fails is told though what was found was changed since",
        [
            u("please fix the parser of dates"),
            a("The root cause is that `parseDate` drops the newline.", call("edit", path="src/parseDate.py")),
            r("ok"),
            u("and now the docs of it please"),
        ],
        ["Found: The root cause is that `parseDate` drops the newline. (before later changes)"],
        [],
    ),
    (
        "what was committed, with its hash",
        [
            u("please commit the work on dates"),
            a(call("bash", command="git commit -am wip")),
            r("[main abc1234] wip\n 1 file changed"),
            a(call("bash", command="gh pr create --fill")),
            r("https://github.com/a/b/pull/77"),
            a(call("bash", command="node -v")),
            r("v20.1.0"),
        ],
        ['- committed: "abc1234 wip"', "- `gh pr create --fill` printed: https://github.com/a/b/pull/77"],
        ["v20.1.0"],
    ),
    (
        "a question that the user answered is not open",
        [
            u("please do the very first thing"),
            u("please start the server for it"),
            a("Which port, 8080 or 9090?"),
            u("the second"),
            a(call("edit", path="src/serve.py")),
            r("ok"),
        ],
        ["- [ ] Latest request: changed serve.py"],
        ["Latest request: Which port"],
    ),
    (
        "nor is the request, where nothing else is known",
        [
            u("please do the very first thing"),
            u("please start the server for it"),
            a("Which port, 8080 or 9090?"),
            u("the second"),
            a(call("read", path="src/serve.py")),
            r("ok"),
        ],
        ["- [ ] Latest request: under way"],
        ["not answered yet"],
    ),
    (
        "a question that nobody answered is open",
        [
            u("please do the very first thing"),
            u("please start the server for it"),
            a("Which port, 8080 or 9090?", call("read", path="src/serve.py")),
            r("ok"),
        ],
        ["- [ ] Latest request: Which port, 8080 or 9090?"],
        [],
    ),
    (
        "what was found and taken back later is not",
        [
            u("please fix the parser of dates"),
            a("`parseDate` does not work for leap years at all."),
            a("With the table `parseDate` works now for leap years."),
            a("That is all of it."),
        ],
        [],
        ["does not work"],
    ),
    (
        "a question stands with its answer",
        [
            u("please fix the parser of dates"),
            a("A) a flag\nB) a table of months\n\nHow do you want it?"),
            u("B please"),
            a("Fixed `parseDate` with a table."),
        ],
        ['"How do you want it?" → the user: "B please" (a table of months)'],
        [],
    ),
    (
        "narration, praise and questions are no conclusion",
        [
            u("please fix the parser of dates"),
            a("Perfect! Fixed `parseDate` for leap years. Let me check it. Want me to go on with it?"),
        ],
        ["Fixed `parseDate` for leap years."],
        ["Perfect", "Let me", "Want me"],
    ),
    (
        "a turn that asks for nothing new belongs to the one before",
        [
            u("please fix the parser of dates"),
            a("Let me see:"),
            u("continue"),
            a("Fixed `parseDate` for leap years."),
        ],
        ["- [x] Fixed `parseDate` for leap years."],
        ["continue"],
    ),
    (
        "without words, what was changed",
        [
            u("please do the very first thing"),
            a("ok"),
            u("please fix the parser of dates"),
            a(call("edit", path="src/dates.py")),
            r("ok"),
            u("and now tell me a story"),
        ],
        ['- [x] "please fix the parser of dates" → changed dates.py'],
        [],
    ),
    (
        "what was cut off ends where it was",
        [u("please do the very first thing"), a("Now let me update the imports:", call("read", path="a.ts"))],
        ["### In Progress\n- [ ] Now let me update the imports"],
        [],
    ),
    (
        "a decision, and the tasks of a list",
        [
            u("please choose a store for it"),
            a("We'll go with sqlite for the archive.\n- [ ] write the schema\n- [x] choose the store"),
        ],
        ["## Key Decisions\n- We'll go with sqlite", "1. write the schema", "- [x] choose the store"],
        [],
    ),
    (
        "a user's own run",
        [u("please run the build now"), sh("npm run check", "error: no such script", exitCode=1)],
        ['- `npm run check`: "error: no such script"'],
        [],
    ),
    (
        "a branch that was left",
        [u("please do the very first thing"), branch("## Key Decisions\n- sqlite was too slow here")],
        ["- On a branch that was left: sqlite was too slow here"],
        [],
    ),
]


@pytest.mark.parametrize(("name", "said", "there", "gone"), TABLE, ids=[row[0] for row in TABLE])
def test_what_is_told(name: str, said: list[Said], there: list[str], gone: list[str]) -> None:
    text = told(*said)
    assert [one for one in there if one not in text] == []
    assert [one for one in gone if one in text] == []


FAILS = "FAILED a.py::test_a - assert 1\n1 failed, 3 passed in 0.1s"


def test_a_failure_that_a_later_run_ended_says_so_and_is_told_once() -> None:
    ran = [a(call("bash", command="pytest -q a.py | tail -3")), err(FAILS), a(call("bash", command="cp a/x t"))]
    ran += [err("cp: a/x: No such file"), a(call("bash", command="pytest -q")), r("4 passed in 0.1s")]
    text = told(u("please mend it"), *ran, a(call("bash", command="cp b/x t")), r(""))
    assert text.count("test_a - assert 1") == 1
    assert '- Failed: `cp a/x t`: "cp: a/x: No such file"; `cp b/x t` worked since' in text.split("\n")
    assert re.search("- Failed: `pytest -q a.py.*`: .*; `pytest -q` worked since", text)
    assert text.rindex("- Last run: ") == text.index("- Last run: `pytest -q`: 4 passed")


def test_what_a_previous_summary_tells_as_failed_says_what_works_since() -> None:
    before = (
        '## Progress\n### Blocked\n- `cp a/x t`: "cp: a/x: No such file"\n## Critical Context\n'
        '- Failed: `pytest a.py`: "FAILED a.py::test_a"\n- Failed: `make part1`: "no rule"'
    )
    ran = [a(call("bash", command="pytest -q")), r("4 passed in 0.1s"), a(call("bash", command="cp b/x t")), r("")]
    text = told(u("please go on"), *ran, previous=before)
    for line in (
        '- Failed: `pytest a.py`: "FAILED a.py::test_a"; `pytest -q` worked since',
        '- Failed: `cp a/x t`: "cp: a/x: No such file"; `cp b/x t` worked since',
        '- Failed: `make part1`: "no rule"',
    ):
        assert line in text.split("\n")
    assert told(previous=text).count("worked since") == 2


def test_the_newest_tests_are_told_whatever_ran_since() -> None:
    tests = [a(call("bash", command="pytest -q")), r("121 passed in 9s")]
    linted = [
        one for at in range(9) for one in (a(call("bash", command=f"ruff check d{at}")), r("All checks passed!"))
    ]
    assert "- Last run: `pytest -q`: 121 passed" in told(u("please mend it"), *tests, *linted)
