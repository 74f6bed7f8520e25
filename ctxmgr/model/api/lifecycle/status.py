"""Where a session stands, and the answers that are no more than that."""

from typing import Literal

from ctxmgr.model.api.lifecycle.events import Command
from ctxmgr.model.api.lifecycle.plain import Wire


class Summaries(Wire, frozen=True, omit_defaults=False):
    """How many summaries of each kind the session has heard."""

    compaction: int
    branch: int


class LatchStatus(Wire, frozen=True, omit_defaults=False):
    state: str
    failures: int


class Stats(Wire, frozen=True, omit_defaults=False):
    """Totals of the session; tokens are uncalibrated weights."""

    contexts: int = 0
    fallbacks: int = 0
    turns_dropped: int = 0
    results_distilled: int = 0
    results_pruned: int = 0
    tokens_scanned: int = 0
    tokens_pruned: int = 0
    tokens_protected: int = 0
    compactions_requested: int = 0


class Status(Wire, frozen=True, omit_defaults=False):
    """`tokens` is null while unknown; `pressure` is used / usable. `promise` is false where the window is too
    small for red to come before the host's own compaction. `weigher` names what weighs text now."""

    mode: Literal["on", "off"]
    preset: str
    zone: str
    pressure: float
    tokens: int | None
    context_window: int
    packet_tokens: int
    summaries: Summaries
    latch: LatchStatus
    stats: Stats
    epoch: int
    pins: int
    promise: bool
    weigher: str
    notes: tuple[str, ...]
    seq: int


class SessionStartResult(Wire, frozen=True, omit_defaults=False):
    restored: bool
    status: Status
    seq: int


class StatusResult(Wire, frozen=True, omit_defaults=False):
    status: Status
    seq: int


class TurnEndResult(Wire, frozen=True, omit_defaults=False):
    commands: tuple[Command, ...]
    status: Status
    seq: int
