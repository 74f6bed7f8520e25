"""A process that has no file descriptor left goes on: it imports nothing while it serves, and says what it cannot.

Every request of `protocol/corpus` is asked.
"""

import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.formats import AUTO
from ctxmgr.server import state_files
from ctxmgr.server.peer import internal
from ctxmgr.wire.methods import METHODS
from tests.stdio.sidecar import MODEL, ROOT, Sidecar, u

PROGRAM = str(Path(__file__).with_name("limited_serve.py"))
FEW, HARDLY_ANY = 34, 13  # descriptors
CORPUS = [json.loads(path.read_text()) for path in sorted((ROOT / "protocol" / "corpus" / "accept").glob("*.json"))]
APART = {"initialize", "shutdown", "exit", "session_start", "session_shutdown"}
LARGE = [u("a long message " * 2_000) for _ in range(4)]


def serving(directory: Path, files: int, form: str = "pi") -> Sidecar:
    sidecar = Sidecar(directory / "state", program=(PROGRAM, str(directory / "imported"), str(files)))
    sidecar.call("initialize", protocolVersion="1.0", messageFormat=form, capabilities={"retrieve": True})
    return sidecar


def asked(session: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every request that a host may send, about this session."""
    yield "rpc.discover", {}  # the answer is long
    yield "context", {"messages": LARGE}
    for case in CORPUS:
        name = case["method"]
        if name in METHODS and name not in APART and METHODS[name].kind != "notification":
            yield name, {**case.get("params", {}), "sessionId": session}


def test_every_method_is_asked() -> None:
    named = {name for name, _ in asked("s")}
    assert named == {name for name, row in METHODS.items() if row.kind != "notification"} - APART


@pytest.mark.parametrize("form", ["pi", "gemini", AUTO])
def test_nothing_is_imported_while_it_serves(tmp_path: Path, form: str) -> None:
    """What a session may need is loaded when the second one begins."""
    with serving(tmp_path, 0, form) as sidecar:
        for name in ("first", "second"):
            sidecar.call("session_start", sessionId=name, model=MODEL)
        before = (tmp_path / "imported").read_text().splitlines()
        sidecar.call("session_start", sessionId="s", model=MODEL)
        for name, params in asked("s"):
            sidecar.ask(name, **params)
        sidecar.call("session_shutdown", sessionId="s")
        assert (tmp_path / "imported").read_text().splitlines()[len(before) :] == []


def test_where_descriptors_run_out_sessions_that_wait_leave_and_all_are_saved(tmp_path: Path) -> None:
    """More sessions than descriptors: each that is called is brought back, and knows what it knew."""
    names = [f"s{number}" for number in range(FEW)]
    with serving(tmp_path, FEW) as sidecar:
        for name in names:
            sidecar.call("session_start", sessionId=name, model=MODEL)
            sidecar.call("context", sessionId=name, messages=[u(f"Always answer {name}.")])
        for name in names:
            assert name in str(sidecar.call("getLedger", sessionId=name)["facts"])
            assert sidecar.call("getStatus", sessionId=name)["notes"] == []
        assert "not saved" not in sidecar.said
        assert sidecar.leave() == 0
    assert len([*(tmp_path / "state").rglob("*.jsonl")]) == FEW


def rotated(directory: Path, files: int) -> tuple[list[Any], int]:
    """What eight sessions are answered that are asked in turn while their lists grow, and the most of them whose
    files are open at once."""
    names, answers, most_open = [f"s{number}" for number in range(8)], [], 0
    directory.mkdir()
    with serving(directory, files) as sidecar:
        for name in names:
            sidecar.call("session_start", sessionId=name, model={"id": "m", "contextWindow": 6_000})
        for size in range(2, 12):
            for name in names:
                messages = [u(f"{name} {number} " + "is to be done " * 120) for number in range(size)]
                answers.append(sidecar.call("context", sessionId=name, messages=messages, at=size))
            opened = Path(f"/proc/{sidecar.process.pid}/fd").iterdir()
            most_open = max(most_open, sum(str(one.readlink()).endswith(".jsonl") for one in opened))
    return answers, most_open


@pytest.mark.long
def test_sessions_that_are_loaded_anew_for_each_call_are_answered_the_same(tmp_path: Path) -> None:
    plenty, all_open = rotated(tmp_path / "plenty", 0)
    few, some_open = rotated(tmp_path / "few", 22)
    assert (all_open, 0 < some_open < 7) == (8, True)
    assert any("messages" in answer for answer in plenty)  # lists that were shortened
    assert [answer.get("messages") for answer in few] == [answer.get("messages") for answer in plenty]


def test_with_hardly_a_descriptor_left_all_is_answered(tmp_path: Path) -> None:
    """What cannot be kept is said, and no call fails for it."""
    names = [f"s{number}" for number in range(FEW)]
    with serving(tmp_path, HARDLY_ANY) as sidecar:
        for name in names:
            sidecar.call("session_start", sessionId=name, model=MODEL)
        for name in (names[0], names[-1]):
            assert sidecar.call("context", sessionId=name, messages=LARGE)["unchanged"]
            for method, params in asked(name):
                assert sidecar.ask(method, **params).get("error", {}).get("code") != -32603, method
        for told in (sidecar.said, str(sidecar.call("getStatus", sessionId=names[-1])["notes"])):
            assert "the session is not saved: Too many open files" in told
        assert sidecar.leave() == 0


def test_free_descriptors_are_counted_and_none_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = state_files.free_descriptors()
    taken = [os.open(tmp_path, os.O_RDONLY) for _ in range(3)]
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("one is taken"))
    assert state_files.free_descriptors() == free - 3
    for descriptor in taken:
        os.close(descriptor)
    for code, told in ((errno.EMFILE, 0), (errno.ENFILE, 0), (errno.ENOENT, sys.maxsize)):

        def listed(_: str, code: int = code) -> list[str]:
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(os, "listdir", listed)
        assert state_files.free_descriptors() == told


def test_a_call_that_fails_for_want_of_one_says_so() -> None:
    fault = internal(OSError(errno.EMFILE, os.strerror(errno.EMFILE), "/home/me/secret"))
    assert fault.message == "internal fault: Too many open files"
