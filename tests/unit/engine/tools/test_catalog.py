"""The catalog: rows of known tools, the words of others, rows that a host adds, and what it says of any call."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.tools import (
    CATALOG,
    ArgumentRole,
    EffectKind,
    ToolCall,
    call_of_block,
    calls_of,
    identity,
    key_arguments,
    tool_call,
)
from ctxmgr.engine.tools.names import kind_of, role_of
from ctxmgr.engine.tools.rows import row
from ctxmgr.model import Call
from tests.notation import a, call, r, talk, u


def test_no_tool_has_two_rows_that_count() -> None:
    known: dict[str, str] = {}
    for one in CATALOG.rows:
        for name in one.names:
            plain = "".join(letter for letter in name.casefold() if letter.isalnum())
            assert known.get(plain, "where") == "where", name
            known[plain] = "where" if one.where else name


@pytest.mark.parametrize(
    "tool", ["read_file", "ReadFile", "readFile", "mcp__files__read_file", "files.read_file", "server/read_file"]
)
def test_a_name_is_known_in_each_spelling(tool: str) -> None:
    found = CATALOG.row(tool, {})
    assert found is not None
    assert found.family == "read"


KINDS: dict[EffectKind, str] = {
    "read": "get_file_contents show_source",
    "list": "get_file_info get_weather",
    "": "create_directory ponder __",
    "delete": "delete_directory",
    "edit": "search_and_replace_all",
    "search": "codeSearch",
    "fetch": "browser_navigate",
    "plan": "write_my_todos",
    "delegate": "ask_subagent",
    "run": "run_in_sandbox",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_that_nobody_listed_is_understood_by_its_words(kind: EffectKind) -> None:
    assert {tool: kind_of(tool) for tool in KINDS[kind].split()} == dict.fromkeys(KINDS[kind].split(), kind)
    assert kind_of("") == ""


ROLES: dict[ArgumentRole, str] = {
    "path": "file_path AbsolutePath notebook_path relative_workspace_path pathInProject document_uri"
    " file_url of_path path_of_it",
    "": "name_path attachment_path is_background path_by_name page_text block_text find_line",
    "paths": "file_paths old_files",
    "directory": "dirPath target_directories image_dir folder_path",
    "working directory": "working_dir current_folder",
    "source": "source_path from_file",
    "destination": "newPath to_path",
    "old text": "old_str_1 TargetContent old_2 previous_lines",
    "new text": "replacement_text code_edit updated_code",
    "command": "cmdline CommandLine run_cmd",
    "operation": "op",
    "content": "file_text",
    "patch": "unified_diff",
    "filter": "exclude_pattern include_files filter_query file_pattern",
    "start": "start_line_one_indexed",
    "url": "page_url",
    "pattern": "pattern_2",
    "query": "user_query",
}


@pytest.mark.parametrize("role", ROLES)
def test_the_role_of_an_argument(role: ArgumentRole) -> None:
    assert {name: role_of(name) for name in ROLES[role].split()} == dict.fromkeys(ROLES[role].split(), role)
    assert role_of("") == ""


def test_a_hosts_own_rows_come_first() -> None:
    own = CATALOG.with_rows([row("read", "peruse", "a host", {"what": "path"}), row("write", "read", "a host")])
    assert own.call("peruse", {"what": "a.py"}).read_paths == ("a.py",)
    assert own.call("read", {"path": "a.py", "content": "x"}).writes_text
    assert tool_call("peruse", {"what": "a.py"}) == ToolCall("peruse", key_arguments=(("what", "a.py"),))
    assert own.keys("peruse", {"b": 1, "what": "a.py"}) == (("what", "a.py"),)


def test_what_is_said_aside_makes_no_other_call() -> None:
    assert identity({"path": "a", "explanation": "x", "timeout": 3}) == {"path": "a"}


def test_the_calls_of_a_message_are_read_once() -> None:
    (_, message, _) = talk(u("go"), a("so", call("read", path="a"), call("ls")), r("x"))
    first = calls_of(message)
    assert [one and one.kind for one in first] == [None, "read", "list"]
    assert calls_of(message) is first
    assert call_of_block(message.view.blocks[1]) is first[1]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
tools = st.sampled_from([name for one in CATALOG.rows for name in one.names]) | st.text(max_size=20)
NAMES = "path file_path paths command cmd input edits files todos view_range diff arguments"
names = st.sampled_from(NAMES.split(" "))


@given(tools, st.dictionaries(names | st.text(max_size=9), values, max_size=5))
def test_no_call_is_an_error(tool: str, arguments: dict[str, Any]) -> None:
    made = tool_call(tool, arguments)
    assert made == tool_call(tool, arguments)
    assert made.key_arguments == key_arguments(Call(tool, arguments))
    assert all(isinstance(path, str) and path for path in made.paths)


def _script(call: str) -> dict[str, Any]:
    return {"input": call}


def _nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [{"edits": found}]
    return found


SIZE = 200
HOSTILE: list[tuple[str, str, Callable[[int], dict[str, Any]]]] = [
    ("a heredoc", "bash", lambda n: {"command": "cat > a <<'EOF'\n" + "x y\n" * n + "EOF"}),
    ("a heredoc without an end", "bash", lambda n: {"command": "cat > a <<'EOF'\n" + "x y\n" * n}),
    ("removals", "bash", lambda n: {"command": "rm " + "a " * n}),
    ("joined commands", "bash", lambda n: {"command": "rm a && " * n + "ls"}),
    ("quotes", "bash", lambda n: {"command": "'" * n}),
    ("parentheses", "bash", lambda n: {"command": "(" * n}),
    ("groups", "bash", lambda n: {"command": "(rm a); { rm b; } || " * n + "ls"}),
    ("closed parentheses", "bash", lambda n: {"command": "( " * n + "rm a" + " )" * n}),
    ("substitutions", "bash", lambda n: {"command": "$(" * n}),
    ("closed substitutions", "bash", lambda n: {"command": "rm $(" * n + ")" * n}),
    ("quoted substitutions", "bash", lambda n: {"command": '"$(' * n}),
    ("many substitutions", "bash", lambda n: {"command": 'rm "$(x)" `y`;' * n}),
    ("open heredocs", "bash", lambda n: {"command": "cat <<A " * n + "\nx\n" * n}),
    ("heredocs", "bash", lambda n: {"command": "cat <<A " * n + "\n" + "A\n" * n}),
    ("nested heredocs", "bash", lambda n: {"command": "$(" + "<<A " * n + "\n" + "A\n" * n}),
    ("shells", "bash", lambda n: {"command": "bash -c 'rm a';" * n}),
    ("a script of sed", "bash", lambda n: {"command": "sed '" + "s/a/b/;" * n + "w'"}),
    ("a script of awk", "bash", lambda n: {"command": "awk '" + "print " * n + "'"}),
    ("a script of quotes", "exec", lambda n: _script("tools.exec_command(" + "`" * n)),
    ("a script of calls", "exec", lambda n: _script('await tools.exec_command({cmd:"cat a"});' * n)),
    ("a script of open calls", "exec", lambda n: _script("tools.exec_command({cmd:" * n)),
    ("a patch of heads", "apply_patch", lambda n: {"input": "*** Begin Patch\n" + "*** Update File: a\n" * n}),
    ("a unified patch", "patch", lambda n: {"diff": "--- a\n+++ b\n" * n}),
    ("half a unified patch", "patch", lambda n: {"diff": "--- " + "a\n--- " * n}),
    ("arguments", "odd", lambda n: {f"path{number}": "a" for number in range(n)}),
    ("a list of files", "read", lambda n: {"paths": ["a/b"] * n}),
    ("edits", "edit", lambda n: {"path": "a", "edits": [{"oldText": "a", "newText": "b"}] * n}),
    ("nested edits", "edit", lambda n: {"path": "a", "edits": _nested(min(n, 400))}),
    ("a name", "x_" * SIZE, lambda n: {"y_" * n: "z"}),
    ("tasks", "todo", lambda n: {"todos": "[x] a\n" * n}),
]


def steps(tool: str, arguments: dict[str, Any]) -> int:
    """How many functions are called for a call."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    tool_call(tool, arguments)  # what is compiled with its first use is no step
    role_of.cache_clear()
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        tool_call(tool, arguments)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(("tool", "arguments"), [pytest.param(*one[1:], id=one[0]) for one in HOSTILE])
def test_a_hostile_call_is_read_in_linear_time(tool: str, arguments: Callable[[int], dict[str, Any]]) -> None:
    steps(tool, arguments(1))  # expressions are compiled when they are first used
    assert steps(tool, arguments(2 * SIZE)) <= 2.2 * steps(tool, arguments(SIZE)) + 200


def test_steps_are_counted() -> None:
    assert steps("bash", {"command": "rm a && " * 40 + "ls"}) > 2 * steps("bash", {"command": "rm a && ls"})
