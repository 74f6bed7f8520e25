"""The file of a holdout's calls, and the arm of a session."""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ctxmgr.holdout import HoldoutCall, HoldoutCalls, digest
from ctxmgr.holdout import calls as module
from ctxmgr.holdout.calls import arm_of

CALL = HoldoutCall(1, "heldOut", digest("s"), digest("c"), "claude", "m", 1, 1, 2, 3, 4, 0.5, rereads=2)


def test_what_was_noted_is_read(tmp_path: Path) -> None:
    kept = HoldoutCalls(tmp_path / "new")
    assert [*kept.read()] == []
    kept.note(CALL)
    other = msgspec.structs.replace(CALL, call=2, error=True)
    HoldoutCalls(tmp_path / "new").note(other)  # of another proxy
    assert [*kept.read()] == [CALL, other]


def test_a_line_that_is_torn_or_tells_what_can_not_have_been_is_skipped(tmp_path: Path) -> None:
    kept = HoldoutCalls(tmp_path)
    kept.note(CALL)
    told = msgspec.to_builtins(CALL)
    odd = [{**told, "dollars": 1e308}, {**told, "dollars": -1}, {**told, "rereads": -1}, {**told, "at": -(10**18)}]
    deep = b'{"more":' + b"[" * 100_000
    text = kept.path.read_bytes()
    torn = [b'{"at": 1}', b"\xff", deep, text + text[:40]]
    kept.path.write_bytes(b"\n".join([*map(msgspec.json.encode, odd), *torn]))
    assert [*kept.read()] == [CALL]


def test_a_session_keeps_its_arm_and_a_conversation_its_number_of_calls(tmp_path: Path) -> None:
    HoldoutCalls(tmp_path).note(CALL)
    HoldoutCalls(tmp_path).note(msgspec.structs.replace(CALL, call=2, error=True))
    kept = HoldoutCalls(tmp_path)
    assert kept.assigned("s", 0.0) == "heldOut"
    assert kept.assigned("t", 0.0) == "managed"
    assert kept.assigned("t", 1.0) == "managed"
    assert (kept.arm("s"), kept.arm("u")) == ("heldOut", None)
    assert (kept.count(digest("c")), kept.count(digest("d"))) == (1, 0)


def test_of_a_long_file_the_end_is_read(tmp_path: Path) -> None:
    kept = HoldoutCalls(tmp_path)
    for number in range(1, 10):
        kept.note(msgspec.structs.replace(CALL, call=number))
    size = kept.path.stat().st_size // 9
    assert [call.call for call in kept.read(3 * size)] == [7, 8, 9]
    assert 60_000 * size < module.READ_BYTES


def test_a_file_that_has_grown_is_renamed_and_both_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, other = HoldoutCalls(tmp_path), HoldoutCalls(tmp_path)
    kept.note(CALL)
    size = kept.path.stat().st_size
    monkeypatch.setattr(module, "ROTATED_BYTES", 3 * size)
    for number in range(2, 9):
        (kept if number % 2 else other).note(msgspec.structs.replace(CALL, call=number))
    assert [call.call for call in other.read()] == [4, 5, 6, 7, 8]
    assert [call.call for call in other.read(3 * size)] == [6, 7, 8]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["holdout-calls", "holdout-calls.1"]
    assert HoldoutCalls(tmp_path).arm("s") == "heldOut"


def test_one_process_renames_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = HoldoutCalls(tmp_path)
    kept.note(CALL)
    monkeypatch.setattr(module, "ROTATED_BYTES", 1)
    with kept.path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        kept.note(CALL)
        assert not kept.older_path.exists()
    before = os.open(kept.path, os.O_RDONLY)
    kept.note(CALL)  # renames it
    monkeypatch.setattr(module, "ROTATED_BYTES", 1 << 20)
    kept.note(CALL)
    older = kept.older_path.stat().st_ino
    kept._rotate(before)
    os.close(before)
    assert kept.older_path.stat().st_ino == older


def test_a_disk_at_fault_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = HoldoutCalls(tmp_path / "file" / "below")
    kept.note(CALL)
    assert [*kept.read()] == []
    (tmp_path / "holdout-calls").mkdir()
    kept = HoldoutCalls(tmp_path)
    kept.note(CALL)
    assert kept.assigned("s", 1.0) == "heldOut"


def test_a_system_without_file_locks_can_load_it() -> None:
    code = "import sys; sys.modules['fcntl'] = None; import ctxmgr.holdout, ctxmgr.holdout.calls"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).stderr == b""


def test_it_is_by_the_ids_sha_256_and_nothing_else() -> None:
    for name in map(str, range(100)):
        first = int(hashlib.sha256(name.encode()).hexdigest()[:16], 16) / 16**16
        assert digest(name) == hashlib.sha256(name.encode()).hexdigest()[:16]
        assert arm_of(name, first + 1e-9) == "heldOut"
        assert arm_of(name, first - 1e-9) == "managed"
