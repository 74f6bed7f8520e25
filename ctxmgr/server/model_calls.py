"""Runs model calls on endpoints. Each is a task that can be cancelled. There is one client per endpoint."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from ctxmgr.model import Endpoint
from ctxmgr.server import effects as do

if TYPE_CHECKING:  # imported with the first call
    from ctxmgr.devices import Chat

EMBEDDINGS = "wordllama"  # installed by the extra, and imported by `devices.embeddings`


class ModelCalls:
    """`answered` is called with the ticket and the completion, or the exception instead."""

    def __init__(self, answered: Callable[[int, Any], None]) -> None:
        self._answered = answered
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._chats: dict[Endpoint, Chat] = {}

    def begin(self, effect: do.Complete) -> None:
        self._tasks[effect.ticket] = asyncio.get_running_loop().create_task(self._run(effect))

    async def _run(self, effect: do.Complete) -> None:
        try:
            value: Any = await self._chat(effect.endpoint).complete(effect.request)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as fault:  # noqa: BLE001  the job hears of it, unless it has abandoned the call
            value = fault
        abandoned = self._tasks.pop(effect.ticket, None) is None
        if not abandoned:
            self._answered(effect.ticket, value)

    def _chat(self, endpoint: Endpoint) -> "Chat":
        from ctxmgr.devices import Chat

        chat = self._chats.get(endpoint)
        if chat is None:
            chat = self._chats[endpoint] = Chat(endpoint, os.environ)
        return chat

    def abandon(self, ticket: int) -> None:
        task = self._tasks.pop(ticket, None)
        if task is not None:
            task.cancel()

    async def end(self, seconds: float) -> None:
        """Cancels the remaining calls, and waits at most this long for their end."""
        for task in self._tasks.values():
            task.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*self._tasks.values(), return_exceptions=True)
                for chat in self._chats.values():
                    await chat.close()


class Embedder:
    """Embeds texts with the extra, in a thread; imports it on first use. `failure`: why it cannot, "" if
    unknown.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self.failure = say, ""

    def __call__(self, texts: Sequence[str]) -> list[list[float]] | None:
        """None if the extra does not work here, which is reported once."""
        from ctxmgr.devices import embeddings

        return embeddings.embedded(self._failed, texts)

    def _failed(self, why: str) -> None:
        self.failure = why
        self._say(why)


def embedder(say: Callable[[str], None]) -> Embedder | None:
    """None if the extra is not installed. Imports nothing yet."""
    return Embedder(say) if PathFinder.find_spec(EMBEDDINGS) is not None else None
