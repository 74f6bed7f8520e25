"""The params and answers of queries and settings: policy, pruning, ledger, packet."""

from typing import Any

from ctxmgr.model.api.lifecycle.plain import Wire
from ctxmgr.model.policy import Policy


class SetPruningParams(Wire, frozen=True):
    session_id: str
    enabled: bool


class SetPolicyParams(Wire, frozen=True):
    session_id: str
    policy: dict[str, Any]


class GetPacketParams(Wire, frozen=True):
    """`resume`: render the resume packet instead of the lean one."""

    session_id: str
    resume: bool | None = None


class PolicyResult(Wire, frozen=True, omit_defaults=False):
    """`thresholds` in provider tokens for the session's model."""

    policy: Policy
    thresholds: dict[str, float]
    seq: int


class PruneStats(Wire, frozen=True, omit_defaults=False):
    """Of tool-output pruning: tokens scanned, pruned and protected by the last pass, and the totals."""

    enabled: bool
    scanned: int
    pruned: int
    protected: int
    prunable: int
    results_pruned: int
    tokens_pruned: int
    results_distilled: int
    turns_dropped: int
    seq: int


class LedgerFact(Wire, frozen=True):
    slot: str
    text: str
    source: str
    status: str = ""
    at: int = 0
    detail: str = ""
    entry_id: str | None = None


class LedgerResult(Wire, frozen=True, omit_defaults=False):
    facts: tuple[LedgerFact, ...]
    seq: int


class PacketResult(Wire, frozen=True, omit_defaults=False):
    text: str
    tokens: int
    seq: int
