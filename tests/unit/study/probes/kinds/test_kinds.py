"""Each kind of probe: what is asked, what answers it in full, by half and not at all, and when it is used again."""

import pytest

from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.built import Asked, answers, graded, grades, probes_of
from tests.unit.study.probes.conversations import COMMITTED, EDIT, FAILING, PASSING, TASKS, TEST_RUN

LONG = "please raise the limit of the parser to twenty five and tell nobody about the old one"

# kind, the conversation, and lists with the grade of their first probe of that kind
CASES: dict[str, tuple[Asked, list[tuple[tuple[Said, ...], float]]]] = {
    "goal": (
        probes_of(u(LONG), a("fine")),
        [((u(LONG),), 1), ((u("please raise the limit of the parser"),), 1 / 3), ((u("hello"),), 0)],
    ),
    "constraint": (
        probes_of(u("look around. you must never touch the lock file"), a("fine")),
        [((u("- you must never touch the lock file"),), 1), ((u("the lock file"),), 0)],
    ),
    "correction": (
        probes_of(u("no, that is wrong, it belongs in the parser"), a("fine")),
        [((u("That is wrong"),), 0), ((u("no, that is wrong, it belongs in the parser"),), 1)],
    ),
    "asks": (
        probes_of(u("first"), u(LONG), a("fine")),
        [((u(LONG),), 1), ((u("first"),), 0)],
    ),
    "question": (
        probes_of(u("go"), a("Done so far. Should I use the old parser?"), u("yes, the old one"), a("fine")),
        [
            ((u("should i use the old parser -> yes, the old one"),), 1),
            ((u("yes, the old one"),), 0.5),
            ((u("nothing"),), 0),
        ],
    ),
    "instructions": (
        probes_of(u("go"), a(call("read", path="docs/AGENTS.md")), r("Use tabs, not spaces.\nBe brief.")),
        [
            ((u("- use tabs, not spaces\n- be brief"),), 1),
            ((u("Be brief."),), 0.5),
            ((u("docs/AGENTS.md was read"),), 0),
        ],
    ),
    "tasks": (
        probes_of(u("go"), a(TASKS), r("ok")),
        [
            ((u("- [ ] write the parser"),), 1),
            ((u("## Open\n- write the parser"),), 1),
            ((u("- [x] write the parser"),), 0.5),
            ((u("write the docs"),), 0),
        ],
    ),
    "files.modified": (
        probes_of(u("go"), a(EDIT), r("ok")),
        [
            ((u("changed src/core/parse.ts"),), 1),
            ((u("## Files changed\n- src/core/: lex.ts, parse.ts"),), 1),
            ((u("src/core/parse.ts"),), 0.5),
            ((u("src/core/lex.ts"),), 0),
        ],
    ),
    "files.read": (
        probes_of(u("go"), a(call("read", path="src/core/lex.ts")), r("text")),
        [((u("lex.ts"),), 1), ((u("src/core"),), 0)],
    ),
    "file.state": (
        probes_of(u("go"), a(EDIT), r("ok")),
        [
            ((u("changed src/core/parse.ts\n   12 const limit = 25;"),), 1),
            ((u("const limit = 25;"),), 0.5),
            ((u("changed src/core/parse.ts"),), 0.5),
            ((u("src/core/parse.ts"),), 0.25),
            ((u("const limit = 26;"),), 0),
        ],
    ),
    "errors": (
        probes_of(
            u("go"), a(call("bash", command="./deploy --now")), err("fatal: no such remote\nmore\nCommand exited")
        ),
        [
            ((u("`./deploy --now`: fatal: no such remote"),), 1),
            ((u("fatal: no such remote"),), 0.5),
            ((u("./deploy --now"),), 0.5),
            ((u("./deploy --later"),), 0),
        ],
    ),
    "tests": (
        probes_of(u("go"), a(TEST_RUN), r(FAILING)),
        [
            ((u("npm run test: 2 failed, 5 passed"),), 1),
            ((u("## Failed\n- `npm run test`"),), 1),
            ((u("## Working\n- `npm run test`"),), 0.5),
            ((u("2 failed, 5 passed"),), 0.5),
            ((u("nothing"),), 0),
        ],
    ),
    "commits": (
        probes_of(u("go"), a(call("bash", command="git commit -m x")), r(COMMITTED)),
        [
            ((u("1a2b3c4 Raise the limit of the parser"),), 1),
            ((u("1a2b3c4"),), 0.5),
            ((u("raise the limit of the parser"),), 0.5),
            ((u("1a2b3c45"),), 0),
        ],
    ),
    "env": (
        probes_of(u("go"), a(call("bash", command="git commit -m x")), r(COMMITTED)),
        [((u("on topic/limits"),), 1), ((u("on topic"),), 0)],
    ),
    "next": (
        probes_of(u("go"), a("Read it all. Now I'll write the parser for blocks.")),
        [((u("now i'll write the parser for blocks"),), 1), ((u("write it"),), 0)],
    ),
}


@pytest.mark.parametrize(
    ("kind", "shown", "share"),
    [(kind, shown, share) for kind, (_, lists) in CASES.items() for shown, share in lists],
)
def test_a_list_answers_what_it_holds(kind: str, shown: tuple[Said, ...], share: float) -> None:
    assert grades(CASES[kind][0], kind, *shown)[0] == pytest.approx(share)


