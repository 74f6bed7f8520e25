"""The memory that this episode has asked for a compaction already."""

from typing import Literal

import msgspec

LatchState = Literal["idle", "asked", "cooldown", "resting"]


class Latch(msgspec.Struct, frozen=True):
    """`failure_count` in a row; `wait`: turn_ends left of a cooldown; `age`: turn_ends since the request;
    `calm`: readings in a row below the calm threshold; `overflowed`: the user message (its
    digest) for which an overflow was asked already."""

    state: LatchState = "idle"
    failure_count: int = msgspec.field(default=0, name="failures")
    wait: int = 0
    age: int = 0
    calm: int = 0
    overflowed: str | None = None
