"""What each method of a session does: (session, params) -> answer, or a generator that ends with it.

What may take long and changes nothing is an errand: (session, params) -> what is to be carried out. One row a
method. A new verb is one function here and one row; order, saving and errors are the connection's.
"""

from collections.abc import Callable
from typing import Any

from ctxmgr.model import InvalidPolicy, invalid_params
from ctxmgr.model.api import compaction, lifecycle, recovery, reports
from ctxmgr.session import scratchpad
from ctxmgr.session.compaction import branch_summary, compact
from ctxmgr.session.methods import list_changes, pinning, queries, turn_end, undoing
from ctxmgr.session.methods.retrieve import retrieve
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Job, Verb


def _status(session: SessionCore) -> lifecycle.StatusResult:
    return lifecycle.StatusResult(queries.status(session), session.state.seq)


def _model_select(session: SessionCore, params: lifecycle.ModelSelectParams) -> lifecycle.StatusResult:
    session.model_select(params)
    return _status(session)


def _turn_end(session: SessionCore, params: lifecycle.TurnEndParams) -> Verb[lifecycle.TurnEndResult]:
    reason, tokens = yield from turn_end.turn_end(session, params)
    commands: tuple[lifecycle.Command, ...] = ()
    if reason:
        request = queries.compaction_request(session, reason, tokens)
        commands = (lifecycle.Command("requestCompaction", request),)
    return lifecycle.TurnEndResult(commands, queries.status(session), session.state.seq)


def _session_compact(session: SessionCore, params: lifecycle.SessionCompactParams) -> Verb[lifecycle.StatusResult]:
    yield from list_changes.compacted(session, params)
    return _status(session)


def _session_compact_failed(session: SessionCore, params: lifecycle.CompactFailedParams) -> lifecycle.StatusResult:
    session.compact_failed(params)
    return _status(session)


def _session_tree(session: SessionCore, params: lifecycle.SessionTreeParams) -> Verb[lifecycle.StatusResult]:
    yield from list_changes.moved(session, params)
    return _status(session)


def _get_status(session: SessionCore, params: lifecycle.SessionParams) -> lifecycle.Status:
    return queries.status(session)


def _prune(session: SessionCore, params: lifecycle.SessionParams) -> lifecycle.StatusResult:
    session.force_prune()
    return _status(session)


def _set_pruning(session: SessionCore, params: lifecycle.SetPruningParams) -> lifecycle.StatusResult:
    session.set_pruning(params.enabled)
    return _status(session)


def _get_prune_stats(session: SessionCore, params: lifecycle.SessionParams) -> lifecycle.PruneStats:
    return queries.prune_stats(session)


def _get_policy(session: SessionCore, params: lifecycle.SessionParams) -> lifecycle.PolicyResult:
    return queries.policy(session)


def _set_policy(session: SessionCore, params: lifecycle.SetPolicyParams) -> lifecycle.PolicyResult:
    try:
        session.set_policy(params.policy)
    except InvalidPolicy as refused:
        raise invalid_params(str(refused), f"$.policy{refused.path}") from None
    return queries.policy(session)


def _get_ledger(session: SessionCore, params: lifecycle.SessionParams) -> lifecycle.LedgerResult:
    return queries.ledger(session)


def _get_packet(session: SessionCore, params: lifecycle.GetPacketParams) -> lifecycle.PacketResult:
    return queries.rendered_packet(session, bool(params.resume))


def _get_scratchpad(session: SessionCore, params: lifecycle.SessionParams) -> compaction.ScratchpadResult:
    return queries.scratchpad(session)


def _edit_scratchpad(session: SessionCore, params: compaction.EditScratchpadParams) -> compaction.ScratchpadResult:
    try:
        session.edit_scratchpad(params.operations)
    except scratchpad.InvalidOperation as refused:
        raise invalid_params(str(refused), f"$.operations{refused.path}") from None
    return queries.scratchpad(session)


def _explain(session: SessionCore, params: reports.ExplainParams) -> reports.ExplainResult:
    return queries.explain(session, params.epoch)


def _pin(session: SessionCore, params: recovery.PinParams) -> lifecycle.StatusResult:
    pinning.pin(session, params)
    return _status(session)


def _unpin(session: SessionCore, params: recovery.PinParams) -> lifecycle.StatusResult:
    pinning.unpin(session, params)
    return _status(session)


def _undo(session: SessionCore, params: recovery.UndoParams) -> lifecycle.StatusResult:
    undoing.undo(session, params)
    return _status(session)


ROUTES: dict[str, Callable[[SessionCore, Any], Any]] = {
    "model_select": _model_select,
    "turn_end": _turn_end,
    "session_compact": _session_compact,
    "session_compact_failed": _session_compact_failed,
    "session_tree": _session_tree,
    "getStatus": _get_status,
    "prune": _prune,
    "setPruning": _set_pruning,
    "getPruneStats": _get_prune_stats,
    "getPolicy": _get_policy,
    "setPolicy": _set_policy,
    "getLedger": _get_ledger,
    "getPacket": _get_packet,
    "explain": _explain,
    "retrieve": retrieve,
    "pin": _pin,
    "unpin": _unpin,
    "undo": _undo,
    "getScratchpad": _get_scratchpad,
    "editScratchpad": _edit_scratchpad,
}

ERRANDS: dict[str, Callable[[SessionCore, Any], Job]] = {
    "planCompaction": compact.plan,
    "compact": compact.compact,
    "session_before_compact": compact.before_compact,
    "summarizeBranch": branch_summary.summarize,
    "session_before_tree": branch_summary.before_tree,
}
