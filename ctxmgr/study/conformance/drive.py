"""The command `drive`: plays scripts of hosts, and prints what was not as a script expects."""

import sys
import tempfile
from argparse import Namespace
from collections import deque
from pathlib import Path
from typing import Literal

from rich.console import Console

from ctxmgr.plain_text import file_text, safe, start_text
from ctxmgr.study.conformance.following import reason
from ctxmgr.study.conformance.golden import Golden
from ctxmgr.study.conformance.player import ExpectationFailed, Player, PlayerSettings
from ctxmgr.study.conformance.script import Script, ScriptError, parse
from ctxmgr.study.console import console, plain
from ctxmgr.study.spawning import Spawned, this_ctxmgr
from ctxmgr.wire import transcript

LAST_MESSAGES = 6  # shown with a failure
STDERR_LINES = 10  # of them, too
SHOWN_CHARACTERS = 120
ARROWS = {"host": "->", "ctxmgr": "<-"}


def drive(parsed: Namespace) -> int:
    """0: all as expected; 1: something was not, or a recording was skipped; 2: wrong usage, a script that is none,
    a command that is none."""
    out, code = console(), 0
    for path in parsed.scripts:
        try:
            content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
            script = parse(content)
        except (OSError, ScriptError) as fault:
            text = file_text(fault, path) if isinstance(fault, OSError) else f"{safe(path)}, {safe(str(fault))}"
            print(f"ctxmgr drive: {text}", file=sys.stderr)
            return 2
        if (why := _skip_reason(path, content)) is not None:
            out.print(plain(f"{path}: skipped: {why}", "dim"))
            code = 1
            continue
        try:
            if not _play(path, content, script, parsed, out):
                code = 1
        except OSError as fault:
            print(f"ctxmgr drive: {start_text(fault)}", file=sys.stderr)
            return 2
    return code


def _skip_reason(path: str, content: bytes) -> str | None:
    """Why a recording can not be followed; None where it can, and of a script by hand, which has `match`."""
    golden = Golden(path, tuple(transcript.read(content)))
    return None if "match" in golden.header else reason(golden, snapshots=False)


def _play(path: str, content: bytes, script: Script, parsed: Namespace, out: Console) -> bool:
    """Whether the script holds. Raises OSError where the command can not be started."""
    last: deque[str] = deque(maxlen=LAST_MESSAGES)

    def show(sender: Literal["host", "ctxmgr"], body: bytes) -> None:
        last.append(f"{ARROWS[sender]} {_short(body.decode('utf-8', 'replace'))}")
        if parsed.show:
            out.print(plain(last[-1]))

    with tempfile.TemporaryDirectory(prefix="ctxmgr-drive-") as state:
        command = parsed.command or this_ctxmgr("--state-dir", state)
        settings = PlayerSettings(lambda: Spawned(command), parsed.framing, parsed.timeout, state, show)
        player = Player(settings, script.mode)
        try:
            player.play(script)
        except ExpectationFailed as failed:
            line = content.split(b"\n")[max(0, failed.number - 1)].decode("utf-8", "replace")
            out.print(plain(f"{path}, line {failed.number}: {failed.what}", "red"))
            out.print(plain(f"    {_short(line)}"))
            if failed.mismatch is not None:
                out.print(plain(f"  at        {failed.mismatch.path}"))
                out.print(plain(f"  expected  {failed.mismatch.expected}"))
                out.print(plain(f"  got       {failed.mismatch.got}"))
            stderr = player.sidecar.stderr() if player.sidecar else ""
            _print_lines(out, "the last messages", list(last))
            _print_lines(out, "its standard error", stderr.splitlines()[-STDERR_LINES:])
            return False
    out.print(plain(f"{path}: {player.sent_count} lines sent, {player.matched_count} matched"))
    return True


def _print_lines(out: Console, heading: str, lines: list[str]) -> None:
    if lines:
        out.print(f"  {heading}")
    for line in lines:
        out.print(plain(f"    {line}"))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} ... ({len(text):,} characters)"
