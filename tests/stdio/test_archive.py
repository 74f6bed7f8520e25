"""What the spawned process leaves in its archive, and what it, or the next one, gives back of it."""

import json
import resource
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.devices.archive.file import NAME
from ctxmgr.engine.rewriting.marker import handle
from tests.stdio.sidecar import SECRET, Sidecar, u
from tests.stdio.test_recorded import replayed

LEAVING = (str(Path(__file__).with_name("leaving_serve.py")),)


def messages(count: int, size: int = 2_000) -> list[dict[str, Any]]:
    """So many steps; the result of call c1 tells c1, and so on."""
    found = [u("go")]
    for number in range(1, count + 1):
        called = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"{number}.py"}}
        found.append({"role": "assistant", "content": [called], "stopReason": "toolUse"})
        content = [{"type": "text", "text": text_of(number, size)}]
        result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
        found.append({**result, "content": content})
    return found


def text_of(number: int, size: int = 2_000) -> str:
    return (f"{SECRET} {number}\n" * size)[:size]


def context(sidecar: Sidecar, count: int, size: int = 2_000, session: str = "s") -> Any:
    return sidecar.call("context", sessionId=session, messages=messages(count, size))


def retrieved(sidecar: Sidecar, number: int, session: str = "s") -> str:
    text: str = sidecar.call("retrieve", sessionId=session, handle=handle(f"c{number}"))["text"]
    return text


@pytest.mark.kill
def test_killed_after_the_answer_it_can_be_retrieved(tmp_path: Path) -> None:
    for life in range(1, 4):
        with Sidecar(tmp_path, program=LEAVING).ready("s", retrieve=True) as sidecar:
            context(sidecar, life)
            sidecar.kill()
    with Sidecar(tmp_path).ready("s", retrieve=True) as sidecar:
        assert [retrieved(sidecar, number) for number in (1, 2, 3)] == [text_of(number) for number in (1, 2, 3)]
        assert sidecar.leave() == 0
        assert sidecar.said == ""


def test_files_are_for_their_owner_alone_and_its_log_ends_with_the_process(tmp_path: Path) -> None:
    state = tmp_path / "deep" / "state"
    with Sidecar(state, program=LEAVING).ready("s", retrieve=True) as sidecar:
        context(sidecar, 3)
        assert stat.S_IMODE(state.stat().st_mode) == 0o700
        assert {path.name for path in state.glob(f"{NAME}*")} == {NAME, *(f"{NAME}{end}" for end in ENDS)}
        assert {stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()} == {0o600}
        assert sidecar.leave() == 0
        assert sidecar.said == "SQLite was loaded\n"
    assert {path.name for path in state.glob(f"{NAME}*")} == {NAME, f"{NAME}.lock"}


ENDS = ("-wal", "-shm", ".lock")


def test_where_retrieve_was_not_declared_there_is_nothing(tmp_path: Path) -> None:
    with Sidecar(tmp_path, program=LEAVING).ready("s") as sidecar:
        context(sidecar, 3)
        assert sidecar.ask("retrieve", sessionId="s", handle=handle("c1"))["error"]["code"] == -32803
        assert sidecar.leave() == 0
        assert sidecar.said == "SQLite was not loaded\n"
    assert not list(tmp_path.glob("archive*"))


def test_a_broken_file_is_set_aside_and_said(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no archive" * 1_000)
    with Sidecar(tmp_path, program=LEAVING).ready("s", retrieve=True) as sidecar:
        context(sidecar, 1)
        (note,) = sidecar.call("getStatus", sessionId="s")["notes"]
        assert f"set aside as {NAME}.broken-1" in note
        assert retrieved(sidecar, 1) == text_of(1)
        assert sidecar.leave() == 0
        assert sidecar.said.count("set aside") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a running process are Linux's")
def test_a_full_disk_is_said_and_survived(tmp_path: Path) -> None:
    """A limit on file sizes stands for the disk. Once it takes bytes again, the archive has all of it."""
    unlimited = resource.RLIM_INFINITY
    with Sidecar(tmp_path, program=LEAVING).ready("s", retrieve=True) as sidecar:
        context(sidecar, 1)
        resource.prlimit(sidecar.process.pid, resource.RLIMIT_FSIZE, (64 << 10, unlimited))
        for count in (2, 3):
            assert context(sidecar, count, 15_000)["report"]["checks"] == []
        notes = [one for one in sidecar.call("getStatus", sessionId="s")["notes"] if "archived" in one]
        assert len(notes) == 1
        assert retrieved(sidecar, 1) == text_of(1)
        assert retrieved(sidecar, 3) == text_of(3, 15_000)
        resource.prlimit(sidecar.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
        context(sidecar, 4, 15_000)
        sidecar.kill()
        assert sidecar.said.count("could not be archived") == 1
    with Sidecar(tmp_path).ready("s", retrieve=True) as sidecar:
        for number in (2, 3, 4):
            assert retrieved(sidecar, number) == text_of(number, 15_000)


def test_what_was_recorded_replays_without_the_archive(tmp_path: Path) -> None:
    state, record = tmp_path / "state", tmp_path / "t.jsonl"
    with Sidecar(state, program=LEAVING).ready("s", retrieve=True) as sidecar:
        context(sidecar, 2)
        assert sidecar.leave() == 0
    policy = {"preset": "turns", "tokenizer": "estimate"}
    with Sidecar(state, "--record", str(record)).ready("s", policy=policy, retrieve=True) as sidecar:
        assert retrieved(sidecar, 2) == text_of(2)
        sidecar.ask("retrieve", sessionId="s", handle="nonesuch")
        assert sidecar.leave() == 0
    assert [line["retrieve"] for line in map(json.loads, record.read_text().splitlines()) if "archive" in line] == [
        handle("c2"),
        "nonesuch",
    ]
    replayed(tmp_path, record)
