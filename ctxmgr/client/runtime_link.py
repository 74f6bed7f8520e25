"""The server in this process, as a link: bytes to it and from it on the loop that it runs on.

Its modules are loaded when the first link is made, in a thread: a program that spawns never pays for them.
"""

import asyncio
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxmgr.client.settings import InProcessSidecar

if TYPE_CHECKING:
    from ctxmgr.server import Parts

KILLED = 137  # the exit code of a process that was killed


async def load() -> None:
    """Off the loop: it takes some 100 ms once."""
    await asyncio.to_thread(importlib.import_module, "ctxmgr.server.runtime")


class RuntimeLink:
    """`load` comes first. `on_bytes` and `on_end` are called on the loop, never from within a call of this link."""

    def __init__(
        self, sidecar: InProcessSidecar, on_bytes: Callable[[bytes], None], on_end: Callable[[str], None]
    ) -> None:
        from ctxmgr.server import Runtime, Setup

        self._loop = asyncio.get_running_loop()
        self._on_bytes, self._on_end = on_bytes, on_end
        self._runtime = Runtime(Setup(state_dir=sidecar.state_dir), self._send, sidecar.say)
        self._runtime.start()
        self._life = self._loop.create_task(self._until_the_end())

    def send(self, chunk: bytes) -> None:
        self._loop.call_soon(self._receive, chunk)

    def end_input(self) -> None:
        self._loop.call_soon(self._receive, b"")

    def kill(self) -> None:
        self._runtime.end(KILLED)

    def _receive(self, chunk: bytes) -> None:
        if self._runtime.ended.done():
            return
        try:
            self._runtime.receive(chunk)
        except Exception:  # noqa: BLE001  as a process would, it ends; the program goes on
            self._runtime.end(1)

    def _send(self, parts: "Parts") -> None:
        self._loop.call_soon(self._on_bytes, b"".join(parts))

    async def _until_the_end(self) -> None:
        code = await self._runtime.ended
        await self._runtime.close()
        self._runtime.close_transcript()
        self._on_end(f"the server in this process ended with {code}")
