"""What the spawned process leaves on the disk, and what a restart makes of it."""

import json
import os
import resource
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.stdio.sidecar import MODEL, SECRET, Sidecar, a, call, u


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def started(sidecar: Sidecar, session: str = "s") -> dict[str, Any]:
    result: dict[str, Any] = sidecar.call("session_start", sessionId=session, model=MODEL)
    return result


def snapshot(state_dir: Path) -> Path:
    (found,) = state_dir.glob("*.jsonl")
    return found


def facts(sidecar: Sidecar) -> list[str]:
    return [fact["text"] for fact in sidecar.call("getLedger", sessionId="s")["facts"]]


def turn(number: int) -> dict[str, Any]:
    """A turn that leaves a fact of its own in the ledger."""
    called = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"src/{number}.py"}}
    message = {"role": "assistant", "content": [called], "stopReason": "toolUse"}
    result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
    return {
        "sessionId": "s",
        "message": message,
        "toolResults": [{**result, "content": [{"type": "text", "text": "x"}]}],
    }


@pytest.mark.kill
@pytest.mark.parametrize("answers", [1, 2, 5, 17])
def test_killed_at_any_moment_it_knows_what_it_has_answered(tmp_path: Path, answers: int) -> None:
    """Twenty turns are under way; the kill comes after so many answers, whatever else it has done by then."""
    with Sidecar(tmp_path).ready("s") as sidecar:
        sidecar.send(*(call(f"t{number}", "turn_end", **turn(number)) for number in range(20)))
        answered = [sidecar.answer(f"t{number}")["result"] for number in range(answers)]
        sidecar.kill()
        answered += [one["result"] for one in sidecar.rest()]
    with Sidecar(tmp_path).ready() as sidecar:
        again = started(sidecar)
        assert again["restored"] is True
        torn = "unreadable bytes at its end"  # of a line that nobody was told of
        assert all(torn in note for note in again["status"]["notes"])
        assert again["seq"] >= answered[-1]["seq"] == len(answered)
        known = " ".join(facts(sidecar))
        assert all(f"src/{number}.py" in known for number in range(len(answered)))


def test_second_process_is_refused_that_session_alone(tmp_path: Path) -> None:
    with Sidecar(tmp_path).ready("s") as first, Sidecar(tmp_path).ready("t") as second:
        refused = second.ask("session_start", sessionId="s", model=MODEL)["error"]
        assert refused["code"] == -32803
        assert f"locked by pid {first.process.pid}" in refused["message"]
        assert second.ask("getStatus", sessionId="s")["error"]["code"] == -32001
        assert second.call("getStatus", sessionId="t")["seq"] == 0
        first.call("session_shutdown", sessionId="s")
        assert started(second)["restored"] is True
        assert first.ask("session_start", sessionId="s", model=MODEL)["error"]["code"] == -32803
        second.kill()
        assert started(first)["restored"] is True
        assert first.leave() == 0


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    state_dir = tmp_path / "deep" / "state"
    with Sidecar(state_dir).ready("s") as sidecar:
        sidecar.call("turn_end", sessionId="s", message=a("done"))
        assert mode(state_dir) == 0o700
        assert {mode(path) for path in state_dir.iterdir()} == {0o600}
        assert sidecar.leave() == 0
    assert {mode(path) for path in state_dir.iterdir()} == {0o600}


def test_broken_snapshot_is_set_aside_and_said(tmp_path: Path) -> None:
    with Sidecar(tmp_path).ready("s") as sidecar:
        sidecar.call("turn_end", sessionId="s", message=a("done"))
        sidecar.leave()
    path = snapshot(tmp_path)
    broken = b"no snapshot " + SECRET.encode() + b"\n" + path.read_bytes()
    path.write_bytes(broken)
    with Sidecar(tmp_path).ready() as sidecar:
        status = started(sidecar)["status"]
        assert "set aside" in status["notes"][0]
        assert status["seq"] == 0
        assert sidecar.call("turn_end", sessionId="s", message=a("done"))["seq"] == 1
        assert sidecar.leave() == 0
        assert sidecar.said.count("set aside") == 1
    assert (tmp_path / f"{path.name}.broken-1").read_bytes() == broken


def test_snapshot_whose_lines_make_no_state_is_not_written_over(tmp_path: Path) -> None:
    """The checksums are right and the content is not: as a fault of ours, or a later version, would leave it."""
    from ctxmgr.devices.snapshots import to_line

    with Sidecar(tmp_path).ready("s") as sidecar:
        sidecar.leave()
    path = snapshot(tmp_path)
    strange = to_line(b'{"kind":"base","sessionId":"s","state":{"session_id":7},"version":1}')
    path.write_bytes(strange)
    for life in range(2):
        with Sidecar(tmp_path).ready() as sidecar:
            again = started(sidecar)
            assert again["restored"] is (life > 0)
            assert again["seq"] == life
            sidecar.call("turn_end", sessionId="s", message=a("done"))
            sidecar.leave()
    assert [one.read_bytes() for one in tmp_path.glob("*.broken-*")] == [strange]


