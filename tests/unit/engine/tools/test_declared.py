"""What a host declares of its tools: how it is found, and what it says of a call beside the files it names."""

from typing import Any

import pytest

from ctxmgr.engine.tools import ToolCall, key_arguments, tool_call
from ctxmgr.model import Call
from ctxmgr.model.tools import DOES, DeclaredTool

PERUSE = (DeclaredTool("peruse", reads="what"),)
KINDS = {
    "reads": "read",
    "writes": "write",
    "edits": "edit",
    "deletes": "delete",
    "runs": "run",
    "searches": "search",
    "lists": "list",
}


def said(arguments: dict[str, Any], **does: str) -> ToolCall:
    return tool_call("own", arguments, (DeclaredTool("own", **does),))


@pytest.mark.parametrize("tool", ["peruse", "Peruse", "mcp__docs__peruse", "docs.peruse"])
def test_it_is_known_as_listed_tools_are(tool: str) -> None:
    assert tool_call(tool, {"what": "a.py"}, PERUSE).read_paths == ("a.py",)
    assert tool_call(tool, {"what": "a.py"}).read_paths == ()


def test_a_call_that_another_tool_is_handed_is_the_declared_one() -> None:
    handed = {"server_name": "docs", "tool_name": "peruse", "arguments": '{"what": "a.py"}'}
    assert tool_call("use_mcp_tool", handed, PERUSE).read_paths == ("a.py",)


@pytest.mark.parametrize("does", DOES)
def test_each_word_says_one_kind(does: str) -> None:
    assert said({"it": "a.py"}, **{does: "it"}).kind == KINDS[does]


@pytest.mark.parametrize("does", [one for one in DOES if one not in ("searches", "lists")])
def test_without_its_argument_a_call_does_nothing_that_is_known(does: str) -> None:
    call = said({"path": "a.py", "command": "rm a.py"}, **{does: "it"})
    assert (call.effects, call.shell) == ((), None)


def test_a_look_without_its_argument_is_at_where_the_host_is() -> None:
    call = said({"words": "order"}, searches="where")
    assert ([(one.kind, one.path) for one in call.effects], call.repeats) == ([("search", "")], True)


def test_what_is_done_by_a_call_that_does_several_things_is_told_of_each() -> None:
    call = said({"from": "a.py", "to": "b.py"}, reads="from", writes="to")
    assert {(one.kind, one.path) for one in call.effects} == {("read", "a.py"), ("write", "b.py")}
    assert (call.kind, call.repeats) == ("write", False)


def test_a_write_holds_the_whole_text_where_the_call_has_one() -> None:
    assert [one.whole for one in said({"to": "a", "content": "x"}, writes="to").effects] == [True]
    assert [one.whole for one in said({"to": "a", "template": "x"}, writes="to").effects] == [False]


@pytest.mark.parametrize("argument", [{"start_line": 3, "end_line": 9}, {"chapter": 4}])
def test_a_read_with_another_argument_may_be_of_a_part(argument: dict[str, Any]) -> None:
    (effect,) = said({"doc": "a.py", **argument}, reads="doc").effects
    assert not effect.whole


def test_a_command_line_is_read_as_a_shells() -> None:
    call = said({"line": "cd src && pytest -q", "title": "tests"}, runs="line")
    assert call.shell is not None
    assert (call.shell.command, call.shell.directory, call.main_argument) == (
        "cd src && pytest -q", "src", "cd src && pytest -q",
    )  # fmt: skip


def test_key_arguments_are_those_that_were_declared() -> None:
    call = Call("peruse", {"depth": 3, "note": "n", "what": "a.py"}, PERUSE)
    assert key_arguments(call) == (("what", "a.py"),)


@pytest.mark.parametrize("value", [None, 3, {}, [], [3], "", {"path": "b.py"}, "x" * 100_000])
def test_an_argument_of_any_type_is_taken(value: Any) -> None:
    for does in DOES:
        assert isinstance(said({"it": value}, **{does: "it"}), ToolCall)
