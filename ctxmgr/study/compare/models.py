"""Turns a strategy's questions into answers, by an endpoint, by the scripted model, or by none, and counts tokens.

What a strategy computes runs in a thread, what it asks is awaited: many summaries are written side by side.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec

from ctxmgr.devices import Chat
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import Asking, Completion, CompletionRequest, Result
from ctxmgr.study.compare import scripted_model
from ctxmgr.study.compare.settings import Settings

Complete = Callable[[CompletionRequest], Awaitable[Completion]]


class Spending(msgspec.Struct):
    """Tokens in and out: of `reported` calls as the provider says, of `weighed` ones as we weigh them."""

    input_tokens: int = 0
    output_tokens: int = 0
    reported: int = 0
    weighed: int = 0

    def add(self, ask: CompletionRequest, completion: Completion, weigh: Weigh) -> None:
        """A call that failed without an answer is weighed by what was sent."""
        if completion.usage is not None:
            self.reported += 1
            self.input_tokens += completion.usage.input_tokens
            self.output_tokens += completion.usage.output_tokens
        else:
            self.weighed += 1
            self.input_tokens += weigh(ask.system) + weigh(ask.prompt)
            self.output_tokens += weigh(completion.text)


class AnsweringModel(msgspec.Struct, frozen=True):
    """Who answers. `concurrency`: calls of one summary side by side."""

    name: str
    complete: Complete
    concurrency: int = 1


def scripted(concurrency: int) -> AnsweringModel:
    async def complete(ask: CompletionRequest) -> Completion:
        return await asyncio.to_thread(scripted_model.complete, ask)

    return AnsweringModel(scripted_model.NAME, complete, concurrency)


def nobody() -> AnsweringModel:
    """Without a model: what is asked all the same has failed."""

    async def complete(_: CompletionRequest) -> Completion:
        return Completion(stop="error", fault="there is no model")

    return AnsweringModel("none", complete)


@contextlib.asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[AnsweringModel]:
    """The model of these settings; an endpoint's connections are closed at the end."""
    concurrency = settings.policy.concurrency
    if settings.endpoint is None:
        yield scripted(concurrency) if settings.model == "scripted" else nobody()
        return
    chat = Chat(settings.endpoint, os.environ)
    try:
        yield AnsweringModel(settings.endpoint.model, chat.complete, concurrency)
    finally:
        await chat.close()


async def answered(asking: Asking[Result], model: AnsweringModel, weigh: Weigh) -> tuple[Result, Spending]:
    """What the generator ends with. It may ask for nothing, to let others have their turn."""
    spent = Spending()
    gate = asyncio.Semaphore(model.concurrency)
    value: Any = None
    while True:
        ended, value = await asyncio.to_thread(_step, asking, value)
        if ended:
            return value, spent
        asks: tuple[CompletionRequest, ...] = value
        value = tuple(await asyncio.gather(*(_asked(model, gate, ask) for ask in asks)))
        for ask, completion in zip(asks, value, strict=True):
            await asyncio.to_thread(spent.add, ask, completion, weigh)


async def _asked(model: AnsweringModel, gate: asyncio.Semaphore, ask: CompletionRequest) -> Completion:
    async with gate:
        return await model.complete(ask)


def _step(asking: Asking[Any], value: Any) -> tuple[bool, Any]:
    """(True, result) or (False, asks): a generator's end must not travel through a thread as an exception."""
    try:
        return False, asking.send(value)
    except StopIteration as stop:
        return True, stop.value
