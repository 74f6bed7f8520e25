"""Runs the protocol's steps against a store: turns a generator of steps into its outcome."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Generator, Iterable
from typing import Any, TypeVar

from ctxmgr.store import head as heads
from ctxmgr.store.objects import Conflict, Missing, Objects, StoreUnreachable
from ctxmgr.store.protocol import HeadRead, Lost, Pause, Read, Step, Swap, Swapped

TOO_LATE = "the store did not answer in time"
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
Sleep = Callable[[float], Awaitable[None]]


async def driven(
    steps: Generator[Step, Any, Outcome], objects: Objects, key: str, sleep: Sleep, patience: float = math.inf
) -> Outcome:
    """`key`: of the head. `sleep` takes seconds by the local clock. `patience`: the seconds that the requests
    between two pauses may take in total; a request without an answer by then counts as lost. Raises UnreadableHead.
    """
    answer: Any = None
    left = patience
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as done:
            outcome: Outcome = done.value
            return outcome
        if isinstance(step, Pause):
            await sleep(step.length_ms / 1000)
            answer, left = None, patience
            continue
        began = time.monotonic()
        answer = await _in_time(_answer(step, objects, key), left)
        left -= time.monotonic() - began


async def _in_time(answer: Awaitable[Any], seconds: float) -> Any:
    try:
        async with asyncio.timeout(None if math.isinf(seconds) else max(0.0, seconds)):
            return await answer
    except TimeoutError:
        return Lost(TOO_LATE)


async def _answer(step: Read | Swap, objects: Objects, key: str) -> Any:
    try:
        if isinstance(step, Read):
            return await read_head(objects, key)
        content = heads.to_bytes(step.head)
        if step.etag is None:
            return Swapped(await objects.put_if_none_match(key, content))
        return Swapped(await objects.put_if_match(key, content, step.etag))
    except StoreUnreachable as fault:
        return Lost(str(fault))
    except Conflict:
        return Lost()


async def side_by_side(
    do: Callable[[Item], Awaitable[Outcome]], items: Iterable[Item], at_once: int
) -> list[Outcome]:
    """The results of these requests, in the order of `items`, at most `at_once` of them at a time."""
    room = asyncio.Semaphore(at_once)

    async def done(item: Item) -> Outcome:
        async with room:
            return await do(item)

    return await asyncio.gather(*map(done, items))


async def read_head(objects: Objects, key: str) -> HeadRead:
    """The current head in the store. Raises StoreUnreachable, UnreadableHead."""
    try:
        stored = await objects.get(key)
    except Missing:
        return HeadRead()
    return HeadRead(heads.from_bytes(stored.content), stored.etag)
