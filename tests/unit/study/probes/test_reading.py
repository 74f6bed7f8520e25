"""What calls do, read from them alone: files, commands, tasks; and how a run ended, from its output."""

from typing import Any

from ctxmgr.study.probes.commands import changes, command_line, literals, simple_commands
from ctxmgr.study.probes.history import ended
from ctxmgr.study.probes.messages import TaskChange, did

PATCH = (
    "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+new line\n*** Add File: src/b.ts\n+first\n*** End Patch"
)
PROGRAM = 'const r = await tools.exec_command({cmd:"sed -n \'1,9p\' src/a.rs",workdir:"/w"}); text(r.output)'

# tool, arguments, looked at, changed (path, action)
CALLS: list[tuple[str, dict[str, Any], list[str], list[tuple[str, str]]]] = [
    ("read", {"path": "src/a.ts", "limit": 3}, ["src/a.ts"], []),
    ("edit", {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}]}, [], [("a.py", "changed")]),
    ("replace_file_content", {"TargetFile": "a.py"}, [], [("a.py", "changed")]),
    ("delete_file", {"target_file": "a.py"}, [], [("a.py", "deleted")]),
    ("str_replace_editor", {"command": "view", "path": "/w/a.py"}, ["/w/a.py"], []),
    (
        "str_replace_editor",
        {"command": "create", "path": "/w/a.py", "file_text": "x"},
        [],
        [("/w/a.py", "changed")],
    ),
    ("edit", {"command": {"no": "text"}, "path": "a.py"}, [], [("a.py", "changed")]),
    ("grep", {"pattern": "x", "path": "src/a.ts"}, ["src/a.ts"], []),
    ("grep", {"pattern": "x", "path": "src"}, [], []),
    ("ls", {"path": "src/a.ts"}, [], []),
    ("apply_patch", {"input": PATCH}, [], [("src/a.ts", "changed"), ("src/b.ts", "changed")]),
    ("exec", {"input": PROGRAM}, ["src/a.rs"], []),
    ("bash", {"command": "cat a.py && sed -n '1,5p' src/b.py | head -3"}, ["a.py", "src/b.py"], []),
    ("bash", {"command": "sed -i 's/a/b/' src/b.py"}, [], [("src/b.py", "changed")]),
    ("bash", {"command": "cat > src/b.py <<'EOF'\nx = 1\nEOF\necho done"}, [], [("src/b.py", "changed")]),
    ("bash", {"command": "echo x | tee -a log.txt >/dev/null"}, [], [("log.txt", "changed")]),
    ("bash", {"command": "git rm src/old.py; rm -f b.py"}, [], [("src/old.py", "deleted"), ("b.py", "deleted")]),
    ("bash", {"command": "cp a.py b.py"}, [], [("b.py", "changed")]),
    ("bash", {"command": "cd src && cat a.py > b.py"}, ["src/a.py"], [("src/b.py", "changed")]),
    (
        "bash",
        {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"},
        [],
        [("src/a.ts", "changed"), ("src/b.ts", "changed")],
    ),
    ("bash", {"command": "rg needle src/core"}, [], []),
    ("bash", {"command": "rg -n -A 3 -e x src/a.py"}, ["src/a.py"], []),
    ("bash", {"command": "head -n 20 a.py"}, ["a.py"], []),
    ("bash", {"command": "perl -pi -e 's/a/b/g' src/a.py"}, [], [("src/a.py", "changed")]),
    ("bash", {"command": "git show main:src/a.py"}, ["src/a.py"], []),
    ("bash", {"command": "npm test 2>&1 | grep x"}, [], []),
    ("shell", {"command": ["bash", "-lc", "cat a.py"]}, ["a.py"], []),
]


def test_what_a_call_does() -> None:
    for tool, arguments, looked_at, changed in CALLS:
        effects = did(tool, arguments)
        assert list(effects.looked_at) == looked_at, arguments
        assert list(dict.fromkeys((change.path, change.action) for change in effects.changes)) == changed, arguments


def test_a_change_has_the_lines_that_it_puts_there() -> None:
    assert did("edit", {"path": "a.py", "oldText": "x", "newText": "y\nz"}).changes[0].lines == ("y", "z")
    assert [change.lines for change in changes(PATCH)] == [("new line",), ("first",)]
    document = "cat > b.py <<'EOF'\nx = 1\nEOF"
    assert did("bash", {"command": document}).changes[0].lines == ("x = 1",)


def test_a_patch_in_a_program_is_read_from_its_literals() -> None:
    program = (
        'const patch = "*** Begin Patch\\n*** Delete File: src/a.ts\\n*** End Patch";\ntext(await apply(patch))'
    )
    assert [(change.path, change.action) for change in changes(program)] == [("src/a.ts", "deleted")]


