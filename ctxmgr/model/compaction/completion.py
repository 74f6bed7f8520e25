"""What a strategy asks of whoever can run a model, and what comes back.

A strategy is a generator: it yields a tuple of `CompletionRequest`s that may run side by side, and gets as many
`Completion`s back, in their order. Who runs them (the host, an endpoint, a test) is not known here.
"""

from collections.abc import Generator
from typing import Literal, TypeVar

import msgspec

Purpose = Literal["history", "turn-prefix", "slice", "merge", "branch", "short"]
Stop = Literal["stop", "length", "toolUse", "error", "cancelled"]


class CompletionRequest(msgspec.Struct, frozen=True):
    """One model call. `max_tokens` of output. `label` says for people what it is ("slice 2 of 5").
    `on_context`: the prompt is one message more at the end of the host's own list, beside no system prompt."""

    purpose: Purpose
    system: str
    prompt: str
    max_tokens: int
    label: str = ""
    on_context: bool = False


class CompletionUsage(msgspec.Struct, frozen=True):
    """Tokens as the provider reported them."""

    input_tokens: int = 0
    output_tokens: int = 0


class Completion(msgspec.Struct, frozen=True):
    """What came of an ask. `fault` says what went wrong where `stop` is "error", in words without conversation.

    `settled`: asking again is of no use, or was done already by whoever ran it.
    """

    text: str = ""
    stop: Stop = "stop"
    usage: CompletionUsage | None = None
    fault: str = ""
    settled: bool = False


LATE = Completion(stop="cancelled", fault="the deadline had passed")  # of an ask that nobody answers any more

Result = TypeVar("Result")
Asking = Generator[tuple[CompletionRequest, ...], tuple[Completion, ...], Result]
