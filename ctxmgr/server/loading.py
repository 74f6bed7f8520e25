"""Loads what a connection may need after its first list, before it is needed. A start does not wait for it.

It covers modules that are imported at use, except those that a policy names (an endpoint, embeddings, a vocabulary,
a store). They are loaded

1. when the host is silent for the first time after `initialize`, at the latest while its model answers, in pieces,
   so that a call that arrives meanwhile waits for one piece;
2. all at once when a second session starts. A process without free file descriptors cannot open a module, and each
   session holds two.

After that nothing is imported while it serves, so a package that is replaced under a running process never mixes
two releases. If loading fails here, it is tried again at use, and that call reports it. A list is still sent
(`session/context/fallback`).
"""

import asyncio
import codecs
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

from ctxmgr import late, wire
from ctxmgr.server.effects import outcome

QUIET_SECONDS = 0.2  # without input from the host; hosts send `initialize` and the first list without a pause
MOST_POSTPONED = 200  # chunks; a host that is never silent delays loading only this often
MODULES = (
    "ctypes",
    "difflib",
    "json",
    "msgspec.inspect",
    "ctxmgr.devices.allocator",
    "ctxmgr.devices.snapshots",
    "ctxmgr.devices.weighing",
)
ARCHIVE = ("ctxmgr.devices.archive",)
CODECS = ("utf-16-be", "utf-16-le")  # a codec is a module that is imported on its first use


def pieces(archives: bool) -> Iterator[Callable[[], object]]:
    """Functions that load one piece each. `archives`: removed content is archived."""
    from ctxmgr.formats import FORMATS
    from ctxmgr.known_models import shipped

    for name in (*MODULES, *(ARCHIVE if archives else ())):
        yield partial(import_module, name)
    for name in CODECS:
        yield partial(codecs.lookup, name)
    for name in FORMATS:  # all of them: a list is distinguished from other formats by their marks
        yield partial(FORMATS.__getitem__, name)
    yield shipped
    yield wire.openrpc_document
    yield from late.each()


class Loading:
    """Loads the remaining pieces on an event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, archives: bool) -> None:
        self._loop = loop
        self._archives = archives
        self._left: Iterator[Callable[[], object]] | None = pieces(archives)
        self._postponed = 0
        self._timer: asyncio.Handle = loop.call_later(QUIET_SECONDS, self._next)

    def heard(self) -> None:
        """Waits for silence again after input from the host, at most MOST_POSTPONED times."""
        self._postponed += 1
        if self._left is not None and self._postponed <= MOST_POSTPONED:
            self._timer.cancel()
            self._timer = self._loop.call_later(QUIET_SECONDS, self._next)

    def finish(self) -> None:
        """Loads the remaining pieces at once."""
        self._timer.cancel()
        while (piece := self._piece()) is not None:
            outcome(piece)

    def _piece(self) -> Callable[[], object] | None:
        """The next piece; None if none is left, or if the list of pieces failed, which is then tried again."""
        try:
            piece = next(self._left or iter(()), None)
        except Exception:  # noqa: BLE001  what tells them is imported, too
            self._left = pieces(self._archives)
            return None
        if piece is None:
            self._left = None
        return piece

    def _next(self) -> None:
        piece = self._piece()
        if piece is not None:
            outcome(piece)
            self._timer = self._loop.call_soon(self._next)
