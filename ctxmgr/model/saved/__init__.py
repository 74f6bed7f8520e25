"""What outlives a restart: a session's state and what it is made of. A renamed field keeps its name on disk."""

from ctxmgr.model.saved.cache_truth import CacheTruth, ComparedCall, CountedList, LearnedLifetime
from ctxmgr.model.saved.facts import (
    APPROVED,
    BROUGHT_BACK,
    END_OF,
    GOES_ON,
    GOING_ON,
    KINDS,
    REJECTED,
    RENAMED,
    STATE,
    Fact,
    Ledger,
    Slot,
    Source,
)
from ctxmgr.model.saved.latch import Latch, LatchState
from ctxmgr.model.saved.marks import MarkedStart
from ctxmgr.model.saved.meter import Meter
from ctxmgr.model.saved.state import (
    InstructionCopy,
    LastProjection,
    ModelSpec,
    Outline,
    RawSummary,
    RenderedPacket,
    State,
    Totals,
)
from ctxmgr.model.saved.stored import Stored

__all__ = [
    "APPROVED",
    "CacheTruth",
    "ComparedCall",
    "CountedList",
    "BROUGHT_BACK",
    "Fact",
    "KINDS",
    "END_OF",
    "GOES_ON",
    "GOING_ON",
    "InstructionCopy",
    "LastProjection",
    "Latch",
    "LatchState",
    "LearnedLifetime",
    "Ledger",
    "MarkedStart",
    "Meter",
    "ModelSpec",
    "Outline",
    "REJECTED",
    "RENAMED",
    "RawSummary",
    "RenderedPacket",
    "STATE",
    "Slot",
    "Source",
    "State",
    "Stored",
    "Totals",
]
