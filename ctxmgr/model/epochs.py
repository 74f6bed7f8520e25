"""Cache epochs (stretches of calls over which a projection's bytes only grow at the end), their receipts, pins."""

from typing import Literal

import msgspec

# why an epoch was opened; each but "price" and "red" comes when the prefix is lost, or is to be lost, anyway
Opening = Literal[
    "price", "cold", "red", "forced", "compaction", "tree", "model", "policy", "pin", "undo", "rewritten"
]
LeftKind = Literal["dropped", "pruned", "distilled", "shortened"]
PinBy = Literal["callId", "digest", "path", "tool"]


class EvictedItem(msgspec.Struct, frozen=True, gc=False):
    """One thing that left at an epoch. `key` is the decision's; `call` the tool and its telling arguments, or what
    the message was; `why` the rule. Weights in tokens, uncalibrated. `handle`: of its original in the archive."""

    key: str
    kind: LeftKind
    call: str
    why: str
    before: int
    after: int
    handle: str = ""


class Receipt(msgspec.Struct, frozen=True):
    """What an epoch did and why. `before` and `after` are weights of the whole projection in tokens.

    `arithmetic` is one line that a person can check. `at`: the host's time in milliseconds, None where none was
    given. `omitted`: so many things of it are no longer listed.
    """

    epoch: int
    opening: Opening
    before: int
    after: int
    arithmetic: str
    left: tuple[EvictedItem, ...] = ()
    at: int | None = None
    omitted: int = 0


class Pin(msgspec.Struct, frozen=True):
    """What must stay: one message by digest, a call with its result by id, all that concerns a path (a glob), or
    every result of a tool."""

    by: PinBy
    value: str


class Epoch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The epoch in force. `number` 0: none was opened yet.

    `regret` in tokens of uncached input: what keeping the prefix has cost since then. `kept`: what the last choice
    would keep, in tokens. `last_at`: the last call's time, milliseconds. `needed`: the regret that a choice was
    found to need since then, 0 where none was made.
    """

    number: int = 0
    regret: float = 0.0
    calls: int = 0
    kept: int = 0
    last_at: int | None = None
    needed: float = 0.0
