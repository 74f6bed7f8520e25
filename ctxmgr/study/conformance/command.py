"""The command `conform host-side`: plays the host's side of transcripts against a command, each with a process and
a state directory of its own, and says what was the same, what differs and what could not be played."""

import sys
import tempfile
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from ctxmgr.devices.snapshots import SnapshotStore
from ctxmgr.plain_text import file_text, safe, start_text
from ctxmgr.study.conformance.following import reason
from ctxmgr.study.conformance.golden import Golden, GoldenDifference, read
from ctxmgr.study.conformance.host_side import GoldenHost
from ctxmgr.study.conformance.stdio import sentence
from ctxmgr.study.console import console, plain
from ctxmgr.study.recordings import UnreadableRecording
from ctxmgr.study.spawning import Clock, Spawned, TimedOut, this_ctxmgr

FINDINGS_SHOWN = 10  # of one transcript
HERE = Path("protocol/transcripts")


class ConformanceResult(msgspec.Struct, frozen=True):
    """`skipped` says why it was not played. `compared_count` messages of ctxmgr."""

    name: str
    skipped: str | None = None
    compared_count: int = 0
    findings: tuple[GoldenDifference, ...] = ()
    stderr: str = ""


def host_side(parsed: Namespace) -> int:
    """0: what was played is the same; 1: something differs, or nothing was played; 2: wrong usage."""
    try:
        goldens = [read(name, path.read_bytes()) for name, path in _files(parsed.transcripts or [str(HERE)])]
    except (OSError, UnreadableRecording) as fault:
        told = file_text(fault, str(fault.filename)) if isinstance(fault, OSError) else safe(str(fault))
        print(f"ctxmgr conform: {told}", file=sys.stderr)
        return 2
    out = console()
    played = []
    with ThreadPoolExecutor(parsed.jobs) as threads:
        try:
            for one in threads.map(lambda golden: play(golden, parsed), goldens):
                played.append(one)
                for text, style in _lines(one):
                    out.print(plain(text, style))
        except OSError as fault:
            print(f"ctxmgr conform: {start_text(fault)}", file=sys.stderr)
            return 2
    same = sum(not one.findings and one.skipped is None for one in played)
    skipped = sum(one.skipped is not None for one in played)
    differs = len(played) - same - skipped
    out.print(f"{same} the same, {differs} with differences, {skipped} skipped")
    return 0 if same and not differs else 1


def play(golden: Golden, parsed: Namespace) -> ConformanceResult:
    """One transcript. Raises OSError where the command can not be started."""
    snapshots = parsed.snapshots or not parsed.command
    if (why := reason(golden, snapshots, parsed.deadlines)) is not None:
        return ConformanceResult(golden.name, why)
    with tempfile.TemporaryDirectory(prefix="ctxmgr-conform-") as state:
        _restore(golden, Path(state))
        side = GoldenHost(golden, parsed.framing, parsed.exact, state)
        command = parsed.command or this_ctxmgr("--state-dir", state)
        with Spawned(command) as process:
            _converse(side, process, parsed.timeout)
        found = tuple(side.findings)
        return ConformanceResult(golden.name, None, side.compared, found, process.stderr() if found else "")


def _converse(side: GoldenHost, process: Spawned, seconds: float) -> None:
    """Until the transcript has been played, then until the process has said all it says; each wait is bounded."""
    process.write(side.begin())
    while not side.done:
        try:
            chunk = process.read(seconds)
        except TimedOut:
            side.finish(f"nothing in {seconds:g} s")
            return
        process.write(side.feed(chunk))
        if not chunk:
            side.finish("its output ended")
            return
    side.closing = True
    process.end_input()
    clock = Clock(seconds)
    try:
        while chunk := process.read(clock.left):
            side.feed(chunk)
        side.finish("")
    except TimedOut:
        side.finish("")
        side.findings.append(
            GoldenDifference(0, "its end", "$", "after its input was closed", f"not in {seconds:g} s")
        )


def _restore(golden: Golden, state: Path) -> None:
    """Writes the snapshots that sessions start from. A session that has begun here has its own by then."""
    done: set[str] = set()
    for line in golden.lines:
        if line.kind != "restored" or line.fields["session"] in done:
            continue
        done.add(line.fields["session"])
        opened = SnapshotStore(state).open(line.fields["session"])
        if opened.file is None:
            raise OSError(opened.fault)
        for one in line.fields["lines"]:
            opened.file.append(bytes(one))
        opened.file.close()


def _files(given: list[str]) -> list[tuple[str, Path]]:
    """Name and path of each transcript; of a folder all below it. OSError."""
    found: list[tuple[str, Path]] = []
    for path in map(Path, given):
        below = sorted(path.rglob("*.jsonl")) if path.is_dir() else []
        if path.is_dir() and not below:
            raise OSError(f"there is no transcript in {path}")
        found += [(one.relative_to(path).with_suffix("").as_posix(), one) for one in below] or [(path.name, path)]
    return found


def _lines(one: ConformanceResult) -> list[tuple[str, str]]:
    if one.skipped is not None:
        return [(f"skipped   {one.name}: {one.skipped}", "dim")]
    if not one.findings:
        return [(f"same      {one.name}: {one.compared_count} messages", "")]
    out = [(f"differs   {one.name}: {len(one.findings)} of {one.compared_count} messages", "red")]
    out += [(f"          {sentence(found)}", "") for found in one.findings[:FINDINGS_SHOWN]]
    return out + [(f"          it said: {line}", "dim") for line in one.stderr.splitlines()[-3:]]