def test_every_kind_has_a_case() -> None:
    from ctxmgr.study.probes.figures import KINDS

    assert set(CASES) == set(KINDS)


def test_a_file_that_was_made_anew_is_asked_as_it_is_now() -> None:
    said = (
        u("go"),
        a(call("bash", command="rm src/a.ts")),
        r(""),
        a(call("write", path="src/a.ts", content="x")),
        r("ok"),
    )
    assert answers(probes_of(*said, end=3), "files.modified") == ["deleted"]
    assert answers(probes_of(*said), "files.modified") == ["changed"]


def test_a_change_that_failed_is_none() -> None:
    assert probes_of(u("go"), a(EDIT), err("could not find the text")).of("files.modified") == []


LINE = "error: the parser of blocks can not read the second brace of line twelve"


@pytest.mark.parametrize(
    ("shown", "share"), [(LINE, 0.5), ("error: the parser of blocks can…", 0.5 / 3), ("the parser of blocks", 0)]
)
def test_a_line_of_output_is_found_in_pieces_of_six_words(shown: str, share: float) -> None:
    failed = probes_of(u("go"), a(call("bash", command="./deploy --now")), err(LINE))
    assert graded(failed, "errors", u(shown)) == pytest.approx(share)
    tested = probes_of(u("go"), a(TEST_RUN), err(LINE))
    assert graded(tested, "tests", u(shown)) == pytest.approx(share)


def test_the_error_line_of_a_record_has_nothing_of_the_record() -> None:
    printed = '{"chunk_id":"1","exit_code":1,"output":"error: no such file\\nmore"}'
    run = a(call("exec", input='await tools.exec_command({cmd:"cargo run --now"})'))
    asked = probes_of(u("go"), run, r(printed))
    assert answers(asked, "errors") == ["error: no such file"]
    assert graded(asked, "errors", u("`cargo run --now`: error: no such file")) == 1


def test_an_error_is_over_when_the_same_command_works() -> None:
    run = call("bash", command="./deploy --now")
    said = (u("go"), a(run), err("fatal: no such remote"), a(run), r("sent"))
    assert len(probes_of(*said, end=3).of("errors")) == 1
    assert probes_of(*said).of("errors") == []


def test_an_edit_that_failed_is_over_when_the_file_was_changed() -> None:
    write = call("write", path="src/core/parse.ts", content="x")
    said = (u("go"), a(EDIT), err("could not find the text"), a(write), r("ok"))
    assert len(probes_of(*said, end=3).of("errors")) == 1
    assert probes_of(*said).of("errors") == []


def test_of_a_test_the_newest_run_counts() -> None:
    said = (u("go"), a(TEST_RUN), r(FAILING), a(TEST_RUN), r(PASSING))
    assert answers(probes_of(*said), "tests") == [PASSING]


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_last_three_requests_are_asked(count: int) -> None:
    said = [u(f"do number {number}") for number in range(count)]
    asked = answers(probes_of(*said, a("fine")), "asks")
    assert asked == [f"do number {number}" for number in reversed(range(max(0, count - 3), count))]


def test_only_prose_is_asked() -> None:
    asked = probes_of(u("mend this:\n```\nlog line one\n```\nand tell me"), a("fine"))
    assert graded(asked, "goal", u("mend this"), u("and tell me")) == 1


def test_commands_of_the_host_are_no_requests() -> None:
    asked = probes_of(u("/model"), u("[Request interrupted by user]"), u("mend the parser"), a("fine"))
    assert answers(asked, "goal") == ["mend the parser"]


def test_a_task_set_one_by_one_has_its_last_state() -> None:
    said = (
        u("go"),
        a(call("TaskCreate", subject="write the parser", description="all of it")),
        r("Task #1 created"),
        a(call("TaskUpdate", taskId="1", status="completed")),
        r("Updated task #1"),
    )
    assert answers(probes_of(*said, end=3), "tasks") == ["not done"]
    assert answers(probes_of(*said), "tasks") == ["done"]
    assert graded(probes_of(*said), "tasks", *said) == 1


def test_a_task_keeps_its_text_where_only_what_it_is_about_is_told_anew() -> None:
    said = (
        u("go"),
        a(call("TaskCreate", subject="write the parser", description="all of it")),
        r("Task #1 created"),
        a(call("TaskUpdate", taskId="1", status="in_progress", description="the lexer is missing as well")),
        r("Updated task #1"),
    )
    (asked,) = probes_of(*said).of("tasks")
    assert "write the parser" in asked.question
    assert graded(probes_of(*said), "tasks", *said) == 1


def test_a_run_in_the_background_ends_where_its_end_is_told() -> None:
    said = (
        u("go"),
        a(call("exec_command", cmd="cargo test")),
        r("Process running with session ID 7\nOutput:\nCompiling"),
        a(call("write_stdin", session_id=7, chars="")),
        r("Process exited with code 101\nOutput:\ntest result: FAILED. 1 failed"),
    )
    assert probes_of(*said, end=3).of("tests") == []
    assert answers(probes_of(*said), "tests") == ["test result: FAILED. 1 failed"]


def test_what_was_announced_long_ago_is_no_next_step() -> None:
    said = [u("go"), a("Now I'll write the parser for blocks."), *(a(f"reply {number}") for number in range(20))]
    assert len(probes_of(*said[:-1]).of("next")) == 1
    assert probes_of(*said).of("next") == []