def test_a_patch_that_moves_a_file_deletes_the_old_one() -> None:
    moved = "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n+x\n*** End Patch"
    assert [(change.path, change.action) for change in changes(moved)] == [("a.ts", "deleted"), ("b.ts", "changed")]


def test_literals_have_their_escapes_resolved() -> None:
    assert list(
        literals(r"""a("x\ny", 'it\'s', `two
lines`)""")
    ) == ["x\ny", "it's", "two\nlines"]


def test_tasks_of_a_call() -> None:
    for tool, arguments, tasks, whole in (
        ("TodoWrite", {"todos": [{"content": "x", "status": "completed"}]}, (TaskChange("", "x", True),), True),
        (
            "update_plan",
            {"plan": [{"step": "x", "status": "in_progress"}]},
            (TaskChange("", "x", False, active=True),),
            True,
        ),
        ("TaskCreate", {"subject": "x", "description": "y"}, (TaskChange("", "x", None),), False),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, (TaskChange("3", "", True),), False),
        ("TaskUpdate", {"taskId": "3", "description": "y"}, (TaskChange("3", "y", None, True),), False),
        ("Task", {"description": "look around", "prompt": "find x"}, (), False),
        ("submit", {"items": [{"name": "x"}]}, (), False),
    ):
        effects = did(tool, arguments)
        assert (effects.tasks, effects.whole_list) == (tasks, whole), tool


def test_a_command_line_falls_into_simple_commands() -> None:
    for command, words in (
        ("a 'b c' \"d e\" f\\ g", [("a", "b c", "d e", "f g")]),
        ("a && b || c; d | e\nf", [("a",), ("b",), ("c",), ("d",), ("e",), ("f",)]),
        ("X=1 Y=2 run --now", [("run", "--now")]),
        ("a 2>&1 >out.txt", [("a",)]),
        ("# nothing\na # b", [("a", "#", "b")]),
        ("a \\\n  b", [("a", "b")]),
        ("a 'open", [("a", "open")]),
    ):
        assert [simple.words for simple in simple_commands(command)] == words, command
    (one,) = simple_commands("a 2>err.txt >>out.txt <in.txt 2>/dev/null")
    assert one.written == ("err.txt", "out.txt")


def test_what_a_check_is() -> None:
    for command in (
        "npm run test:unit -- --watch",
        "cd x && cargo clippy --all",
        "python -m pytest -q",
        "pytest tests",
    ):
        assert command_line(command).is_check, command
    for command in ("npm install", "cat test.txt"):
        assert not command_line(command).is_check, command


def test_a_run_is_known_by_its_key() -> None:
    for one, other, same in (
        ("npm run test -- a", "cd x && npm run test 2>&1 | tail -3", True),
        ("npm run test", "npm run lint", False),
        ("./deploy --now", "./deploy --later", False),
        ("./deploy --now | head", "./deploy --now", True),
    ):
        assert (command_line(one).key == command_line(other).key) is same, one


def test_a_filter_hides_the_exit_code() -> None:
    assert command_line("npm test | tail -3").status_hidden
    assert not command_line("cd x && npm test").status_hidden


# outputs


def test_a_run_failed_by_flag_code_or_line() -> None:
    for output, flagged, check, status_hidden, failed in (
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
    ):
        assert ended(output, flagged, check, status_hidden).failed is failed, output


def test_error_lines_are_the_first_that_name_one() -> None:
    outcome = ended("Exit code 1\nbuilding\nfatal: one\nerror: two\nfailed three\nerror: four", True, False, False)
    assert outcome.errors == ("fatal: one", "error: two", "failed three")


def test_without_any_the_first_lines_are_it() -> None:
    assert ended("Exit code 1\nstrange\n---\nthing", True, False, False).errors == ("strange", "thing")


def test_telling_lines_are_the_last_that_count() -> None:
    outcome = ended("compiling\n3 tests\nok pkg/a\nTests: 7 passed\nbye", False, True, False)
    assert outcome.telling == ("ok pkg/a", "Tests: 7 passed")


def test_a_run_that_goes_on_has_an_id() -> None:
    assert ended("Process running with session ID 812\nOutput:\n", False, True, False).running == "812"
    assert ended("Script running with cell ID 60\n", False, True, False).running == "60"
    assert ended("done", False, True, False).running == ""


def test_a_long_line_is_cut_between_words() -> None:
    (line,) = ended("error: " + "word " * 100, True, False, False).errors
    assert len(line) <= 300
    assert line.endswith(" word")
    assert ended("error:" + "x" * 400, True, False, False).errors == ()
