"""What people are shown beside a program: the proxy's page in their browser, and a warning before a prompt cache
ends.

`opened` starts the command in BROWSER, otherwise the desktop's default. The browser gets no terminal, because one
that draws in it would take the program's screen.

`ctxmgr proxy` prints the warning as a line; `ctxmgr run` puts it into the terminal's title, because the screen is
the program's. The previous title is saved, and restored at the next call or when the program ends. Terminals
without titles ignore both sequences.
"""

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import TextIO

from ctxmgr.plain_text import safe
from ctxmgr.proxy import Proxy

DESKTOP = ("xdg-open", "open", "wslview")


def opened(url: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a browser was started. Does not wait for it."""
    named = map(_words, environ.get("BROWSER", "").split(os.pathsep))
    for command in (*filter(None, named), *([name] for name in DESKTOP)):
        path = shutil.which(command[0], path=environ.get("PATH"))
        if path is None:
            continue
        words = [word.replace("%s", url) for word in command[1:]]
        try:
            process = subprocess.Popen(
                [path, *words, *([] if words != command[1:] else [url])],
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            continue
        threading.Thread(target=process.wait, daemon=True).start()
        return True
    return False


def _words(command: str) -> list[str]:
    """None of a command that cannot be read: another browser is tried."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


POLL_SECONDS = 10.0
_ASIDE, _BACK = "\x1b[22;2t", "\x1b[23;2t"


async def _later() -> None:
    await asyncio.sleep(POLL_SECONDS)


async def watch(made: Proxy, show: Callable[[str], None], later: Callable[[], Awaitable[None]] = _later) -> None:
    """Calls `show` with a line when a prompt cache is about to end, and with "" when that is over. Runs until
    cancelled.
    """
    shown = False
    while True:
        await later()
        line = await made.pause()
        if bool(line) != shown:
            show(line)
            shown = bool(line)


class Title:
    """Shows a line in the title of the terminal `out`; does nothing if it is not a terminal."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = sys.stderr if out is None else out
        self._is_set = False

    def show(self, line: str) -> None:
        if not self._out.isatty() or bool(line) == self._is_set:
            return
        self._is_set = bool(line)
        self._out.write(f"{_ASIDE}\x1b]2;ctxmgr: {safe(line)}\x07" if line else _BACK)
        self._out.flush()
