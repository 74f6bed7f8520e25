"""Turns one turn of a list into its steps, and an index into the turn that holds it.

A step is an assistant message and the results up to the next one; items that join make one message.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.model import Message


class Turn(msgspec.Struct, frozen=True, gc=False):
    """Messages [start, end). `weight` in tokens; `specials` are indices of summaries and returned packets;
    `results` are indices of messages with tool results. `separable`: no result at or after its start answers a call
    before it; hosts that queue user messages while tools run produce others."""

    start: int
    end: int
    weight: int
    headless: bool = False
    specials: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    separable: bool = True


class StepSpan(msgspec.Struct, frozen=True, gc=False):
    """One assistant message and the results up to the next one: messages [start, end)."""

    start: int
    end: int


def turn_at(turns: Sequence[Turn], position: int) -> int:
    """The number of the turn that holds the message at `position`; 0 for an empty list."""
    low, high = 0, len(turns) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if turns[middle].start <= position:
            low = middle
        else:
            high = middle - 1
    return low


def step_spans(messages: Sequence[Message], turn: Turn) -> tuple[StepSpan, ...]:
    """The steps of one turn, oldest first; what precedes the first assistant message belongs to none. Items that
    join make one message."""
    starts = [
        at
        for at in range(turn.start, turn.end)
        if messages[at].view.role == "assistant" and not (at > turn.start and goes_on(messages, at))
    ]
    if not starts:
        return ()
    return tuple(StepSpan(start, end) for start, end in zip(starts, [*starts[1:], turn.end], strict=True))


def goes_on(messages: Sequence[Message], at: int) -> bool:
    """Is this item of an assistant's message one with the item before it?"""
    if not messages[at].view.joins:
        return False
    before = messages[at - 1].view
    return before.joins and before.role == "assistant"
