"""The commands `conform` and `drive`: play one side of transcripts, and scripts of hosts, and report what was the
same, what differs and what could not be played.
"""

import json
import os
import sys
import tempfile
from argparse import Namespace
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec
from rich.console import Console

from ctxmgr.devices import private_file
from ctxmgr.devices.snapshots import SnapshotStore
from ctxmgr.plain_text import complain, file_text, start_text
from ctxmgr.study.conformance.conversation import Conversation
from ctxmgr.study.conformance.golden import Golden, GoldenDifference, read, reason
from ctxmgr.study.conformance.host_side import GoldenHost
from ctxmgr.study.conformance.script import ExpectationFailed, Player, Script, ScriptError, key_of, parse
from ctxmgr.study.conformance.server_side import GoldenServer
from ctxmgr.study.console import console, plain
from ctxmgr.study.recordings import UnreadableRecording
from ctxmgr.study.spawning import Spawned, Streams, TimedOut, this_ctxmgr

FINDINGS_SHOWN = 10  # of one transcript on the host's side
SHOWN = 20  # on standard error for the server's side; the verdict has all
DRAIN_SECONDS = 5.0  # for the host to read the rest at the end
HERE = Path("protocol/transcripts")
LAST_MESSAGES = 6  # shown with a failed script
STDERR_LINES = 10  # of them, too
SHOWN_CHARACTERS = 120
ARROWS = {"host": "->", "ctxmgr": "<-"}


def host_side(parsed: Namespace) -> int:
    """0: everything played is the same; 1: something differs, or nothing was played; 2: wrong usage."""
    out, counts = console(), Counter[str]()
    try:
        goldens = [read(name, path.read_bytes()) for name, path in _files(parsed.transcripts or [str(HERE)])]
    except (OSError, UnreadableRecording) as fault:
        return _wrong_usage(fault)
    with ThreadPoolExecutor(parsed.jobs) as threads:
        try:
            for verdict, lines in threads.map(lambda golden: _play(golden, parsed), goldens):
                counts[verdict] += 1
                for text, style in lines:
                    out.print(plain(text, style))
        except OSError as fault:
            return complain("conform", start_text(fault), 2)
    out.print(f"{counts['same']} match, {counts['differs']} differ, {counts['skipped']} skipped")
    return 0 if counts["same"] and not counts["differs"] else 1


def server_side(parsed: Namespace) -> int:
    """0: the host said what the transcript says; 1: it did not; 2: wrong usage."""
    try:
        golden = read(Path(parsed.transcript).name, Path(parsed.transcript).read_bytes())
        side = GoldenServer(golden)
        if parsed.verdict:
            _write(parsed.verdict, {"transcript": golden.name, "verdict": "unfinished"})
    except (OSError, UnreadableRecording, ValueError) as fault:
        return _wrong_usage(fault)
    streams = Streams(open(0, "rb", 0, closefd=False), open(1, "wb", 0, closefd=False))  # noqa: SIM115
    why = "the host ended"
    try:
        while not side.ended:
            streams.write(side.feed(streams.read(parsed.timeout)))
    except TimedOut:
        why = f"nothing in {parsed.timeout:g} s"
    streams.drain(DRAIN_SECONDS)
    findings = side.finish(why)
    for finding in findings[:SHOWN]:
        complain("conform", f"{golden.name}: {_sentence(finding)}", 1)
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


def drive(parsed: Namespace) -> int:
    """0: all as expected; 1: not as expected, or a recording was skipped; 2: wrong usage, an invalid script or
    command.
    """
    out, codes = console(), [0]
    for path in parsed.scripts:
        try:
            content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
            script = parse(content)
        except (OSError, ScriptError) as fault:
            text = file_text(fault, path) if isinstance(fault, OSError) else f"{path}, {fault}"
            return complain("drive", text, 2)
        golden = Golden(path, script.lines)
        # handwritten transcripts have `match`, and can be followed
        why = None if "match" in golden.header else reason(golden, snapshots=False)
        if why is not None:
            out.print(plain(f"{path}: skipped: {why}", "dim"))
            codes.append(1)
            continue
        try:
            codes.append(_drive(path, content, script, parsed, out))
        except OSError as fault:
            return complain("drive", start_text(fault), 2)
    return max(codes)


def _wrong_usage(fault: Exception) -> int:
    text = file_text(fault, str(fault.filename)) if isinstance(fault, OSError) else str(fault)
    return complain("conform", text, 2)


