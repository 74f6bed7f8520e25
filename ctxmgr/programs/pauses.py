"""Warns people at the terminal before a prompt cache ends: `ctxmgr proxy` prints a line, `ctxmgr run` puts it into
the terminal's title, because the screen is the program's.

The previous title is saved, and restored at the next call or when the program ends. Terminals without titles ignore
both sequences.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TextIO

from ctxmgr.plain_text import safe
from ctxmgr.proxy import Proxy

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
