"""Each kind of probe: what is asked, what answers it in full, by half and not at all, and when it is used again."""

import pytest

from ctxmgr.study.probes.figures import KINDS
from ctxmgr.study.probes.history import SessionHistory
from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.messages import read_message
from tests.notation import Said, a, call, err, r, raws, u
from tests.unit.study.probes.built import (
    COMMITTED,
    EDIT,
    FAILING,
    PASSING,
    TASKS,
    TEST_RUN,
    Asked,
    answers,
    graded,
    grades,
    probes_of,
    used,
)

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
    "asks": (probes_of(u("first"), u(LONG), a("fine")), [((u(LONG),), 1), ((u("first"),), 0)]),
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


def test_a_list_answers_what_it_holds() -> None:
    for kind in KINDS:
        asked, lists = CASES[kind]
        for shown, share in lists:
            assert grades(asked, kind, *shown)[0] == pytest.approx(share), shown


LINE = "error: the parser of blocks can not read the second brace of line twelve"


def test_a_line_of_output_is_found_in_pieces_of_six_words() -> None:
    failed = probes_of(u("go"), a(call("bash", command="./deploy --now")), err(LINE))
    tested = probes_of(u("go"), a(TEST_RUN), err(LINE))
    for shown, share in (("error: the parser of blocks can…", 0.5 / 3), ("the parser of blocks", 0)):
        assert graded(failed, "errors", u(shown)) == pytest.approx(share)
        assert graded(tested, "tests", u(shown)) == pytest.approx(share)


def test_the_error_line_of_a_record_has_nothing_of_the_record() -> None:
    printed = '{"chunk_id":"1","exit_code":1,"output":"error: no such file\\nmore"}'
    run = a(call("exec", input='await tools.exec_command({cmd:"cargo run --now"})'))
    asked = probes_of(u("go"), run, r(printed))
    assert answers(asked, "errors") == ["error: no such file"]
    assert graded(asked, "errors", u("`cargo run --now`: error: no such file")) == 1


def test_an_error_is_over_when_the_same_command_works() -> None:
    run = call("bash", command="./deploy --now")
    talk = (u("go"), a(run), err("fatal: no such remote"), a(run), r("sent"))
    assert len(probes_of(*talk, end=3).of("errors")) == 1
    assert probes_of(*talk).of("errors") == []


def test_an_edit_that_failed_is_over_when_the_file_was_changed() -> None:
    write = call("write", path="src/core/parse.ts", content="x")
    talk = (u("go"), a(EDIT), err("could not find the text"), a(write), r("ok"))
    assert len(probes_of(*talk, end=3).of("errors")) == 1
    assert probes_of(*talk).of("errors") == []


def test_of_a_test_the_newest_run_counts() -> None:
    talk = (u("go"), a(TEST_RUN), r(FAILING), a(TEST_RUN), r(PASSING))
    assert answers(probes_of(*talk), "tests") == [PASSING]


def test_commands_of_the_host_are_no_requests() -> None:
    asked = probes_of(u("/model"), u("[Request interrupted by user]"), u("mend the parser"), a("fine"))
    assert answers(asked, "goal") == ["mend the parser"]


def test_a_task_keeps_its_text_where_only_what_it_is_about_is_told_anew() -> None:
    talk = (
        u("go"),
        a(call("TaskCreate", subject="write the parser", description="all of it")),
        r("Task #1 created"),
        a(call("TaskUpdate", taskId="1", status="in_progress", description="the lexer is missing as well")),
        r("Updated task #1"),
    )
    (asked,) = probes_of(*talk).of("tasks")
    assert "write the parser" in asked.question
    assert graded(probes_of(*talk), "tasks", *talk) == 1


def test_a_run_in_the_background_ends_where_its_end_is_told() -> None:
    talk = (
        u("go"),
        a(call("exec_command", cmd="cargo test")),
        r("Process running with session ID 7\nOutput:\nCompiling"),
        a(call("write_stdin", session_id=7, chars="")),
        r("Process exited with code 101\nOutput:\ntest result: FAILED. 1 failed"),
    )
    assert probes_of(*talk, end=3).of("tests") == []
    assert answers(probes_of(*talk), "tests") == ["test result: FAILED. 1 failed"]


def test_what_was_announced_long_ago_is_no_next_step() -> None:
    talk = [u("go"), a("Now I'll write the parser for blocks."), *(a(f"reply {number}") for number in range(20))]
    assert len(probes_of(*talk[:-1]).of("next")) == 1
    assert probes_of(*talk).of("next") == []


# git and places


def test_who_went_back_to_main_is_on_no_branch() -> None:
    switch = a(call("bash", command="git checkout topic/limits"))
    back = a(call("bash", command="git checkout main"))
    talk = (u("go"), switch, r("Switched to branch 'topic/limits'"), back, r("Switched to branch 'main'"))
    assert answers(probes_of(*talk, end=3), "env") == ["topic/limits"]
    assert answers(probes_of(*talk), "env") == []


def test_the_directory_of_the_session_is_asked_once_it_was_said() -> None:
    some = raws(
        u("go"), a(call("read", path="/w/app/a.ts")), r("x"), a(call("bash", cmd="ls", workdir="/tmp/x")), r("")
    )
    of = SessionHistory([read_message(raw) for raw in some], "/w/app")
    assert [[probe.answer for probe in probes(of, end) if probe.kind == "env"] for end in (1, 2, 5)] == [
        [],
        ["/w/app"],
        ["/tmp/x"],
    ]


# use