def _files(given: list[str]) -> list[tuple[str, Path]]:
    """Name and path of each transcript; for a folder all below it. Raises UnreadableRecording if it has none."""
    files: list[tuple[str, Path]] = []
    for path in map(Path, given):
        below = sorted(path.rglob("*.jsonl")) if path.is_dir() else []
        if path.is_dir() and not below:
            raise UnreadableRecording(f"{path} is a folder without transcripts (*.jsonl)")
        files += [(file.relative_to(path).with_suffix("").as_posix(), file) for file in below]
        files += [] if below else [(path.name, path)]
    return files


def _play(golden: Golden, parsed: Namespace) -> tuple[str, list[tuple[str, str]]]:
    """How one transcript went, in a word, and in lines with their styles. Raises OSError if the command cannot be
    started.
    """
    if (why := reason(golden, snapshots=not parsed.command)) is not None:
        return "skipped", [(f"skipped   {golden.name}: {why}", "dim")]
    with tempfile.TemporaryDirectory(prefix="ctxmgr-conform-") as state:
        _restore(golden, Path(state))
        with Spawned(parsed.command or this_ctxmgr("--state-dir", state)) as process:
            side = GoldenHost(golden, process, state, parsed.framing, parsed.timeout)
            findings, stderr = side.play(), process.stderr()
    if not findings:
        return "same", [(f"same      {golden.name}: {side.compared_count} messages", "")]
    out = [(f"differs   {golden.name}: {len(findings)} of {side.compared_count} messages", "red")]
    out += [(f"          {_sentence(finding)}", "") for finding in findings[:FINDINGS_SHOWN]]
    return "differs", out + [(f"          it said: {line}", "dim") for line in stderr.splitlines()[-3:]]


def _restore(golden: Golden, state: Path) -> None:
    """Writes the snapshots that sessions start from. A session that has begun here has its own by then."""
    restored = [line.fields for line in golden.lines if line.kind == "restored"]
    for session, fields in {fields["session"]: fields for fields in reversed(restored)}.items():
        opened = SnapshotStore(state).open(session)
        if opened.file is None:
            raise OSError(opened.fault)
        for line in fields["lines"]:
            opened.file.append(bytes(line))
        opened.file.close()


def _sentence(finding: GoldenDifference) -> str:
    where = f"line {finding.line_number}" if finding.line_number else "at the end"
    text = f"{where}, {finding.what}: at {finding.path} expected {finding.recorded}, received {finding.received}"
    return text.encode("unicode_escape").decode()


def _write(path: str, verdict: object) -> None:
    """It contains conversation: readable only by the user."""
    with os.fdopen(private_file(path), "wb") as opened:
        opened.write(json.dumps(verdict, indent=1).encode() + b"\n")


def _drive(path: str, content: bytes, script: Script, parsed: Namespace, out: Console) -> int:
    """0 if the script passes, else 1. Raises OSError if the command cannot be started."""
    last: deque[str] = deque(maxlen=LAST_MESSAGES)

    def show(sender: Literal["host", "ctxmgr"], body: bytes) -> None:
        last.append(f"{ARROWS[sender]} {_short(body.decode('utf-8', 'replace'))}")
        if parsed.show:
            out.print(plain(last[-1]))

    with tempfile.TemporaryDirectory(prefix="ctxmgr-drive-") as state:
        command = parsed.command or this_ctxmgr("--state-dir", state)
        player = Player(
            lambda: Conversation(Spawned(command), parsed.framing, parsed.timeout, key_of, show), state, script.mode
        )
        try:
            player.play(script)
        except ExpectationFailed as failed:
            stderr = player.sidecar.stderr() if player.sidecar else ""
            out.print(plain(f"{path}, line {failed.number}: {failed.what}", "red"))
            line = content.split(b"\n")[max(0, failed.number - 1)]
            out.print(plain(f"    {_short(line.decode('utf-8', 'replace'))}"))
            if (wrong := failed.mismatch) is not None:
                for name, value in (("at", wrong.path), ("expected", wrong.recorded), ("got", wrong.received)):
                    out.print(plain(f"  {name:8}  {value}"))
            said = {"the last messages": last, "its standard error": stderr.splitlines()[-STDERR_LINES:]}
            for heading, lines in said.items():
                for text in (f"  {heading}", *(f"    {line}" for line in lines)) if lines else ():
                    out.print(plain(text))
            return 1
    out.print(plain(f"{path}: {player.sent_count} lines sent, {player.matched_count} matched"))
    return 0


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} ... ({len(text):,} characters)"
