"""Which step comes next is read off the end of a list, and an act becomes a call of a declared tool."""

from typing import Any

import pytest

from tests.provider.playing import IDLE, Came, Kind, Request, Stage
from tests.provider.scripts import Act, Agent, Call, Edit, Read, Run, script, step
from tests.provider.tools import Tool, ToolCall, tool_call

INNER = script("Count the tests", step(Run("ls tests")), final="Two.")
OUTER = script("Look", step(Read("a")), step(Run("b"), Agent(INNER)), final="Done.")
TOOLS = (
    Tool("Bash", {"properties": {"command": {}}}),
    Tool("Agent", {"properties": {"prompt": {}}}),
    Tool("Read", {"properties": {"file_path": {}}}),
)


def request(*news: Came, tools: tuple[Tool, ...] = TOOLS, **more: Any) -> Request:
    return Request(news, (), tools, **more)


def u(text: str) -> Came:
    return Came("", text)


def r(id: str, text: str = "found") -> Came:
    return Came(id, text)


@pytest.fixture
def stage() -> Stage:
    """One on which OUTER has begun, as play 0."""
    stage = Stage([OUTER], "/tree")
    stage.answer(request(u("Look, please.")))
    return stage


@pytest.mark.parametrize(
    ("news", "kind", "place", "said"),
    [
        ([u("Look again")], "step", "p1s0", ""),
        ([u("Count the tests")], "step", "p1s0", ""),
        ([r("toolu_p0s0n0")], "step", "p0s1", ""),
        ([r("toolu_p0s0n0"), u("<system-reminder>Look</system-reminder>")], "step", "p0s1", ""),
        ([r("toolu_p0s0n0"), u("Look again")], "step", "p1s0", ""),
        ([u("Look"), r("toolu_p0s0r2n0")], "step", "p0s1", ""),
        ([r("call_p0s1n0"), r("call_p0s1n1")], "final", "p0s2", "Done."),
        ([u("Look"), u("In short: [play 0 step 0]")], "step", "p0s1", ""),
        ([r("toolu_p1s0n0")], "idle", "idle", IDLE),
        ([u("What else?")], "idle", "idle", IDLE),
        ([], "idle", "idle", IDLE),
    ],
)
def test_what_came_last_decides(stage: Stage, news: list[Came], kind: Kind, place: str, said: str) -> None:
    answer = stage.answer(request(*news))
    assert (answer.kind, answer.place, answer.text) == (kind, place, said)


def test_calls_have_ids_of_their_step(stage: Stage) -> None:
    calls = stage.answer(request(r("p0s0n0"))).calls
    assert calls == (
        ("p0s1n0", ToolCall("Bash", {"command": "b"})),
        ("p0s1n1", ToolCall("Agent", {"prompt": "Count the tests"})),
    )


def test_what_is_answered_again_has_other_ids(stage: Stage) -> None:
    places = [stage.answer(request(r("p0s0n0"))).place for _ in range(3)]
    assert places == ["p0s1", "p0s1r1", "p0s1r2"]


def test_of_two_scripts_the_one_that_says_more_is_played() -> None:
    stage = Stage([script("Look", final="short"), script("Look at all", final="long")], "/tree")
    assert stage.answer(request(u("Look at all of it"))).text == "long"


def test_a_summary_says_where_the_script_is(stage: Stage) -> None:
    summary = stage.answer(request(r("p0s0n0"), u("Sum it up"), asks="summary"))
    assert summary.kind == "summary"
    assert stage.answer(request(u(summary.text))).place == "p0s1"


def test_agents_that_run_on_their_own_are_waited_for(stage: Stage) -> None:
    waits = stage.answer(request(r("p0s0n0", '{"agent_id":"x7","nickname":"Ada"}')))
    assert waits.calls == (("p0s0wn0", ToolCall("wait_agent", {"targets": ["x7"]}, False, "multi_agent_v1")),)
    assert stage.answer(request(r("p0s0wn0", '{"status":{}}'))).place == "p0s1"


CLAUDE = (
    Tool("Bash", {"properties": {"command": {}, "description": {}}}),
    Tool("Read", {"properties": {"file_path": {}}}),
    Tool("Edit", {"properties": {"file_path": {}, "old_string": {}, "new_string": {}}}),
    Tool("Write", {"properties": {"file_path": {}, "content": {}}}),
)
IN_CODE = (Tool("exec", {}, custom=True, namespace="functions"),)
CODE = 'const done = await tools.exec_command({cmd: "cat a"});\ntext("cat a");\ntext(done.output);'
CODEX = (Tool("exec_command", {"properties": {"cmd": {}}}), Tool("apply_patch", {}, custom=True))
CLINE = (
    Tool("run_commands", {"properties": {"commands": {"type": "array", "items": {"type": "string"}}}}),
    Tool(
        "read_files",
        {"properties": {"files": {"type": "array", "items": {"properties": {"path": {}, "start_line": {}}}}}},
    ),
    Tool("apply_patch", {"properties": {"input": {"type": "string"}}}),
    Tool("spawn_agent", {"properties": {"systemPrompt": {}, "task": {}}}),
)
LISTED = (Tool("shell", {"properties": {"command": {"type": "array"}}}),)
PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n"


@pytest.mark.parametrize(
    ("act", "tools", "expected"),
    [
        (Read("a"), CLAUDE, ToolCall("Read", {"file_path": "/tree/a"})),
        (
            Edit("a", "x", "y"),
            CLAUDE,
            ToolCall("Edit", {"file_path": "/tree/a", "old_string": "x", "new_string": "y"}),
        ),
        (Read("a"), CODEX, ToolCall("exec_command", {"cmd": "cat a"})),
        (Read("a"), IN_CODE, ToolCall("exec", CODE, custom=True, namespace="functions")),
        (Edit("a", "x\n", "y\n"), CODEX, ToolCall("apply_patch", PATCH, custom=True)),
        (Agent(INNER), CODEX, ToolCall("spawn_agent", {"message": "Count the tests"}, False, "multi_agent_v1")),
        (Run("ls"), LISTED, ToolCall("shell", {"command": ["bash", "-c", "ls"]})),
        (Run("ls"), CLINE, ToolCall("run_commands", {"commands": ["ls"]})),
        (Edit("a", "x\n", "y\n"), CLINE, ToolCall("apply_patch", {"input": PATCH})),
        (
            Agent(INNER),
            CLINE,
            ToolCall("spawn_agent", {"task": "Count the tests", "systemPrompt": "You help with one task."}),
        ),
        (Call("Own", {"x": 1}), (), ToolCall("Own", {"x": 1})),
    ],
)
def test_acts_become_calls_of_declared_tools(act: Act, tools: tuple[Tool, ...], expected: ToolCall) -> None:
    assert tool_call(act, tools, "/tree") == expected
