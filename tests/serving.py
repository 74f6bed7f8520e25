"""How a test's own servers begin and end, so that none leaves a socket to the garbage collector.

Its warning would fail whatever test runs when it collects.
"""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

LIMIT_SECONDS = 20.0
ROUNDS = 3  # of the loop, from accepting a connection to telling the server of it


async def closed_to_others(listening: int) -> None:
    """Takes no more connections at this descriptor; those that were accepted come in, and can then be closed.

    asyncio drops a connection open where its server is closed between the two (3.11: `Server._attach`).
    """
    asyncio.get_running_loop().remove_reader(listening)
    for _ in range(ROUNDS):
        await asyncio.sleep(0)


@contextlib.contextmanager
def served_in_thread(server: AbstractAsyncContextManager[Any], name: str) -> Iterator[asyncio.AbstractEventLoop]:
    """A server on a loop in a thread of its own, for tests that have none; its loop. Raises what it raised."""
    started, ending = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []
    faults: list[BaseException] = []

    async def serve() -> None:
        async with server:
            loops.append(asyncio.get_running_loop())
            started.set()
            await ending.wait()

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as fault:  # noqa: BLE001  # raised in the test's own thread, below
            faults.append(fault)
            started.set()

    thread = threading.Thread(target=run, name=name)
    thread.start()
    try:
        if not started.wait(LIMIT_SECONDS):
            raise TimeoutError(f"the {name} did not start")
        if not faults:
            yield loops[0]
    finally:
        with contextlib.suppress(RuntimeError, IndexError):  # it has ended, or never began
            loops[0].call_soon_threadsafe(ending.set)
        thread.join(LIMIT_SECONDS)
    if faults:
        raise faults[0]
