"""Hooks that Claude Code and Codex call at their own events, for people who want no proxy. `ctxmgr hook EVENT`
reads an event of the program on standard input and prints the program's answer.

1. On any error it prints nothing and exits with 0: another code may block a tool or a compaction. The log gets the
   error's type and place, and no text of the conversation.
2. In a program that `ctxmgr run` started it does nothing: the proxy does all of it.
3. The program waits for a hook, so only the standard library is imported until there is something to do.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ctxmgr.hooks.transcripts import Fields

if TYPE_CHECKING:
    import argparse  # not loaded by a hook

__all__ = ["IN_RUN", "plain", "run"]

IN_RUN = "CTXMGR_RUN"  # a variable that `ctxmgr run` sets for its program
CLAUDE = "claude"
LOG = "hooks.log"
LOG_BYTES = 256_000  # a longer log is emptied first

Answer = dict[str, Any]


def plain(arguments: Sequence[str]) -> SimpleNamespace:
    """What argparse would return for these arguments, except that nothing is refused (rule 1)."""
    event, *more = [*arguments, ""]
    return SimpleNamespace(event=event, program=more[1] if more[:1] == ["--program"] else CLAUDE)


def run(parsed: "argparse.Namespace | SimpleNamespace") -> int:
    """Returns 0, always (rule 1)."""
    try:
        answer = answered(parsed.event, parsed.program, sys.stdin.buffer.read(), os.environ)
        if answer:
            os.write(1, json.dumps(answer).encode() + b"\n")
    except Exception as fault:  # noqa: BLE001  rule 1
        note(parsed.event, fault)
    return 0


def answered(event: str, program: str, payload: bytes, environ: Mapping[str, str]) -> Answer | None:
    """The answer in the program's form; None for no answer. Raises any error."""
    if environ.get(IN_RUN):
        return None
    fields = json.loads(payload)
    return _events()[event](program, fields)


def _events() -> dict[str, Callable[[str, Fields], Answer | None]]:
    from ctxmgr.hooks import compaction, results

    return {
        "PreCompact": compaction.before,
        "SessionStart": compaction.after,
        "PostToolUse": results.shortened,
    }


def note(event: str, fault: BaseException) -> None:
    """Adds a line to the log, unless the disk refuses it."""
    try:
        from ctxmgr.devices import default_state_dir

        directory = default_state_dir()
        os.makedirs(directory, 0o700, exist_ok=True)
        path = os.path.join(directory, LOG)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        if os.path.exists(path) and os.path.getsize(path) > LOG_BYTES:
            flags |= os.O_TRUNC
        log = os.open(path, flags, 0o600)
        try:
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            os.write(log, f"{at} {event[:20]}: {_place(fault)}\n".encode("utf-8", "replace"))
        finally:
            os.close(log)
    except Exception:  # noqa: BLE001, S110  rule 1
        pass


def _place(fault: BaseException) -> str:
    """The type, and the line of ctxmgr that raised it."""
    place, trace = "", fault.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if f"{os.sep}ctxmgr{os.sep}" in code.co_filename:
            place = f" at {os.path.basename(code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(fault).__name__}{place}"
