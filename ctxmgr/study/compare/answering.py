"""Turns what a strategy asks into a model's answers, and counts the tokens.

What a strategy computes runs in a thread, what it asks is awaited: many summaries are written side by side.
"""

import asyncio
from typing import Any

import msgspec

from ctxmgr.devices import Chat
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import Asking, Completion, CompletionRequest, Result


class Spending(msgspec.Struct):
    """Tokens in and out: as the provider says, or, of `weighed` calls, as we weigh them."""

    input_tokens: int = 0
    output_tokens: int = 0
    weighed: int = 0

    def add(self, ask: CompletionRequest, completion: Completion, weigh: Weigh) -> None:
        """A call that failed without an answer is weighed by what was sent."""
        if completion.usage is not None:
            self.input_tokens += completion.usage.input_tokens
            self.output_tokens += completion.usage.output_tokens
        else:
            self.weighed += 1
            self.input_tokens += weigh(ask.system) + weigh(ask.prompt)
            self.output_tokens += weigh(completion.text)


async def answered(
    asking: Asking[Result], model: Chat | None, concurrency: int, weigh: Weigh
) -> tuple[Result, Spending]:
    """What the generator ends with. It may ask for nothing, to let others have their turn; without a model it asks
    for nothing else. `concurrency`: calls side by side."""
    spent = Spending()
    gate = asyncio.Semaphore(concurrency)

    async def complete(ask: CompletionRequest) -> Completion:
        assert model is not None, "what asks has a model"
        async with gate:
            return await model.complete(ask)

    answers: Any = None
    while True:
        is_done, value = await asyncio.to_thread(_step, asking, answers)
        if is_done:
            return value, spent
        answers = tuple(await asyncio.gather(*map(complete, value)))
        for ask, completion in zip(value, answers, strict=True):
            await asyncio.to_thread(spent.add, ask, completion, weigh)


def _step(asking: Asking[Any], answers: Any) -> tuple[bool, Any]:
    """(True, result) or (False, asks): a generator's end must not travel through a thread as an exception."""
    try:
        return False, asking.send(answers)
    except StopIteration as stop:
        return True, stop.value
