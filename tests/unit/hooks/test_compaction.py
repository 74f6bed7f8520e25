"""What the user said, rules and the state of the work outlive the program's compactions."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.devices import ArchiveDatabase
from ctxmgr.hooks import compaction

RULE = "Never touch the schema."


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "ctxmgr"


def event(path: Path, **more: str) -> dict[str, Any]:
    return {"session_id": "s1", "transcript_path": str(path), **more}


def line(id: str, parent: str | None, role: str, content: Any) -> str:
    message = {"role": role, "content": content, **({"id": f"m{id}"} if role == "assistant" else {})}
    return json.dumps({"type": role, "uuid": id, "parentUuid": parent, "message": message}) + "\n"


FIRST = (
    line("1", None, "user", f"Fix the login bug. {RULE}")
    + line(
        "2",
        "1",
        "assistant",
        [{"type": "tool_use", "id": "x", "name": "Read", "input": {"file_path": "CLAUDE.md"}}],
    )
    + line("3", "2", "user", [{"type": "tool_result", "tool_use_id": "x", "content": "Run `make check`."}])
    + line("4", "3", "assistant", [{"type": "text", "text": "It is fixed."}])
)
BOUNDARY = '{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null}\n'
SECOND = BOUNDARY + line("5", "b", "user", "The summary.") + line("6", "5", "user", "Now the logout.")


def told(program: str = "claude") -> str:
    answer = compaction.after(program, {"session_id": "s1", "source": "compact"})
    assert answer is not None
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    return str(answer["hookSpecificOutput"]["additionalContext"])


def test_after_a_compaction_words_and_rules_are_told(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(FIRST)
    compaction.before("claude", event(tmp_path / "t.jsonl"))
    packet = told()
    for kept in (RULE, "Run `make check`.", "It is fixed."):
        assert kept in packet
    assert compaction.GOES_ON["anthropic"]["content"] not in packet


def test_after_the_second_one_too(tmp_path: Path) -> None:
    for content in (FIRST, FIRST + SECOND):
        (tmp_path / "t.jsonl").write_text(content)
        compaction.before("claude", event(tmp_path / "t.jsonl"))
    packet = told()
    for kept in (RULE, "Run `make check`.", "Now the logout."):
        assert kept in packet
    assert packet.count(RULE) == 1


def test_codex_too(tmp_path: Path) -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": RULE}]}
    (tmp_path / "t.jsonl").write_text(json.dumps({"type": "response_item", "payload": item}) + "\n")
    compaction.before("codex", event(tmp_path / "t.jsonl"))
    assert RULE in told("codex")


def test_it_is_told_once_and_after_compactions_alone(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(FIRST)
    compaction.before("claude", event(tmp_path / "t.jsonl"))
    assert compaction.after("claude", {"session_id": "s1", "source": "startup"}) is None
    assert compaction.after("claude", {"session_id": "s2", "source": "compact"}) is None
    assert RULE in told()
    assert compaction.after("claude", {"session_id": "s1", "source": "compact"}) is None


def test_a_packet_that_the_program_would_not_show_whole_says_how_to_get_the_rest(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "CONTEXT_BYTES", 240)
    (tmp_path / "t.jsonl").write_text(FIRST)
    compaction.before("claude", event(tmp_path / "t.jsonl"))
    packet = told()
    assert len(packet.encode()) <= 240
    archive = ArchiveDatabase(state)
    try:
        (row,) = archive.originals(None, packet[-9:-1])
    finally:
        archive.close()
    assert RULE in row.text
    assert row.text.startswith(packet.rpartition("\n\n")[0])


def test_forget_deletes_all_of_it(tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.jsonl").write_text(FIRST)
    compaction.before("claude", event(tmp_path / "t.jsonl"))
    assert main(["sessions", "list"]) == 0
    assert "hooks-s1" in capsys.readouterr().out
    assert [path.stat().st_mode & 0o777 for path in state.iterdir()] == [0o600] * len(list(state.iterdir()))
    assert main(["forget", "hooks-s1"]) == 0
    assert not list(state.glob("hooks-*"))
