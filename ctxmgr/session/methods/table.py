"""What each method of a session does: (session, params) -> answer, or a generator that ends with it.

A slow method that changes nothing is a job: (session, params) -> what to carry out. A new method is one row here,
and a function if a row cannot express it. The connection handles order, saving and errors.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ctxmgr.formats import messages_of
from ctxmgr.late import late
from ctxmgr.model import policy_keys
from ctxmgr.model.api import compaction, lifecycle
from ctxmgr.session.methods import queries
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Job, Verb

if TYPE_CHECKING:
    from ctxmgr.session.methods.turn_end import turn_end
else:
    turn_end = late("ctxmgr.session.methods.turn_end:turn_end")

Route = Callable[[SessionCore, Any], Any]


def _status(session: SessionCore) -> lifecycle.StatusResult:
    return lifecycle.StatusResult(queries.status(session), session.state.seq)


def _get_status(session: SessionCore, params: lifecycle.GetStatusParams) -> Any:
    waits = params.flush or params.cold_cost
    return queries.asked_status(session, params) if waits else queries.status(session)


def _then_status(change: Route) -> Route:
    """The change, which may take long, then the status."""

    def route(session: SessionCore, params: Any) -> Verb[lifecycle.StatusResult]:
        changing = change(session, params)
        if changing is not None:
            yield from changing
        return _status(session)

    return route


def _asks(query: Callable[[SessionCore], Any]) -> Route:
    """A query that the session alone answers."""
    return lambda session, params: query(session)


def _turn_end(session: SessionCore, params: lifecycle.TurnEndParams) -> Verb[lifecycle.TurnEndResult]:
    ended = yield from turn_end(session, params)
    commands: tuple[lifecycle.Command, ...] = ()
    if ended.asks:
        reason = "overflow" if ended.overflowed else "threshold"
        request = queries.compaction_request(session, reason, ended.tokens)
        commands = (lifecycle.Command("requestCompaction", request),)
    send: Any = None
    if ended.overflowed:
        send = "session_compact" if commands else "context"
    status = queries.status(session, tells_model=False)
    return lifecycle.TurnEndResult(commands, status, session.state.seq, send)


def _set_policy(session: SessionCore, params: lifecycle.SetPolicyParams) -> lifecycle.PolicyResult:
    with policy_keys.refused_as_params():
        session.set_policy(params.policy)
    return queries.policy(session)


def _edit_scratchpad(session: SessionCore, params: compaction.EditScratchpadParams) -> compaction.ScratchpadResult:
    session.edit_scratchpad(params.operations)
    return queries.scratchpad(session)


def _of_entries(begin: Callable[[SessionCore, Any], Job]) -> Callable[[SessionCore, Any], Job]:
    """A job that receives the host's session tree, whose messages must be in the session's format."""

    def begun(session: SessionCore, params: Any) -> Job:
        session.check_format(messages_of([bytes(raw) for raw in params.entries or ()]), "$.entries")
        return begin(session, params)

    return begun


ROUTES: dict[str, Route] = {
    "model_select": _then_status(SessionCore.model_select),
    "turn_end": _turn_end,
    "session_compact": _then_status(late("ctxmgr.session.methods.list_changes:compacted")),
    "session_compact_failed": _then_status(SessionCore.compact_failed),
    "session_tree": _then_status(late("ctxmgr.session.methods.list_changes:moved")),
    "getStatus": _get_status,
    "prune": _then_status(lambda session, params: session.force_prune()),
    "setPruning": _then_status(lambda session, params: session.set_pruning(params.enabled)),
    "getPruneStats": _asks(queries.prune_stats),
    "getPolicy": _asks(queries.policy),
    "setPolicy": _set_policy,
    "getLedger": _asks(queries.ledger),
    "getPacket": lambda session, params: queries.rendered_packet(session, bool(params.resume)),
    "explain": lambda session, params: queries.explain(session, params.epoch),
    "retrieve": late("ctxmgr.session.methods.archiving:retrieve"),
    "search": late("ctxmgr.session.methods.archiving:search"),
    "pin": _then_status(late("ctxmgr.session.methods.pinning:pin")),
    "unpin": _then_status(late("ctxmgr.session.methods.pinning:unpin")),
    "undo": _then_status(late("ctxmgr.session.methods.pinning:undo")),
    "getSummaries": _asks(queries.summaries),
    "getScratchpad": _asks(queries.scratchpad),
    "editScratchpad": _edit_scratchpad,
}

JOBS: dict[str, Callable[[SessionCore, Any], Job]] = {
    "planCompaction": _of_entries(late("ctxmgr.session.compaction:compact.plan")),
    "compact": _of_entries(late("ctxmgr.session.compaction:compact.compact")),
    "session_before_compact": late("ctxmgr.session.compaction:compact.before_compact"),
    "summarizeBranch": _of_entries(late("ctxmgr.session.compaction:branch_summary.summarize")),
    "session_before_tree": late("ctxmgr.session.compaction:branch_summary.before_tree"),
}
