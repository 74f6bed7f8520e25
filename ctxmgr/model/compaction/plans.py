"""What a compaction or a branch summary is prepared into, before any model is asked."""

from typing import Literal

import msgspec

from ctxmgr.model.compaction.branch import BranchMessage

Strategy = Literal[
    "single-shot", "parallel-stitch", "sequential-accumulated", "sequential-rolling", "incremental", "extractive"
]
Format = Literal["structured", "nine-section", "handoff", "continue"]
Weigher = Literal["tokens", "chars4"]


class FileLists(msgspec.Struct, frozen=True):
    """Paths by what was done to them, each once, in the order they were first seen."""

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


class CutBudget(msgspec.Struct, frozen=True):
    """Tokens, as `weigher` counts them: real ones, or UTF-16 units / 4 as pi does."""

    keep_recent_tokens: int = msgspec.field(default=20_000, name="keep_recent")
    reserve_tokens: int = msgspec.field(default=16_384, name="reserve")
    weigher: Weigher = "tokens"


class CompactionPlan(msgspec.Struct, frozen=True):
    """A compaction before it is written.

    `history` is what the summary is to stand for beside `previous`; of a split turn `prefix` is its part before
    the cut. `recent` are the messages from the cut on. Weights in tokens by the settings' weigher.
    """

    first_kept: str
    history: tuple[BranchMessage, ...]
    prefix: tuple[BranchMessage, ...]
    split: bool
    tokens_before: int
    previous: str | None
    files: FileLists
    settings: CutBudget
    recent: tuple[BranchMessage, ...] = ()


class NothingToCompact(msgspec.Struct, frozen=True, gc=False):
    """There is nothing to compact; `reason` is a sentence for people, without conversation in it."""

    reason: str


class BranchSummaryPlan(msgspec.Struct, frozen=True):
    """A branch summary before it is written. `ancestor`: deepest entry on both paths, None without one.

    `messages` fit the budget, oldest first; `left_out` did not. `entries` are all that were left, by id.
    """

    ancestor: str | None
    entries: tuple[str, ...]
    messages: tuple[BranchMessage, ...]
    left_out: tuple[BranchMessage, ...]
    files: FileLists
    weight: int = 0
