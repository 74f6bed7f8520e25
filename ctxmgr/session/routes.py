"""What each method of a session does: (session, params) -> answer, or a generator that ends with it.

What may take long and changes nothing is an errand: (session, params) -> what is to be carried out. One row a
method. A new verb is one function here and one row; order, saving and errors are the connection's.
"""

from collections.abc import Callable
from typing import Any

from ctxmgr.model.errors import invalid_params
from ctxmgr.session import answers, branching, compacting, pinning, scratchpad, undoing
from ctxmgr.session.retrieving import retrieve
from ctxmgr.session.session import Session
from ctxmgr.session.settings import Refused
from ctxmgr.session.work import Errand, Verb
from ctxmgr.wire import compactions, recovery, reports, verbs


def _status(session: Session) -> verbs.StatusResult:
    return verbs.StatusResult(answers.status(session), session.state.seq)


def _model_select(session: Session, params: verbs.ModelSelectParams) -> verbs.StatusResult:
    session.model_select(params)
    return _status(session)


def _turn_end(session: Session, params: verbs.TurnEndParams) -> Verb[verbs.TurnEndResult]:
    reason, tokens = yield from session.turn_end(params)
    commands: tuple[verbs.Command, ...] = ()
    if reason:
        request = answers.compaction_request(session, reason, tokens)
        commands = (verbs.Command("requestCompaction", request),)
    return verbs.TurnEndResult(commands, answers.status(session), session.state.seq)


def _session_compact(session: Session, params: verbs.SessionCompactParams) -> Verb[verbs.StatusResult]:
    yield from session.compacted(params)
    return _status(session)


def _session_compact_failed(session: Session, params: verbs.CompactFailedParams) -> verbs.StatusResult:
    session.compact_failed(params)
    return _status(session)


def _session_tree(session: Session, params: verbs.SessionTreeParams) -> Verb[verbs.StatusResult]:
    yield from session.moved(params)
    return _status(session)


def _get_status(session: Session, params: verbs.SessionParams) -> verbs.Status:
    return answers.status(session)


def _prune(session: Session, params: verbs.SessionParams) -> verbs.StatusResult:
    session.force_prune()
    return _status(session)


def _set_pruning(session: Session, params: verbs.SetPruningParams) -> verbs.StatusResult:
    session.set_pruning(params.enabled)
    return _status(session)


def _get_prune_stats(session: Session, params: verbs.SessionParams) -> verbs.PruneStats:
    return answers.prune_stats(session)


def _get_policy(session: Session, params: verbs.SessionParams) -> verbs.PolicyResult:
    return answers.policy(session)


def _set_policy(session: Session, params: verbs.SetPolicyParams) -> verbs.PolicyResult:
    try:
        session.set_policy(params.policy)
    except Refused as refused:
        raise invalid_params(str(refused), f"$.policy{refused.path}") from None
    return answers.policy(session)


def _get_ledger(session: Session, params: verbs.SessionParams) -> verbs.LedgerResult:
    return answers.ledger(session)


def _get_packet(session: Session, params: verbs.GetPacketParams) -> verbs.PacketResult:
    return answers.rendered_packet(session, bool(params.resume))


def _get_scratchpad(session: Session, params: verbs.SessionParams) -> compactions.ScratchpadResult:
    return answers.scratchpad(session)


def _edit_scratchpad(session: Session, params: compactions.EditScratchpadParams) -> compactions.ScratchpadResult:
    try:
        session.edit_scratchpad(params.operations)
    except scratchpad.Refused as refused:
        raise invalid_params(str(refused), f"$.operations{refused.path}") from None
    return answers.scratchpad(session)


def _explain(session: Session, params: reports.ExplainParams) -> reports.ExplainResult:
    return answers.explain(session, params.epoch)


def _pin(session: Session, params: recovery.PinParams) -> verbs.StatusResult:
    pinning.pin(session, params)
    return _status(session)


def _unpin(session: Session, params: recovery.PinParams) -> verbs.StatusResult:
    pinning.unpin(session, params)
    return _status(session)


def _undo(session: Session, params: recovery.UndoParams) -> verbs.StatusResult:
    undoing.undo(session, params)
    return _status(session)


ROUTES: dict[str, Callable[[Session, Any], Any]] = {
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

ERRANDS: dict[str, Callable[[Session, Any], Errand]] = {
    "planCompaction": compacting.plan,
    "compact": compacting.compact,
    "session_before_compact": compacting.before_compact,
    "summarizeBranch": branching.summarize,
    "session_before_tree": branching.before_tree,
}
