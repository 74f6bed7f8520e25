"""A program is told of the tools of `ctxmgr mcp` where it can take them; its own servers and its prompt stay."""

import json
from pathlib import Path

import pytest

from ctxmgr.mcp_server import TOKEN, URL
from ctxmgr.programs import proxying
from ctxmgr.programs.claude import CLAUDE
from ctxmgr.programs.codex import CODEX
from ctxmgr.programs.gemini import GEMINI
from ctxmgr.programs.program import Launch, Program
from tests.unit.programs.starting import LISTENER, start


def given(root: Path, program: Program, *arguments: str) -> Launch:
    return proxying.with_tools(program, start(root, *arguments), LISTENER, "one-time")


def test_claude_code_gets_a_server_beside_its_own_and_keeps_its_prompt(tmp_path: Path) -> None:
    launch = given(tmp_path, CLAUDE, "--mcp-config", "mine.json", "-p", "hi")
    config, allowed, *rest = launch.arguments
    assert rest == ["--mcp-config", "mine.json", "-p", "hi"]
    (server,) = json.loads(config.removeprefix("--mcp-config="))["mcpServers"].values()
    assert (server["command"], *server["args"]) == proxying.MODEL_TOOLS
    assert server["env"] == {URL: f"${{{URL}}}", TOKEN: f"${{{TOKEN}}}"}
    assert allowed == "--allowedTools=mcp__ctxmgr"


def test_codex_gets_a_server_key_by_key(tmp_path: Path) -> None:
    launch = given(tmp_path, CODEX, "exec", "hi")
    words = launch.arguments[:-2]
    assert launch.arguments[-2:] == ("exec", "hi")
    assert set(words[::2]) == {"-c"}
    keys = dict(word.split("=", 1) for word in words[1::2])
    assert [key.removeprefix("mcp_servers.ctxmgr.") for key in keys] == [
        "command",
        "args",
        "env_vars",
        "default_tools_approval_mode",
    ]
    assert json.loads(keys["mcp_servers.ctxmgr.env_vars"]) == [URL, TOKEN]


@pytest.mark.parametrize("program", [CLAUDE, CODEX], ids=["claude", "codex"])
def test_the_token_is_in_the_environment_alone(tmp_path: Path, program: Program) -> None:
    launch = given(tmp_path, program, "hi")
    assert (launch.environ[URL], launch.environ[TOKEN]) == (LISTENER, "one-time")
    assert "one-time" not in " ".join(launch.arguments)


def test_a_program_that_can_not_be_told_is_left_as_it_is(tmp_path: Path) -> None:
    assert given(tmp_path, GEMINI, "hi") == start(tmp_path, "hi")
    assert proxying.can_have_tools(GEMINI) is False


def test_without_the_extra_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proxying.can_have_tools(CLAUDE) is True
    monkeypatch.setattr(proxying.importlib.util, "find_spec", lambda name: None)
    assert proxying.can_have_tools(CLAUDE) is False
