"""Cache epochs (periods in which a projection's bytes only grow at the end), their receipts, pins, and the
archive's rows and answers.
"""

from typing import Literal

import msgspec

# why an epoch was opened; except for "price" and "red", the prefix is lost in any case
Opening = Literal[
    "price", "cold", "red", "forced", "compaction", "tree", "model", "policy", "pin", "undo", "rewritten", "fit"
]
LeftKind = Literal["dropped", "pruned", "distilled", "shortened", "cut"]
PinBy = Literal["callId", "digest", "path", "tool"]


class EvictedItem(msgspec.Struct, frozen=True, gc=False):
    """One thing that was removed at an epoch. `key`: the decision's. `call_text`: the tool and its most informative
    arguments, or what the message was. `why`: the rule. Weights in tokens, uncalibrated. `handle`: of its original
    in the archive.
    """

    key: str
    kind: LeftKind
    call_text: str = msgspec.field(name="call")
    why: str
    before_tokens: int = msgspec.field(name="before")
    after_tokens: int = msgspec.field(name="after")
    handle: str = ""


class Receipt(msgspec.Struct, frozen=True):
    """What an epoch did and why. `before_tokens` and `after_tokens` are weights of the whole projection in tokens.

    `arithmetic` is one line that a person can check. `time_ms`: the host's time in milliseconds, or None if
    unknown. `omitted_count`: how many removed things are no longer listed. `pays_after`: the number of calls after
    which the epoch has saved what it cost; unset if it saves nothing.
    """

    epoch_number: int = msgspec.field(name="epoch")
    opening: Opening
    before_tokens: int = msgspec.field(name="before")
    after_tokens: int = msgspec.field(name="after")
    arithmetic: str
    evicted: tuple[EvictedItem, ...] = msgspec.field(default=(), name="left")
    time_ms: int | None = msgspec.field(default=None, name="at")
    omitted_count: int = msgspec.field(default=0, name="omitted")
    pays_after: int | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="paysAfter")


class Pin(msgspec.Struct, frozen=True):
    """What must stay: one message by digest, a call with its result by id, everything about a path (a glob), or
    every result of a tool.
    """

    by: PinBy
    value: str


class Epoch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The current epoch. `number` 0: none was opened yet.

    `regret`: the cost of keeping the prefix since the epoch began, in tokens of uncached input. `remaining_tokens`:
    what the last choice would keep, in tokens. `last_time_ms`: the time of the last call, in milliseconds.
    `needed`: the regret that a choice needed since then, 0 without a choice. If the policy has `keep`: `regret` is
    the cost of having kept what is due, `needed` the current cost of a change, `remaining_tokens` what no epoch
    could remove, and `raw_tokens` the conversation's size when the epoch began.

    Over the whole session: `session_calls`; `unpruned_tokens`, the sum of what its calls would have sent if nothing
    had been removed; and `saved`, what pruning has saved of their cost, in tokens of uncached input, negative if it
    cost more.
    """

    number: int = 0
    regret: float = 0.0
    call_count: int = msgspec.field(default=0, name="calls")
    remaining_tokens: int = msgspec.field(default=0, name="kept")
    last_time_ms: int | None = msgspec.field(default=None, name="last_at")
    needed: float = 0.0
    raw_tokens: int = msgspec.field(default=0, name="raw")
    session_calls: int = msgspec.field(default=0, name="all_calls")
    unpruned_tokens: int = msgspec.field(default=0, name="unpruned")
    saved: float = 0.0


class ArchiveRow(msgspec.Struct, frozen=True, gc=False):
    """The original of one removed thing. `handle`: its name in a marker. `key`: its decision's key. `call_text`:
    the tool and its most informative arguments, or what the message was. `text`: everything that was removed.
    """

    handle: str
    key: str
    call_text: str = msgspec.field(name="call")
    text: str


class ArchiveHit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One original that a search found. `tool` and `path` as its call names them. `snippet`: a part of the text
    with masked secrets, which starts at character `offset` of `total`.
    """

    handle: str
    call_text: str = msgspec.field(name="call")
    tool: str | None
    path: str | None
    snippet: str
    offset: int
    total: int


class ArchiveAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The archive's answer to rows to store (`fault` None: stored), to a handle (`row` None: unknown handle) or to
    a search (`hits`, best first). `fault` and `note` are sentences for people; a note means that everything
    succeeded.
    """

    row: ArchiveRow | None = None
    fault: str | None = None
    note: str | None = None
    hits: tuple[ArchiveHit, ...] = ()