AFTER: list[tuple[str, tuple[Said, ...], Said, bool]] = [
    ("files.modified", (u("go"), a(EDIT), r("ok")), u("see parse.ts"), True),
    ("files.modified", (u("go"), a(EDIT), r("ok")), u("see lex.ts"), False),
    ("file.state", (u("go"), a(EDIT), r("ok")), u("see parse.ts"), False),
    ("errors", (u("go"), a(call("bash", command="./run")), err("TypeError: no")), a("the TypeError again"), True),
    ("errors", (u("go"), a(call("bash", command="./run")), err("TypeError: no")), a("on to the next"), False),
    ("tests", (u("go"), a(TEST_RUN), r(PASSING)), a("all good"), False),
    ("question", (u("go"), a("Shall I mend parseBlock?"), u("yes"), a("ok")), a("parseBlock is mended"), True),
    ("question", (u("go"), a("Shall I mend parseBlock?"), u("yes"), a("ok")), a("mended"), False),
]


def test_used_is_what_comes_again() -> None:
    for kind, talk, after, again in AFTER:
        assert used(probes_of(*talk, after, end=len(talk)), kind)[:1] == [again], (kind, after)


def test_a_touch_uses_a_file_and_a_change_uses_its_content() -> None:
    talk = (u("go"), a(EDIT), r("ok"))
    looked = (a(call("read", path="src/core/parse.ts")), r("text"))
    changed = (a(EDIT), r("ok"))
    for after, content in ((looked, False), (changed, True), ((*looked, *changed), False)):
        asked = probes_of(*talk, *after, end=len(talk))
        assert used(asked, "files.modified") == [True]
        assert used(asked, "file.state") == [content]


def test_a_command_run_again_uses_its_end() -> None:
    failed = (u("go"), a(TEST_RUN), r(FAILING))
    asked = probes_of(*failed, a(TEST_RUN), r(PASSING), end=3)
    assert used(asked, "tests") == [True]
    assert used(asked, "errors") == [True]


def test_a_task_is_used_while_it_is_not_done() -> None:
    assert used(probes_of(u("go"), a(TASKS), r("ok")), "tasks") == [True, False]


def test_a_hash_said_again_uses_a_commit() -> None:
    talk = (u("go"), a(call("bash", command="git commit -m x")), r(COMMITTED))
    for hash in ("1a2b3c4", "9a2b3c4"):
        assert used(probes_of(*talk, a(f"Fixed in {hash}"), end=3), "commits") == [hash == "1a2b3c4"]


# of many

MANY = 45


def many(kind: str) -> list[Said]:
    talk: list[Said] = [u("go")]
    for number in range(MANY):
        run = call("bash", command=f"./step{number} --now")
        talk += {
            "errors": [a(run), err(f"fatal: {number}")],
            "tests": [a(call("bash", command=f"npm run test:{number}")), r(f"{number} passed")],
            "file.state": [a(call("write", path=f"src/f{number}.ts", content="limit")), r("ok")],
            "question": [a(f"Shall I take part {number}?"), u(f"yes, number {number}")],
            "commits": [a(call("bash", command="git commit")), r(f"[x 1a2b3c{number:02d}] message {number}")],
        }[kind]
    return talk


def test_of_many_the_newest_are_asked() -> None:
    for kind, most in (("errors", 6), ("tests", 3), ("file.state", 25), ("question", 3), ("commits", MANY)):
        found = probes_of(*many(kind)).of(kind)
        assert len(found) == most, kind
        assert str(MANY - 1) in f"{found[-1].question} {found[-1].answer}"


def test_a_long_request_is_asked_by_its_start() -> None:
    for kind, characters in (("goal", 400), ("asks", 300)):
        (found,) = probes_of(u("word " * 200), a("fine")).of(kind)
        assert characters - 5 <= len(found.answer) <= characters


def test_what_demands_nothing_is_no_constraint() -> None:
    for text in ("why must it never stop?", "look around in there"):
        assert probes_of(u(text), a("fine")).of("constraint") == []


def test_a_call_that_the_user_refused_failed_at_nothing() -> None:
    refused = "The user doesn't want to proceed with this tool use."
    assert probes_of(u("go"), a(call("bash", command="./deploy")), err(refused)).of("errors") == []


def test_a_command_that_failed_without_a_word_is_no_error_to_ask_of() -> None:
    assert probes_of(u("go"), a(call("bash", command="./deploy")), err("Exit code 1")).of("errors") == []


# instructions

RULE = "Never touch the schema."


def test_instructions_are_asked_of_as_they_were_read_last() -> None:
    cases: list[tuple[tuple[Said, ...], list[str]]] = [
        ((a(call("bash", command="cat CLAUDE.md")), r(RULE)), [RULE]),
        ((a(call("bash", command="grep -n tabs CLAUDE.md | head")), r(RULE)), []),
        ((a(call("read", path="CLAUDE.md", offset=3)), r(RULE)), []),
        ((a(call("read", path="CLAUDE.md")), err("no such file")), []),
        ((a(call("read", path="README.md")), r(RULE)), []),
        ((a(call("Skill", skill="pdf")), r(RULE)), [RULE]),
        ((a(call("Skill", skill="pdf")), r("Launching skill: pdf")), []),
        ((a(call("read", path="CLAUDE.md")), r("old"), a(call("read", path="CLAUDE.md")), r(RULE)), [RULE]),
        (
            (a(call("read", path="CLAUDE.md")), r("Be brief."), a(call("read", path="p/CLAUDE.md")), r(RULE)),
            ["Be brief.", RULE],
        ),
        ((u(f"<system-reminder>\nContents of /p/CLAUDE.md (rules):\n{RULE}\n</system-reminder>"),), [RULE]),
        ((u(f"# AGENTS.md instructions for /p\n{RULE}"),), [RULE]),
        ((u("Read CLAUDE.md and tell me."),), []),
    ]
    for said, asked in cases:
        assert answers(probes_of(u("go"), *said), "instructions") == asked, said
