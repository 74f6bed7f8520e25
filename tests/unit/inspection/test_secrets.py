"""No command that shows what is saved shows a secret of a known shape, whoever said it and wherever it was kept."""

from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.devices import ArchiveDatabase
from ctxmgr.devices.snapshots import SnapshotStore, file_name
from ctxmgr.model import ArchiveRow
from tests.inprocess import InProcess
from tests.unit.masking.secrets import PLANTED, leaked

SESSION = "s"
WORD = "planted"


def turn(number: int, text: str) -> list[dict[str, Any]]:
    """The user says it, the model runs it, and the tool prints it."""
    call = {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": {"command": text}}
    printed = {"content": [{"type": "text", "text": f"{WORD}\n{text}\n"}], "isError": False, "timestamp": number}
    return [
        {"role": "user", "content": f"Always use this, never another:\n{text}", "timestamp": number},
        {"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": number},
        {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "bash", **printed},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": f"I decided to keep {text}"}],
            "stopReason": "stop",
        },
    ]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session in which each was said, run, printed, decided and summed up; its originals as an earlier release
    kept them."""
    directory = tmp_path_factory.mktemp("state")
    host = InProcess()
    messages: list[dict[str, Any]] = []
    for number, text in enumerate(PLANTED):
        messages += turn(number, text)
        host.request("context", sessionId=SESSION, messages=messages[:-3])
        host.notify("turn_end", sessionId=SESSION, message=messages[-3], toolResults=[messages[-2]])
        host.notify("turn_end", sessionId=SESSION, message=messages[-1])
    host.request("setPolicy", sessionId=SESSION, policy={"compaction": {"instructions": PLANTED[0]}})
    summary = "## Goal\nGo on\n\n## Key Decisions\n" + "\n".join(f"- {text}" for text in PLANTED)
    host.notify("session_compact", sessionId=SESSION, compactionEntry={"summary": summary, "id": "c"})
    opened = SnapshotStore(directory).open(SESSION)
    assert opened.file is not None
    for line in host.saved[SESSION]:
        opened.file.append(line)
    opened.file.close()
    archive = ArchiveDatabase(directory)
    rows = enumerate(PLANTED)
    archive.put(
        SESSION, [ArchiveRow(f"h{at}", f"k{at}", f"bash command={text}", f"{WORD} {text}") for at, text in rows]
    )
    archive.close()
    return directory


COMMANDS = {
    "list": ("sessions", "list"),
    "list as JSON": ("sessions", "list", "--json"),
    "show": ("sessions", "show", SESSION),
    "show all": ("sessions", "show", SESSION, "--full"),
    "show no such": ("sessions", "show", PLANTED[0]),
    "delete no such": ("sessions", "delete", PLANTED[0]),
    "forget no such": ("forget", PLANTED[0]),
    "search": ("search", WORD, "--limit", str(len(PLANTED))),
    "search as JSON": ("search", WORD, "--limit", str(len(PLANTED)), "--json"),
    "search in no such": ("search", WORD, "--session", PLANTED[0]),
}


def shown(state: Path, capsys: pytest.CaptureFixture[str], *command: str) -> str:
    main([*command, "--state-dir", str(state)])
    said = capsys.readouterr()
    return said.out + said.err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_shows_no_secret(state: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    said = shown(state, capsys, *COMMANDS[name])
    assert leaked(said) == []
    assert said


@pytest.mark.parametrize("more", [(), ("--full",)])
def test_inspect_shows_no_secret(state: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]) -> None:
    assert main(["inspect", str(state / file_name(SESSION)), *more]) == 0
    said = capsys.readouterr().out
    assert leaked(said) == []
    assert "[masked]" in said


def test_an_original_is_shown_without_its_secret(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for at, text in enumerate(PLANTED):
        said = shown(state, capsys, "search", "--original", f"h{at}")
        assert leaked(said) == [], text
        assert "[masked]" in said, text


def test_with_keep_secrets_an_original_is_shown_whole(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("[archive]\nkeepSecrets = true\n")
    monkeypatch.setenv("CTXMGR_CONFIG", str(settings))
    assert PLANTED[0] in shown(state, capsys, "search", "--original", "h0")
