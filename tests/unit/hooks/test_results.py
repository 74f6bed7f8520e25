"""PostToolUse: what is cut as it arrives, in the shape that the program takes, and what is not."""

from pathlib import Path
from typing import Any

import pytest

from ctxmgr.devices import ArchiveDatabase
from ctxmgr.engine.rewriting import marker
from ctxmgr.hooks import results
from ctxmgr.hooks.cutting import CODEX_BYTES, LONG_TOKENS
from ctxmgr.model import estimate

LONG = "\n".join(f"def step_{number}(store): return store[{number}]" for number in range(900))
SHELL = {"stdout": LONG, "stderr": "", "interrupted": False}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "ctxmgr"


def event(tool: str, response: Any, command: str = "cat a.py") -> dict[str, Any]:
    return {
        "session_id": "s1",
        "tool_name": tool,
        "tool_use_id": "t1",
        "tool_input": {"command": command},
        "tool_response": response,
    }


def replaced(answer: dict[str, Any] | None) -> Any:
    assert answer is not None
    return answer["hookSpecificOutput"]["updatedToolOutput"]


def original(state: Path, key: str) -> str:
    archive = ArchiveDatabase(state)
    try:
        (row,) = archive.originals("hooks-s1", marker.handle(key))
        return row.text
    finally:
        archive.close()


def test_claude_code_gets_a_result_of_the_same_shape(state: Path) -> None:
    made = replaced(results.shortened("claude", event("Bash", SHELL)))
    assert made == {**SHELL, "stdout": made["stdout"]}
    assert estimate(made["stdout"]) <= LONG_TOKENS
    assert f"ctxmgr search --original {marker.handle('t1:stdout')}" in made["stdout"]
    assert original(state, "t1:stdout") == LONG


def test_the_marker_names_the_lines_that_are_left_out() -> None:
    made = replaced(results.shortened("claude", event("Bash", SHELL)))["stdout"]
    first, _, last = made.partition("are left out here, lines ")[2].partition(";")[0].partition(" to ")
    lines = LONG.splitlines()
    assert made.splitlines()[int(first) - 2] == lines[int(first) - 2]
    assert made.splitlines()[-1] == lines[-1]
    assert made.splitlines()[-(len(lines) - int(last))] == lines[int(last)]


def test_codex_gets_a_text_that_it_shows_whole(state: Path) -> None:
    answer = results.shortened("codex", event("Bash", LONG))
    assert answer is not None
    assert answer.keys() == {"decision", "reason"}
    assert answer["decision"] == "block"
    assert len(answer["reason"].encode()) <= CODEX_BYTES
    assert original(state, "t1:") == LONG


def test_codex_keeps_a_result_with_a_picture(state: Path) -> None:
    texts = [{"type": "text", "text": LONG}]
    pictured = [*texts, {"type": "image", "data": "x"}]
    assert results.shortened("codex", event("mcp__docs__read", {"content": texts})) is not None
    for response in (pictured, {"content": pictured}):
        assert results.shortened("codex", event("mcp__docs__read", response)) is None


def test_codex_gets_any_script_in_so_many_bytes() -> None:
    answer = results.shortened("codex", event("Bash", "яблоко\n" * 3_000))
    assert answer is not None
    assert len(answer["reason"].encode()) <= CODEX_BYTES


def test_each_text_of_an_mcp_result_is_cut(state: Path) -> None:
    picture = {"type": "image", "data": "x" * 20_000}
    blocks = [picture, {"type": "text", "text": LONG}]
    for response in (blocks, {"content": blocks}):
        made = replaced(results.shortened("claude", event("mcp__docs__read", response)))
        shown, text = made["content"] if isinstance(made, dict) else made
        assert shown == picture
        assert "[cut — ~" in text["text"]
    assert original(state, "t1:1") == LONG


STAYS = {
    "short": event("Bash", {"stdout": "ok", "stderr": ""}),
    "read by the program": event("Read", {"type": "text", "file": {"content": LONG}}),
    "of a sub-agent": event("Agent", {"content": [{"type": "text", "text": LONG}]}),
    "put into a file": event("Bash", {**SHELL, "persistedOutputPath": "/tmp/x"}),
    "out of the archive": event("Bash", SHELL, "ctxmgr search --original abcdefgh | sed -n 1,900p"),
    "of our own tools": event("mcp__ctxmgr__retrieve", [{"type": "text", "text": LONG}]),
    "no result": event("Bash", None),
}


@pytest.mark.parametrize("case", STAYS)
def test_what_stays_whole(case: str, state: Path) -> None:
    for program in ("claude", "codex"):
        assert results.shortened(program, STAYS[case]) is None
    assert not state.exists()


def test_nothing_is_cut_that_cannot_be_archived(state: Path) -> None:
    state.write_text("a file where the directory should be")
    with pytest.raises(Exception, match=r"Not a directory|File exists"):
        results.shortened("claude", event("Bash", SHELL))


def test_the_settings_say_how_long_a_result_may_be(tmp_path: Path) -> None:
    (tmp_path / ".ctxmgr.toml").write_text("maxResultTokens = 1000\n")
    assert estimate(replaced(results.shortened("claude", event("Bash", SHELL)))["stdout"]) <= 1_000
