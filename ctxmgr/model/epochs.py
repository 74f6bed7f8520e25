"""Cache epochs (stretches of calls over which a projection's bytes only grow at the end), their receipts, pins,
and the archive's rows and answers.
"""

from typing import Literal

import msgspec

# why an epoch was opened; each but "price" and "red" comes when the prefix is lost, or is to be lost, anyway
Opening = Literal[
    "price", "cold", "red", "forced", "compaction", "tree", "model", "policy", "pin", "undo", "rewritten", "fit"
]
LeftKind = Literal["dropped", "pruned", "distilled", "shortened", "cut"]
PinBy = Literal["callId", "digest", "path", "tool"]


class EvictedItem(msgspec.Struct, frozen=True, gc=False):
    """One thing that left at an epoch. `key` is the decision's; `call_text` the tool and its telling arguments,
    or what the message was; `why` the rule. Weights in tokens, uncalibrated. `handle`: of its original in the
    archive."""

    key: str
    kind: LeftKind
    call_text: str = msgspec.field(name="call")
    why: str
    before_tokens: int = msgspec.field(name="before")
    after_tokens: int = msgspec.field(name="after")
    handle: str = ""


class Receipt(msgspec.Struct, frozen=True):
    """What an epoch did and why. `before_tokens` and `after_tokens` are weights of the whole projection in tokens.

    `arithmetic` is one line that a person can check. `time_ms`: the host's time in milliseconds, None where none
    was given. `omitted_count`: so many things of it are no longer listed. `pays_after`: the number of calls after
    which it has saved what it cost; unset where it saves nothing.
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
    """What must stay: one message by digest, a call with its result by id, all that concerns a path (a glob), or
    every result of a tool."""

    by: PinBy
    value: str


class Epoch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The epoch in force. `number` 0: none was opened yet.

    `regret` in tokens of uncached input: what keeping the prefix has cost since then. `remaining_tokens`: what the
    last choice would keep, in tokens. `last_time_ms`: the last call's time, milliseconds. `needed`: the regret that
    a choice was found to need since then, 0 where none was made. Where the policy says `keep`, `regret` is
    what it has cost to keep what is due, `needed` what changing would cost now, `remaining_tokens` what no epoch
    could take away, and `raw_tokens` the conversation's when the epoch began.

    Of the whole session: `session_calls`; `unpruned_tokens` is the sum of what its calls would have sent had
    nothing been removed, and `saved` what pruning has saved of their cost, in tokens of uncached input; below zero
    where it cost more.
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
    """The original of one thing that left. `handle` is what a marker names it by, `key` its decision's key,
    `call_text` the tool and its telling arguments (or what the message was), `text` all of what left."""

    handle: str
    key: str
    call_text: str = msgspec.field(name="call")
    text: str


class ArchiveHit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One original that a search found. `tool` and `path` as its call names them. `snippet`: a stretch of the text,
    secrets masked, that begins at its character `offset` of `total`."""

    handle: str
    call_text: str = msgspec.field(name="call")
    tool: str | None
    path: str | None
    snippet: str
    offset: int
    total: int


class ArchiveAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The archive's answer to rows that were put (`fault` None: it has them), to a handle (`row` None: it holds
    none under it) or to a search (`hits`, best first). `fault` and `note` are sentences for people; with a note
    all went well."""

    row: ArchiveRow | None = None
    fault: str | None = None
    note: str | None = None
    hits: tuple[ArchiveHit, ...] = ()
