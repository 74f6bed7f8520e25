"""The command `conform server-side`: plays ctxmgr's side on the standard streams, and writes a verdict.

A thread reads and a thread writes, so that neither waits for the other; the host's next message is waited for no
longer than the bound.
"""

import json
import os
import queue
import sys
import threading
from argparse import Namespace
from pathlib import Path

import msgspec

from ctxmgr.plain_text import file_text, safe
from ctxmgr.study.conformance.golden import GoldenDifference, path_of, read
from ctxmgr.study.conformance.server_side import GoldenServer
from ctxmgr.study.recordings import UnreadableRecording

READ_BYTES = 1 << 20
DRAIN_SECONDS = 5.0  # for the host to read what is left, at the end
SHOWN = 20  # findings on standard error; the verdict has all


def server_side(parsed: Namespace) -> int:
    """0: the host said what the transcript says; 1: it did not; 2: wrong usage."""
    try:
        golden = read(Path(parsed.transcript).name, Path(parsed.transcript).read_bytes())
        side = GoldenServer(golden, [path_of(text) for text in parsed.any])
        if parsed.verdict:
            _write(parsed.verdict, {"transcript": golden.name, "verdict": "unfinished"})
    except (OSError, UnreadableRecording, ValueError) as fault:
        told = file_text(fault, str(fault.filename)) if isinstance(fault, OSError) else safe(str(fault))
        print(f"ctxmgr conform: {told}", file=sys.stderr)
        return 2
    why = _play(side, parsed.timeout)
    findings = side.finish(why)
    for found in findings[:SHOWN]:
        print(f"ctxmgr conform: {golden.name}: {sentence(found)}", file=sys.stderr)
    if parsed.verdict:
        verdict = {
            "transcript": golden.name,
            "verdict": "different" if findings else "same",
            "hostLines": side.host_lines,
            "taken": side.matched_lines,
            "findings": msgspec.to_builtins(findings),
        }
        _write(parsed.verdict, verdict)
    return 1 if findings else 0


def sentence(found: GoldenDifference) -> str:
    """One line for people, on one line."""
    where = f"line {found.line_number}" if found.line_number else "at the end"
    text = f"{where}, {found.what}: at {found.path} is recorded {found.recorded}, came {found.received}"
    return text.encode("unicode_escape").decode()


def _play(side: GoldenServer, seconds: float) -> str:
    """Until the host ends or says nothing any more; why nothing more comes."""
    came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    said: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(came,), daemon=True).start()
    writer = threading.Thread(target=_speak, args=(said,), daemon=True)
    writer.start()
    why = "the host ended"
    while not side.ended:
        try:
            said.put(side.feed(came.get(timeout=seconds)))
        except queue.Empty:
            why = f"nothing in {seconds:g} s"
            break
    said.put(None)
    writer.join(DRAIN_SECONDS)
    return why


def _read(came: "queue.SimpleQueue[bytes]") -> None:
    chunk = b"-"
    while chunk:
        try:
            chunk = os.read(0, READ_BYTES)
        except OSError:
            chunk = b""
        came.put(chunk)


def _speak(said: "queue.SimpleQueue[bytes | None]") -> None:
    while (chunk := said.get()) is not None:
        view = memoryview(chunk)
        try:
            while view:
                view = view[os.write(1, view) :]
        except OSError:
            return  # the host is gone; the reader sees it


def _write(path: str, verdict: object) -> None:
    """It holds parts of the conversation: for the user's eyes alone."""
    content = json.dumps(verdict, indent=1).encode() + b"\n"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, content)
    finally:
        os.close(file)
