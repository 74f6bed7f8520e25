from typing import Any

import pytest

from ctxmgr.engine.ledger import current, fold
from ctxmgr.engine.ledger.from_tools import ERROR_CHARACTERS, error_line, essential, from_result, from_shell
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.engine.tools import tool_call
from ctxmgr.model.messages import Block, Call
from ctxmgr.model.saved.facts import Fact, Ledger


def result(tool: str, text: str = "", *, failed: bool = False, **arguments: Any) -> tuple[Fact, ...]:
    return facts_of(Block("result", text=text, is_error=failed), Block("call", tool=tool, arguments=arguments))


def facts_of(result: Block, call: Call) -> tuple[Fact, ...]:
    into = Statements(Stamp("o", 1))
    from_result(result, call, into)
    return into.facts()


def test_what_a_person_refused_did_nothing_and_is_no_commands_error() -> None:
    said = "The user doesn't want to proceed with this tool use. The user said: error: not there"
    for tool, arguments in (("bash", {"command": "npm test"}), ("Write", {"file_path": "a.ts"})):
        assert result(tool, said, failed=True, **arguments) == ()
        assert result(tool, said, **arguments) != ()


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (Block("result", text="x"), "ok"),
        (Block("result", text="x", untold=True), "unknown"),
        (Block("result", text="x: not found", doubtful=True), "unknown"),
        (Block("result", text="x", is_error=True), "failed"),
    ],
)
def test_a_command_whose_outcome_can_not_be_told_is_neither_ok_nor_failed(result: Block, status: str) -> None:
    for call in (
        Block("call", tool="bash", arguments={"command": "npm test"}),
        Block("call", tool="grep", arguments={"pattern": "x"}),
    ):
        (fact,) = (one for one in facts_of(result, call) if one.slot == "command")
        assert (fact.status, bool(fact.detail)) == (status, status == "failed")


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "key"),
    [
        ("read", {"path": "a.ts"}, "read", "read\na.ts"),
        ("Read", {"file_path": "a.ts"}, "read", "read\na.ts"),
        ("view", {"filePath": "a.ts"}, "read", "read\na.ts"),
        ("Write", {"file_path": "a.ts"}, "written", "changed\na.ts"),
        ("MultiEdit", {"file_path": "a.ts"}, "edited", "changed\na.ts"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a.ts"}, "read", "read\na.ts"),
        ("str_replace_editor", {"command": "create", "path": "a.ts"}, "written", "changed\na.ts"),
        ("str_replace_editor", {"command": "insert", "path": "a.ts"}, "edited", "changed\na.ts"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: a.ts\n"}, "deleted", "changed\na.ts"),
    ],
)
def test_files(tool: str, arguments: dict[str, Any], status: str, key: str) -> None:
    assert [(fact.status, fact.key) for fact in result(tool, **arguments) if fact.slot == "file"] == [(status, key)]
    assert [fact for fact in result(tool, failed=True, **arguments) if fact.slot == "file"] == []
    assert [fact.status for fact in result(tool, failed=True, **arguments)] == ["failed"]


def files(tool: str, text: str = "", **arguments: Any) -> list[tuple[str, str]]:
    return [(fact.status, fact.text) for fact in result(tool, text, **arguments) if fact.slot == "file"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd /w && cat a.py && sed -i s/a/b/ b.py", [("read", "/w/a.py"), ("edited", "/w/b.py")]),
        ("git mv a.py b.py && git rm c.py", [("deleted", "a.py"), ("written", "b.py"), ("deleted", "c.py")]),
        ("cat > a.py <<'EOF'\nx\nEOF\npython a.py > out.txt", [("written", "a.py"), ("written", "out.txt")]),
        ("ls src && rg x src", []),
        ("npm test 2>/dev/null", []),
        ("for f in *; do rm $f; done", []),
    ],
)
def test_what_a_shell_did_to_files(command: str, expected: list[tuple[str, str]]) -> None:
    assert files("bash", command=command) == expected
    assert files("exec_command", cmd=command) == expected
    assert files("shell", command=["bash", "-lc", command]) == expected


def test_a_window_names_the_file_that_is_open() -> None:
    opened = "[File: /w/a.py (90 lines total)]\n3:x"
    assert files("edit", opened, replacement_text="x", start_line=3, end_line=3) == [("edited", "/w/a.py")]
    assert files("bash", opened, command="scroll_down") == [("read", "/w/a.py")]
    assert files("goto", "no window", line_number=3) == []


def test_a_command_in_a_script_is_the_command() -> None:
    given = {"input": 'const r = await tools.exec_command({cmd:"npm test 2>&1 | tail -5"});text(r.output);'}
    (failed,) = result("exec", "Error: no", failed=True, **given)
    assert (failed.key, failed.status, failed.text) == ("shell\nnpm test", "failed", "npm test 2>&1 | tail -5")


