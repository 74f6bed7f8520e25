"""What the first call of an idle session will cost once the provider's cache has ended. Changes nothing: the list
is planned as that call would.
"""

import msgspec

from ctxmgr.engine.conversation import Delta
from ctxmgr.model import CallTokens, prices
from ctxmgr.model.api import lifecycle
from ctxmgr.session.context import listing
from ctxmgr.session.methods.queries import cache_status, status
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Offload, StoreFlush, Verb


def asked_status(session: SessionCore, params: lifecycle.GetStatusParams) -> Verb[lifecycle.Status]:
    """The status, including values that take time to compute."""
    if params.flush:
        yield StoreFlush()
    cost = (yield from _cold_cost(session)) if params.cold_cost else None
    made = status(session)
    if cost is None or made.cache is None:
        return made
    return msgspec.structs.replace(made, cache=msgspec.structs.replace(made.cache, cold_cost=cost))


def _cold_cost(session: SessionCore) -> Verb[lifecycle.ColdCost | None]:
    """Computed once per state of the session. None if the list is not available, or the cache's end is unknown."""
    cache, known = cache_status(session), session.cold_cost
    if cache is None or cache.expires_at is None or not session.projection.messages:
        return None
    if known is None or known[0] is not session.state:
        state, at = session.state, cache.expires_at + 1
        known = session.cold_cost = state, (yield Offload(lambda: _planned_cost(session, at)))
    return known[1]


def _planned_cost(session: SessionCore, time_ms: int) -> lifecycle.ColdCost | None:
    delta = Delta(len(session.projection.messages), tuple(session.pending_messages))
    params = lifecycle.ContextParams(session.state.session_id, at=time_ms)
    plan = listing.attempt(session, delta, params, may_take_long=True)
    if isinstance(plan, listing.ProjectionFailure):
        return None
    raw, pruned = (_written(session, weight) for weight in (plan.plan.raw_weight, plan.plan.weight))
    return lifecycle.ColdCost(raw, pruned)


def _written(session: SessionCore, weight: int) -> lifecycle.WrittenPrompt:
    gauge = session.gauge(session.state)
    tokens = gauge.tokens(weight)
    return lifecycle.WrittenPrompt(tokens, prices.dollars(CallTokens(written_tokens=tokens), gauge.terms.prices))
