from typing import Any

import pytest

from ctxmgr.engine.memory.facts import Stamp, Statements
from ctxmgr.engine.memory.from_tools import OUTCOME_CHARACTERS, from_result, from_shell
from ctxmgr.engine.tools import tool_call
from ctxmgr.model.messages import Block, Call
from ctxmgr.model.saved.facts import Fact


def result(tool: str, text: str = "", *, failed: bool = False, **arguments: Any) -> tuple[Fact, ...]:
    return facts_of(Block("result", text=text, is_error=failed), Block("call", tool=tool, arguments=arguments))


def facts_of(result: Block, call: Call) -> tuple[Fact, ...]:
    into = Statements(Stamp("o", 1))
    from_result(result, call, into)
    return into.facts()


def test_what_a_person_refused_did_nothing() -> None:
    said = "The user doesn't want to proceed with this tool use. The user said: error: not there"
    for tool, arguments in (("bash", {"command": "npm test"}), ("Write", {"file_path": "a.ts"})):
        assert result(tool, said, failed=True, **arguments) == ()
        assert result(tool, said, **arguments) != ()


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "key"),
    [
        ("read", {"path": "a.ts"}, "read", "read\na.ts"),
        ("Write", {"file_path": "a.ts"}, "written", "changed\na.ts"),
        ("str_replace_editor", {"command": "create", "path": "a.ts"}, "written", "changed\na.ts"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: a.ts\n"}, "deleted", "changed\na.ts"),
    ],
)
def test_files(tool: str, arguments: dict[str, Any], status: str, key: str) -> None:
    assert [(fact.status, fact.key) for fact in result(tool, **arguments) if fact.kind == "file"] == [(status, key)]
    assert [fact for fact in result(tool, failed=True, **arguments) if fact.kind == "file"] == []
    assert result(tool, failed=True, **arguments) == ()


def files(tool: str, text: str = "", **arguments: Any) -> list[tuple[str, str]]:
    return [(fact.status, fact.text) for fact in result(tool, text, **arguments) if fact.kind == "file"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd /w && cat a.py && sed -i s/a/b/ b.py", [("read", "/w/a.py"), ("edited", "/w/b.py")]),
        ("cat > a.py <<'EOF'\nx\nEOF\npython a.py > out.txt", [("written", "a.py"), ("written", "out.txt")]),
        ("npm test 2>/dev/null", []),
    ],
)
def test_what_a_shell_did_to_files(command: str, expected: list[tuple[str, str]]) -> None:
    assert files("bash", command=command) == expected
    assert files("exec_command", cmd=command) == expected
    assert files("shell", command=["bash", "-lc", command]) == expected


def test_a_command_in_a_script_is_the_command() -> None:
    given = {"input": 'const r = await tools.exec_command({cmd:"npm test 2>&1 | tail -5"});text(r.output);'}
    (failed,) = result("exec", "Error: no", failed=True, **given)
    assert (failed.runs, failed.status, failed.text) == ("test", "failed", "npm test 2>&1 | tail -5")


def test_a_patch_is_no_command() -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    facts = result("shell", command=["apply_patch", patch])
    assert [(fact.kind, fact.text) for fact in facts] == [("file", "a.py")]


def test_what_a_run_says_of_its_end_is_one_short_line() -> None:
    (failed,) = result("bash", "a.py:1:1: " + "x" * 100_000 + ": error: no", failed=True, command="mypy .")
    assert len(failed.detail) <= OUTCOME_CHARACTERS
    assert "\n" not in failed.detail


def test_a_tool_that_is_no_shell_runs_no_check() -> None:
    for tool, arguments in (("grep", {"pattern": "pytest"}), ("mcp__ci__run", {"query": "pytest"})):
        for failed in (False, True):
            assert [
                one for one in result(tool, "1 failed", failed=failed, **arguments) if one.kind == "command"
            ] == []


def test_the_users_own_run_has_the_same_key() -> None:
    def status(command: str) -> list[tuple[str, str]]:
        into = Statements(Stamp("o", 1))
        from_shell(f"{command}\nfine", tool_call("shell", {"command": command}), False, into)
        return [(fact.key, fact.status) for fact in into.facts()]

    assert status("npm test") == [("test\nnpm test", "ok")]
    assert status("npm test | tail -5")[0][1] == "unknown"
    assert [one.key for one in result("bash", command="npm test")] == ["test\nnpm test"]


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
    mark, *found = [fact for fact in result(tool, **arguments) if fact.kind in ("listing", "task")]
    assert mark.kind == "listing"
    assert {fact.listing for fact in found} <= {mark.key}
    assert [(fact.text, fact.status) for fact in found] == tasks
    assert result(tool, failed=True, **arguments) == ()