def test_a_patch_is_no_command() -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    facts = result("shell", command=["apply_patch", patch])
    assert [(fact.slot, fact.text) for fact in facts] == [("file", "a.py"), ("command", "shell a.py")]


def test_a_command_and_how_it_ended() -> None:
    (ran,) = result("bash", "ok", command="npm test 2>&1")
    assert (ran.key, ran.status, ran.detail) == ("shell\nnpm test", "ok", "")
    (piped,) = result("bash", "ran", command="npm test 2>&1 | tail -5")
    assert (piped.key, piped.status, piped.detail) == ("shell\nnpm test", "unknown", "")
    (told,) = result("bash", "3 passed, 1 failed", command="npm test 2>&1 | tail -5")
    assert (told.key, told.status, told.detail) == ("shell\nnpm test", "failed", "1 failed, 3 passed\n")
    (failed,) = result("exec_command", "one\nError: no module\nlast", failed=True, cmd="npm test")
    assert (failed.key, failed.status, failed.detail) == ("shell\nnpm test", "failed", "Error: no module")


def test_the_users_own_run_has_the_same_key() -> None:
    def status(command: str) -> list[tuple[str, str]]:
        into = Statements(Stamp("o", 1))
        from_shell(f"{command}\nfine", tool_call("shell", {"command": command}), False, into)
        return [(fact.key, fact.status) for fact in into.facts()]

    assert status("npm test") == [("shell\nnpm test", "ok")]
    assert status("npm test | tail -5") == [("shell\nnpm test", "unknown")]


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("npm test 2>&1 | tail -20", "npm test"),
        ("CI=1 npm test || true", "npm test"),
        ("cd /repo && npm test 2>&1", "cd /repo && npm test"),
        ("npm test | grep -v ok", "npm test | grep -v ok"),
        ("  ls  ", "ls"),
    ],
)
def test_essential(command: str, runs: str) -> None:
    assert essential(command) == runs


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("npm test | grep -v ok", "npm test"),
        ("npm test 2>&1 | grep -E 'a|b' | sort | head -5", "npm test"),
        ("make || grep x log", "make || grep x log"),
        ("make | ./load", "make | ./load"),
        ("git log | grep x | head -5", "git log | grep x"),
        ("cat a.txt | wc -l", "cat a.txt | wc -l"),
    ],
)
def test_a_filter_of_its_output_makes_no_other_run_but_another_look(command: str, runs: str) -> None:
    (fact,) = (one for one in result("bash", "text", command=command) if one.slot == "command")
    assert fact.key == f"shell\n{runs}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("> check\n> tsc\na.ts(5,1): error TS2305: no member", "a.ts(5,1): error TS2305: no member"),
        ('Traceback (most recent call last):\n  File "x"\nValueError: bad', "ValueError: bad"),
        ("0 errors\ncould not connect", "could not connect"),
        ("(no output)\n\nCommand exited with code 1", "Command exited with code 1"),
        ("\x1b[31mfatal: not a repository\x1b[0m", "fatal: not a repository"),
        ("", ""),
    ],
)
def test_error_line(text: str, line: str) -> None:
    assert error_line(text) == line


def test_an_error_line_is_one_short_line_whatever_the_output() -> None:
    assert len(error_line("Error: " + "x" * 100_000)) == ERROR_CHARACTERS
    assert error_line("y\n" * 100_000 + "Error: the end") == "Error: the end"


@pytest.mark.parametrize(
    ("tool", "arguments", "tasks"),
    [
        ("TodoWrite", {"todos": [{"content": "a", "status": "in_progress"}]}, [("a", "active")]),
        ("update_plan", {"plan": [{"step": "a", "status": "completed"}]}, [("a", "done")]),
        ("todo", {"items": [{"text": "a", "done": False}]}, [("a", "open")]),
        ("todowrite", {"todos": [{"content": "a", "status": "cancelled"}]}, []),
        ("todowrite", {"todos": []}, []),
    ],
)
def test_a_task_list_is_stated_whole(tool: str, arguments: dict[str, Any], tasks: list[tuple[str, str]]) -> None:
    mark, *found = [fact for fact in result(tool, **arguments) if fact.slot in ("listing", "task")]
    assert mark.slot == "listing"
    assert {fact.listing for fact in found} <= {mark.key}
    assert [(fact.text, fact.status) for fact in found] == tasks
    assert result(tool, failed=True, **arguments) == ()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"items": [{"name": "a"}]}),
        ("search", {"items": []}),
        ("submit", {"plan": "a text"}),
        ("todowrite", {"todos": ["a", 1, None]}),
        ("todowrite", {"todos": [{"status": "open"}]}),
        ("odd", {"command": {"not": "text"}, "path": 7, "file": None}),
        ("bash", {"command": []}),
    ],
)
def test_arguments_of_another_shape_say_nothing(tool: str, arguments: dict[str, Any]) -> None:
    assert result(tool, **arguments) == ()


