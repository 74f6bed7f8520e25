"""Turns the ledger into the one lean text that stands for what is no longer shown. Knows no plan."""

from ctxmgr.engine.packet.budget import (
    NOTE,
    SMALLEST_TOKENS,
    PacketText,
    Removed,
    packet_allowance,
    packet_budget,
)
from ctxmgr.engine.packet.part import PacketPart, fitted, newest_first, part_of
from ctxmgr.engine.packet.parts import (
    answers,
    commit_line,
    commits,
    open_tasks,
    run_line,
    runs,
    user_line,
    user_lines,
)
from ctxmgr.engine.packet.record import Record, record_of

__all__ = [
    "NOTE",
    "PacketPart",
    "PacketText",
    "Record",
    "Removed",
    "SMALLEST_TOKENS",
    "answers",
    "commit_line",
    "commits",
    "fitted",
    "newest_first",
    "open_tasks",
    "packet_allowance",
    "packet_budget",
    "part_of",
    "record_of",
    "run_line",
    "runs",
    "user_line",
    "user_lines",
]