def test_state_directory_that_can_not_be_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with Sidecar(tmp_path / "file" / "state").ready("s") as sidecar:
        for number in range(3):
            assert sidecar.call("turn_end", sessionId="s", message=a("done"))["seq"] == number + 1
        assert "not saved" in sidecar.call("getStatus", sessionId="s")["notes"][0]
        assert "messages" in sidecar.call("context", sessionId="s", messages=[u("hello")], answer="messages")
        assert sidecar.leave() == 0
        assert sidecar.said.count("not saved") == 1


@pytest.mark.kill
def test_rewrite_amid_what_came_at_once_adds_nothing_twice(tmp_path: Path) -> None:
    """The file grows past its limit in the middle of events that arrive in one piece."""
    heard = 0
    with Sidecar(tmp_path).ready("s") as sidecar:
        while snapshot(tmp_path).stat().st_size < 260_000:
            heard += 1
            entry = {"id": f"e{heard}", "summary": f"## Goal\nwin {heard}\n" + "x" * 1_000}
            sidecar.call("session_compact", sessionId="s", compactionEntry=entry)
        inode = snapshot(tmp_path).stat().st_ino
        entries = [{"id": f"f{number}", "summary": f"## Goal\nlose {number}"} for number in range(20)]
        sidecar.send(*(call(one["id"], "session_compact", sessionId="s", compactionEntry=one) for one in entries))
        sidecar.answer("f19")
        assert snapshot(tmp_path).stat().st_ino != inode
        sidecar.kill()
    with Sidecar(tmp_path).ready() as sidecar:
        assert started(sidecar)["status"]["summaries"]["compaction"] == heard + 20


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a running process are Linux's")
@pytest.mark.parametrize("full_from", ["the start", "the middle"])
def test_full_disk_is_said_once_and_survived(tmp_path: Path, full_from: str) -> None:
    """A limit on file sizes stands for the disk. Once it takes bytes again, the snapshot is whole again."""
    full, free = (4, resource.RLIM_INFINITY), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    with Sidecar(tmp_path).ready() as sidecar:
        if full_from == "the middle":
            started(sidecar)
        resource.prlimit(sidecar.process.pid, resource.RLIMIT_FSIZE, full)
        started(sidecar)
        for number in range(3):
            assert sidecar.call("turn_end", **turn(number))["seq"] == number + 1
        resource.prlimit(sidecar.process.pid, resource.RLIMIT_FSIZE, free)
        sidecar.call("turn_end", **turn(3))
        sidecar.kill()
        assert sidecar.said.count("could not be written") == 1
    with Sidecar(tmp_path).ready() as sidecar:
        assert started(sidecar)["seq"] == 4
        assert "src/0.py" in " ".join(facts(sidecar))


# weighers


def test_preloaded_vocabulary_weighs_from_the_start(tmp_path: Path) -> None:
    with Sidecar(tmp_path, "--preload", environment={"TIKTOKEN_CACHE_DIR": ""}) as sidecar:
        sidecar.ready("s")
        assert sidecar.call("getStatus", sessionId="s")["weigher"] == "o200k_base"
        assert sidecar.leave() == 0
        assert sidecar.said == ""


# transcripts


def test_recording_is_private_and_json(tmp_path: Path) -> None:
    record = tmp_path / "transcript.jsonl"
    record.write_text("an older one, readable by all")
    record.chmod(0o644)
    with Sidecar(tmp_path / "state", "--record", str(record)).ready("s") as sidecar:
        sidecar.call("context", sessionId="s", messages=[u("hello")])
        sidecar.send(
            b"{broken", b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":"\xff\xe2\x80\xa8"}}', b'"\\ud83d"'
        )
        sidecar.send(b'{"jsonrpc":"2.0","id":8,\r\n "method":"getStatus",\n\n"params":{"sessionId":"s"}}')
        assert sidecar.leave() == 0
    assert mode(record) == 0o600
    lines = [json.loads(line) for line in record.read_bytes().removesuffix(b"\n").split(b"\n")]
    assert sorted(lines[0]["ctxmgr"]) == ["policy", "protocolVersion", "rules", "serverVersion", "tokenizer"]
    assert {line["from"] for line in lines[1:]} == {"host", "ctxmgr"}
    kinds = [next(name for name in ("message", "broken", "weigher") if name in line) for line in lines[1:]]
    assert kinds.count("broken") == 3
    assert [line["message"]["id"] for line in lines[1:] if "result" in line.get("message", {})] == [1, 2, 3, 8, 4]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_recording_to_a_full_disk_costs_no_answer(tmp_path: Path) -> None:
    with Sidecar(tmp_path, "--record", "/dev/full").ready("s") as sidecar:
        assert sidecar.call("getStatus", sessionId="s")["seq"] == 0
        assert sidecar.leave() == 0


def test_recording_that_can_not_be_opened_is_said(tmp_path: Path) -> None:
    with Sidecar(tmp_path, "--record", str(tmp_path / "nowhere" / "file")) as sidecar:
        assert sidecar.wait() in (1, 2)
        assert "nowhere" in sidecar.said