def told(*said: tuple[str, dict[str, Any], str, bool]) -> list[tuple[str, str, str]]:
    """(command, status, detail) of what holds after these calls: (tool, arguments, result, whether it failed)."""
    ledger = Ledger()
    for at, (tool, arguments, text, failed) in enumerate(said):
        into = Statements(Stamp(str(at), at))
        call = Block("call", tool=tool, arguments=arguments)
        from_result(Block("result", text=text, is_error=failed), call, into)
        ledger = fold(ledger, into.facts())
    return [(fact.text, fact.status, fact.detail) for fact in current(ledger) if fact.slot == "command"]


STARTED = ("exec_command", {"cmd": "cargo test"}, "Process running with session ID 7\nOutput:\nCompiling", False)
ASKED: dict[str, Any] = {"session_id": 7, "chars": ""}


def test_a_run_that_goes_on_ends_with_the_result_of_a_call_that_asks_for_it() -> None:
    assert told(STARTED) == [("cargo test", "unknown", "goes on as 7")]
    still = ("write_stdin", ASKED, "Process running with session ID 7\nOutput:\n", False)
    assert told(STARTED, still) == [("cargo test", "unknown", "goes on as 7")]
    passed = ("write_stdin", ASKED, "Process exited with code 0\ntest result: ok. 13 passed; 0 failed", False)
    assert told(STARTED, still, passed) == [("cargo test", "ok", "13 passed")]
    failed = ("write_stdin", ASKED, "Process exited with code 101\nerror[E0308]: mismatched types", True)
    assert told(STARTED, failed) == [("cargo test", "failed", "error[E0308]: mismatched types")]
    other = ("write_stdin", {"session_id": 8}, "Process exited with code 0", False)
    assert told(STARTED, other) == [("cargo test", "unknown", "goes on as 7")]
    again = ("exec_command", {"cmd": "cargo test"}, "Process running with session ID 9\n", False)
    assert told(STARTED, passed, again) == [("cargo test", "unknown", "goes on as 9")]


def test_a_run_may_go_on_under_another_id() -> None:
    script = (
        "exec",
        {"input": 'await tools.exec_command({cmd:"make test"})'},
        "Script running with cell ID 3",
        False,
    )
    moved = ("wait", {"cell_id": "3"}, '{"session_id":41,"output":""}', False)
    ended = ("exec", {"input": "await tools.write_stdin({session_id: 41})"}, '{"exit_code":0,"output":"ok"}', False)
    assert told(script, moved, ended) == [("make test", "ok", "")]


def test_of_a_run_behind_a_pipe_no_later_code_tells_how_it_ended() -> None:
    piped = ("exec_command", {"cmd": "make test | tail -5"}, "Process running with session ID 7\n", False)
    ended = ("write_stdin", ASKED, "Process exited with code 0\n", False)
    assert told(piped, ended) == [("make test | tail -5", "unknown", "")]


def test_a_line_that_says_passing_is_no_error_where_another_is_left() -> None:
    assert error_line("lint\tfail\t7m\nunit\tpass\t5m") == "lint fail 7m"
    assert error_line("lint\tpending\t0\nunit\tpass\t5m") == "lint pending 0"
    assert error_line("unit\tpass\t5m") == "unit pass 5m"


def test_a_run_of_which_nobody_knows_how_it_ended_takes_no_failures_place() -> None:
    def standing(*runs: tuple[str, str, bool]) -> list[tuple[str, str]]:
        """(line, status) of what holds after these, each with its output and whether it is an error."""
        ledger = Ledger()
        for at, (command, output, is_error) in enumerate(runs, 1):
            into = Statements(Stamp(f"o{at}", at))
            call = Block("call", tool="bash", arguments={"command": command})
            from_result(Block("result", text=output, is_error=is_error), call, into)
            ledger = fold(ledger, into.facts())
        return [(fact.text, fact.status) for fact in current(ledger)]

    failed = ("zorp verify", "2 probes failed", True)
    worked = ("zorp verify", "", False)
    untold = ("zorp verify | tail -1", "the last line", False)
    assert standing(failed, untold) == [("zorp verify", "failed"), ("zorp verify | tail -1", "unknown")]
    assert standing(failed, untold, worked) == [("zorp verify", "ok")]
    assert standing(worked, untold) == [("zorp verify | tail -1", "unknown")]
    assert standing(untold, failed) == [("zorp verify", "failed")]
    assert standing(worked, untold, failed, untold)[0] == ("zorp verify", "failed")
    shows, no_more = ("zorp verify | head -5", "2 probes failed", False), ("zorp verify | head -5", "", False)
    assert standing(shows, no_more) == standing(shows, untold, no_more) == [("zorp verify | head -5", "unknown")]
    assert standing(shows, no_more, untold) == [("zorp verify | tail -1", "unknown")]
