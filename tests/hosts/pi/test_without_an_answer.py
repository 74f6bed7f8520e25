"""Where ctxmgr does not answer: pi sends, compacts and is billed as it is without the extension, and the user is
told once, and once when it is over."""

import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.pi import scripted
from tests.hosts.pi.driver import Pi
from tests.hosts.pi.installing import Installed
from tests.hosts.pi.runs import SMALL, Places, asked, check_clean, check_legal, place_of, requests_of
from tests.model_server import ModelServer, Request

pytestmark = pytest.mark.real

WRITTEN, READ = 1.25, 0.1  # prices of input tokens, as a provider has them that caches prefixes
ALIKE = 0.02  # of a bill

ENDS = "import sys; sys.exit(3)"
GARBAGE = "print('Welcome!', flush=True); import sys; sys.stdin.read()"
MUTE = "import sys; sys.stdin.read()"
LOCKED = f"""
import sys
sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r})
import json
from ctxmgr.wire import Framer, frame
framer = Framer()
policy = {{"protocolVersion": "1.0", "serverInfo": {{}}, "capabilities": {{}}, "policy": {{}}}}
while chunk := sys.stdin.buffer.read1(65536):
    for message in map(json.loads, framer.feed(chunk)):
        if "id" in message:
            held = {{"error": {{"code": -32803, "message": "the session is open elsewhere"}}}}
            end = {{"result": policy}} if message["method"] in ("initialize", "shutdown") else held
            body = json.dumps({{"jsonrpc": "2.0", "id": message["id"], **end}}).encode()
            sys.stdout.buffer.write(b"".join(frame("content-length", [body])))
            sys.stdout.buffer.flush()
"""
FAULTS: dict[str, tuple[list[str], str]] = {
    "missing": (
        ["./no-such-program"],
        "ctxmgr is not to be found: pi goes on without it. pip install ctxmgr-sidecar",
    ),
    "exit": ([sys.executable, "-c", ENDS], f"ctxmgr does not answer ({sys.executable} exited with code 3"),
    "garbage": (
        [sys.executable, "-c", GARBAGE],
        "ctxmgr does not answer (the process wrote something that is not the protocol)",
    ),
    "hang": ([sys.executable, "-c", MUTE], "ctxmgr does not answer ("),
    "locked": (
        [sys.executable, "-c", LOCKED],
        "ctxmgr does not answer (session_start: the session is open elsewhere)",
    ),
}


@pytest.mark.parametrize("program", ["0.87"], indirect=True)  # before, a prompt does not wait for pi's compaction
@pytest.mark.parametrize("fault", FAULTS)
def test_pi_is_billed_and_compacts_as_without_the_extension(program: Installed, tmp_path: Path, fault: str) -> None:
    command, line = FAULTS[fault]
    own, told = _session(program, tmp_path / "own", extended=False)
    silent, heard = _session(program, tmp_path / "silent", command=command)
    assert told == []
    assert [one.startswith(line) for one in heard] == [True], heard
    summaries = sum(map(scripted.is_summary, own))
    assert summaries >= 1  # the session is long enough for pi to compact
    assert sum(map(scripted.is_summary, silent)) == summaries
    assert [asked(one) for one in silent] == [asked(one) for one in own]
    assert abs(_bill(silent) - _bill(own)) <= ALIKE * _bill(own)


def test_pi_goes_on_and_the_user_is_told_once(program: Installed, model: ModelServer, places: Places) -> None:
    with Pi(program.node, program.pi, places(command=["./no-such-program"])) as pi:
        for number in (1, 2):
            assert len(requests_of(pi, program, model, f"Step {number}: read notes-{number}.txt")) == 2
        told = [one["message"] for one in pi.of("extension_ui_request")]
        assert told == ["ctxmgr is not to be found: pi goes on without it. pip install ctxmgr-sidecar"]
        assert pi.command("/ctx-status").startswith("ctxmgr: ")
        assert pi.close() == 0
        assert pi.of("extension_error") == []


def test_a_stopped_sidecar_costs_a_bound_and_no_prefix(
    program: Installed, model: ModelServer, tmp_path: Path
) -> None:
    """While it is stopped each list is the last one and what came since. What was said is heard when it goes on."""
    with (
        contextlib.closing(place_of(tmp_path, model)) as place,
        Pi(program.node, program.pi, place) as pi,
    ):
        sidecar = place.sidecar()
        for number in range(1, 9):
            before = requests_of(pi, program, model, f"Step {number}: read notes-{number}.txt")[-1]
        assert len(scripted.packets(before)) == 1
        os.kill(sidecar, signal.SIGSTOP)
        stopped = requests_of(pi, program, model, "Step 9: read notes-9.txt")
        os.kill(sidecar, signal.SIGCONT)
        for request in stopped:
            head = _conversation(before)
            assert _conversation(request)[: len(head)] == head
            check_legal(request)
            before = request
        result = scripted.text(stopped[-1].body["messages"][-1])
        assert len(result) > SMALL * 0.9
        assert pi.command("/ctx-status").startswith("Pruning on")
        requests_of(pi, program, model, "And on: read notes-1.txt")
        told = [one["message"] for one in pi.of("extension_ui_request") if "notify" in one["method"]]
        lines = [one for one in told if one.startswith("ctxmgr")]
        assert len(lines) == 2
        assert lines[0].startswith("ctxmgr does not answer (no answer to context within 2000 ms): pi goes on")
        assert lines[1] == "ctxmgr answers again"
        check_clean(pi)
        ends = [one["params"] for one in place.recorded(sidecar) if one.get("method") == "turn_end"]
        assert len(ends) == 20  # each once, in their order
        assert [one["at"] for one in ends] == sorted(one["at"] for one in ends)


def _session(
    program: Installed, root: Path, extended: bool = True, **pruning: Any
) -> tuple[list[Request], list[str]]:
    """The requests of a session in which pi compacts, and what the user was told."""
    root.mkdir()
    with (
        ModelServer.threaded(scripted.Model()) as model,
        contextlib.closing(place_of(root, model, **pruning)) as place,
        Pi(program.node, program.pi, place, extended=extended) as pi,
    ):
        for number in range(1, 4):
            pi.prompt(f"Step {number}: read big-{number}.txt notes-{number}.txt big-2.txt", program.last)
        pi.prompt("Step 4: read notes-4.txt", program.last)
        assert pi.close() == 0
        assert pi.of("extension_error") == []
        return list(model.requests), [one["message"] for one in pi.of("extension_ui_request")]


def _bill(requests: list[Request]) -> float:
    """Of a provider that keeps the prefix of the last request; in prices of an input token."""
    bill, before = 0.0, ""
    for request in requests:
        text = json.dumps(request.body["messages"])
        pairs = enumerate(zip(before, text, strict=False))
        shared = next((at for at, (one, other) in pairs if one != other), len(before))
        bill += (shared * READ + (len(text) - shared) * WRITTEN) / 4
        before = text
    return bill


def _conversation(request: Request) -> list[dict[str, Any]]:
    """All but pi's own prompt, which tells the day."""
    messages: list[dict[str, Any]] = request.body["messages"]
    return [one for one in messages if one["role"] not in ("system", "developer")]
