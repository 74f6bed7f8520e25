"""Raw bytes against the spawned process: framings, bad messages, and the ways a connection can end."""

import json
import os
import select
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import IO, Any

import pytest

from tests import patience
from tests.stdio.sidecar import BOUND, Sidecar, a, call, ended, u

INITIALIZE = call(1, "initialize", protocolVersion="1.0")


@pytest.mark.parametrize("ndjson", [False, True])
def test_it_answers_in_the_framing_of_its_host(tmp_path: Path, ndjson: bool) -> None:
    """Though the first message comes byte by byte."""
    with Sidecar(tmp_path, "--max-message", "9", ndjson=ndjson) as sidecar:
        for byte in sidecar.framed(INITIALIZE):
            sidecar.write(bytes([byte]))
        sidecar.end_input()
        assert [one["result"]["protocolVersion"] for one in sidecar.rest()] == ["1.0"]
        assert sidecar.wait() == 0


def test_megabytes_go_through_and_come_back(tmp_path: Path) -> None:
    with Sidecar(tmp_path).ready() as sidecar:
        sidecar.call("session_start", sessionId="s", model={"id": "m", "contextWindow": 20_000_000})
        text = "word " * 500_000
        message = {"role": "user", "content": text, "result": 1, "error": {"id": 2}, "id": 3, "timestamp": 1}
        first = sidecar.call("context", sessionId="s", messages=[message], answer="messages")
        assert first["messages"] == [message]
        again = sidecar.call("context", sessionId="s", messages=[message, a("ok")], answer="messages")
        assert again["messages"] == [message, a("ok")]


def test_host_that_closed_its_end_is_noticed(tmp_path: Path) -> None:
    """A sidecar whose answers nobody can read ends, though its input is still open."""
    command = [sys.executable, "-m", "ctxmgr", "serve", "--state-dir", str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, bufsize=0) as process:  # type: ignore[call-overload]
        process.stdout.close()
        process.stdin.write(_line(INITIALIZE))
        assert ended(process) == 1


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


STRAY = """
import sys, threading, os
from ctxmgr.devices import stdio
claim = stdio.claim
def loud():
    ends = claim()
    print("stray line", flush=True)
    os.write(1, b"stray bytes\\n")
    os.system("echo stray child")
    return ends
stdio.claim = loud
from ctxmgr.cli import main
raise SystemExit(main())
"""


def test_stray_prints_go_to_stderr(tmp_path: Path) -> None:
    with Sidecar(tmp_path, program=("-c", STRAY)).ready("s") as sidecar:
        sidecar.call("context", sessionId="s", messages=[u("hello")])
        assert sidecar.leave() == 0
        assert sidecar.said.count("stray") == 3


def test_host_that_writes_before_it_reads(tmp_path: Path) -> None:
    """Six answers of a megabyte lie unread while the requests are still being written."""
    requests = [
        call(number, "context", sessionId="s", messages=[u(f"{number} " + "w " * 500_000)], answer="messages")
        for number in range(100, 106)
    ]
    command = [sys.executable, "-m", "ctxmgr", "serve", "--state-dir", str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0) as process:
        assert process.stdin is not None
        start = call(2, "session_start", sessionId="s", model={"id": "m", "contextWindow": 4_000_000})
        framed = b"".join(map(_line, (INITIALIZE, start, *requests)))
        left = memoryview(framed)
        while left:  # a sidecar that stops reading while its answers lie unread would hold this for good
            _, writable, _ = patience.until(process.pid, partial(_selected, process.stdin), TimeoutError)
            left = left[os.write(writable[0].fileno(), left[:PIPE_BYTES]) :]
        output, _ = patience.until(
            process.pid, lambda seconds: process.communicate(timeout=seconds), subprocess.TimeoutExpired
        )
    answers = output.splitlines()
    assert [answer[:29] for answer in answers[2:]] == [b'{"jsonrpc":"2.0","id":%d,"re' % n for n in range(100, 106)]
    assert min(map(len, answers[2:])) > 1_000_000


PIPE_BYTES = select.PIPE_BUF  # so many go into a pipe that is writable at once


def _selected(pipe: IO[bytes], seconds: float) -> tuple[list[Any], list[Any], list[Any]]:
    """When something can be written. Raises TimeoutError."""
    found = select.select([], [pipe], [], seconds)
    if not found[1]:
        raise TimeoutError
    return found


def test_pipes_that_do_not_block(tmp_path: Path) -> None:
    """As a host leaves them that passes its own asynchronous descriptors on."""
    (source, to_source), (from_sink, sink) = os.pipe(), os.pipe()
    for descriptor in (source, sink):
        os.set_blocking(descriptor, False)
    command = [sys.executable, "-m", "ctxmgr", "serve", "--state-dir", str(tmp_path)]
    start = call(2, "session_start", sessionId="s", model={"id": "m", "contextWindow": 4_000_000})
    big = call(3, "context", sessionId="s", messages=[u("w " * 2_000_000)], answer="messages")
    with subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.DEVNULL) as process:
        os.close(source)
        os.close(sink)
        watchdog = _killed_after(process)
        with open(to_source, "wb") as requests, open(from_sink, "rb") as answers:
            try:
                requests.write(b"".join(map(_line, (INITIALIZE, start, big))))
                requests.close()
            except BrokenPipeError:
                pytest.fail("it took an empty pipe for the end of input")
            assert [json.loads(line).get("id") for line in answers] == [1, 2, 3]
        watchdog.cancel()
        assert ended(process) == 0


def _killed_after(process: "subprocess.Popen[bytes]") -> Any:
    watchdog = threading.Timer(BOUND, process.kill)
    watchdog.daemon = True
    watchdog.start()
    return watchdog


def test_host_that_never_reads_stderr(tmp_path: Path) -> None:
    """A pipe holds some 64 kB; what is said beyond that must not stop the wire."""
    with Sidecar(tmp_path, reads_stderr=False).ready("s") as sidecar:
        note = sidecar.framed({"jsonrpc": "2.0", "method": "unknown" + "x" * 60})
        sidecar.write(note * 2_000)
        assert "result" in sidecar.ask("getStatus", sessionId="s")


def test_host_process_that_is_gone_is_noticed(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(BOUND)
    with Sidecar(tmp_path) as sidecar:
        sidecar.call("initialize", protocolVersion="1.0", processId=gone.pid)
        assert sidecar.wait() == 0


def test_odd_process_ids_cost_nothing(tmp_path: Path) -> None:
    with Sidecar(tmp_path) as sidecar:
        sidecar.call("initialize", protocolVersion="1.0", processId=-1)
        assert sidecar.leave() == 0
