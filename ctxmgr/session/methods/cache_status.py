"""Turns what is known of a session's provider into what its status tells of the cache."""

from ctxmgr.engine.caching import gap
from ctxmgr.model.api import lifecycle
from ctxmgr.session.session import SessionCore


def cache_status(session: SessionCore) -> lifecycle.CacheStatus | None:
    """None where nothing was compared."""
    state = session.state
    truth, lifetime = state.cache, session.model.lifetime(state)
    if not truth.calls or truth.model != state.model.id:
        return None
    rule, documented_ms = session.model.terms_by(state).cache, session.model.documented_ms(state)
    return lifecycle.CacheStatus(
        expected=sum(call.expected_tokens for call in truth.calls),
        read=sum(call.read_tokens for call in truth.calls),
        calls=len(truth.calls),
        lifetime_ms=lifetime.lifetime_ms,
        lifetime_from=lifetime.source,
        gap=gap(truth, rule, lifetime, documented_ms) or None,
    )
