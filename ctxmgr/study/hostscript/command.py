"""The command `drive`: plays scripts of hosts, and prints what was not as a script expects."""

import contextlib
import os
import sys
import tempfile
from argparse import Namespace
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from rich.console import Console

from ctxmgr.plain_text import file_text, safe, start_text
from ctxmgr.settings import SettingsFault, models_file
from ctxmgr.study.console import console, plain
from ctxmgr.study.hostscript.player import ExpectationFailed, Player, PlayerSettings
from ctxmgr.study.hostscript.script import ScriptError, parse
from ctxmgr.study.spawning import Spawned, this_ctxmgr
from ctxmgr.wire import transcript

LAST_MESSAGES = 6  # shown with a failure
STDERR_LINES = 10  # of them, too
SHOWN_CHARACTERS = 120
ARROWS = {"host": "->", "ctxmgr": "<-"}


def run(parsed: Namespace) -> int:
    """0: all as expected; 1: something was not; 2: wrong usage, a script that is none, a command that is none."""
    out, code = console(), 0
    if parsed.models and parsed.command:
        print("ctxmgr drive: --models is for this ctxmgr: it says nothing to another --command", file=sys.stderr)
        return 2
    try:
        models_file(parsed.models)
    except SettingsFault as fault:
        print(f"ctxmgr drive: {safe(str(fault))}", file=sys.stderr)
        return 2
    for path in parsed.scripts:
        try:
            content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
            script = parse(content)
        except OSError as fault:
            print(f"ctxmgr drive: {file_text(fault, path)}", file=sys.stderr)
            return 2
        except ScriptError as fault:
            print(f"ctxmgr drive: {safe(path)}, {safe(str(fault))}", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory(prefix="ctxmgr-drive-") as state, _Log(parsed, out) as log:
            settings = PlayerSettings(_start(parsed, state), parsed.framing, parsed.timeout, state, log.message)
            player = Player(settings, script.mode)
            try:
                played = player.play(script)
            except OSError as fault:
                print(f"ctxmgr drive: {start_text(fault)}", file=sys.stderr)
                return 2
            except ExpectationFailed as failed:
                code = 1
                line = content.split(b"\n")[max(0, failed.number - 1)].decode("utf-8", "replace")
                _show(out, f"{path}, line {failed.number}", line, failed)
                _context(out, log.last_messages, player.process.stderr() if player.process else "")
            else:
                out.print(plain(f"{path}: {played.sent_count} lines sent, {played.matched_count} matched"))
    return code


def _start(parsed: Namespace, state: str) -> Callable[[int], Spawned]:
    """This ctxmgr writes its own transcript: it alone knows when weights changed and deadlines passed."""
    if parsed.command:
        return lambda number: Spawned(parsed.command)

    def start(number: int) -> Spawned:
        record = ["--record", numbered(parsed.record, number)] if parsed.record else []
        models = ["--models", parsed.models] if parsed.models else []
        return Spawned(this_ctxmgr("--state-dir", state, *record, *models))

    return start


def numbered(path: str, number: int) -> str:
    """The transcript of a start: FILE, then FILE-2, ... before the suffix."""
    found = Path(path)
    return path if number == 1 else str(found.with_name(f"{found.stem}-{number}{found.suffix}"))


class _Log:
    """Every message as it goes or comes. The last are kept; all are shown and recorded where that is wanted."""

    def __init__(self, parsed: Namespace, out: Console) -> None:
        self.last_messages: deque[str] = deque(maxlen=LAST_MESSAGES)
        self._out = out if parsed.show else None
        self._record = parsed.record if parsed.command else None

    def __enter__(self) -> "_Log":
        self._file = -1
        if self._record:
            self._file = os.open(self._record, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with contextlib.suppress(OSError):
                os.fchmod(self._file, 0o600)  # it may have been there
            os.write(self._file, transcript.header("1.0", "unknown", "estimate") + b"\n")
        return self

    def __exit__(self, *fault: object) -> None:
        if self._file >= 0:
            os.close(self._file)

    def message(self, sender: Literal["host", "ctxmgr"], body: bytes) -> None:
        text = f"{ARROWS[sender]} {_short(body.decode('utf-8', 'replace'))}"
        self.last_messages.append(text)
        if self._out is not None:
            self._out.print(plain(text))
        if self._file >= 0:
            os.write(self._file, transcript.line(sender, body) + b"\n")


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} ... ({len(text):,} characters)"


def _show(out: Console, where: str, line: str, failed: ExpectationFailed) -> None:
    out.print(plain(f"{where}: {failed.what}", "red"))
    out.print(plain(f"    {_short(line)}"))
    if failed.mismatch is not None:
        out.print(plain(f"  at        {failed.mismatch.path}"))
        out.print(plain(f"  expected  {failed.mismatch.expected}"))
        out.print(plain(f"  got       {failed.mismatch.got}"))


def _context(out: Console, last: Sequence[str], stderr: str) -> None:
    """What led to a failure."""
    if last:
        out.print("  the last messages")
        for text in last:
            out.print(plain(f"    {text}"))
    if stderr:
        out.print("  its standard error")
        for text in stderr.splitlines()[-STDERR_LINES:]:
            out.print(plain(f"    {text}"))
