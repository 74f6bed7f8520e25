"""Keeps what came and what became of it, so that a test can ask."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import msgspec

from tests.provider.caching import Usage

WAIT_SECONDS = 30.0  # a guard: only a failing test waits so long


@dataclass
class Exchange:
    """One request and its answer.

    `headers` as spelled, in order; `body` without the encoding it came in. `kind`: what was asked for, ""
    where it is no call of a model. `refused`: the sentence of a 400. `connection` counts them from 0. `ended`: ""
    as long as it is being answered; "dropped" where the client left first.
    """

    number: int
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    connection: int
    conversation: str = ""
    kind: str = ""
    place: str = ""
    refused: str = ""
    status: int = 0
    usage: Usage = field(default_factory=Usage)
    ended: Literal["", "answered", "cut", "reset", "dropped"] = ""

    @cached_property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @cached_property
    def named(self) -> Mapping[str, str]:
        """Headers by their name in small letters."""
        return {name.lower(): value for name, value in self.headers}


class Record:
    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.results: dict[str, str] = {}  # by call, each as it was seen first
        self._changed = threading.Condition()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def changed(self) -> None:
        with self._changed:
            self._changed.notify_all()
        for loop, event in self._waiting:
            with contextlib.suppress(RuntimeError):  # that test is over
                loop.call_soon_threadsafe(event.set)

    def until(self, condition: Callable[["Record"], bool]) -> None:
        """Waits, in another thread than the provider's. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: condition(self), WAIT_SECONDS):
                raise TimeoutError(f"after {len(self.exchanges)} exchanges")

    async def when(self, condition: Callable[["Record"], bool]) -> None:
        """Waits, in any loop. Raises TimeoutError."""
        waiting = (asyncio.get_running_loop(), asyncio.Event())
        self._waiting.append(waiting)
        async with asyncio.timeout(WAIT_SECONDS):
            while not condition(self):
                waiting[1].clear()
                await waiting[1].wait()
        self._waiting.remove(waiting)

    @property
    def calls(self) -> list[Exchange]:
        """Of a model: the main calls, titles and summaries, answered or not."""
        return [one for one in self.exchanges if one.kind not in ("", "count")]

    @property
    def answered(self) -> list[Exchange]:
        """Calls that the provider bills."""
        return [one for one in self.calls if one.status == 200]

    @property
    def refused(self) -> list[str]:
        return [one.refused for one in self.exchanges if one.refused]

    @property
    def distinct_results(self) -> int:
        """How many different tool results came in, each counted as it was seen first."""
        return len(set(self.results.values()))

    @property
    def usage(self) -> Usage:
        return sum((one.usage for one in self.answered), Usage())

    @property
    def billed(self) -> float:
        return self.usage.billed
