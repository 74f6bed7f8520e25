"""Turns what holds of a session's model into what is told of it."""

from ctxmgr.engine.caching import gap
from ctxmgr.model import BasePrices, PriceTier, TieredPrices
from ctxmgr.model.api import lifecycle
from ctxmgr.session.session import SessionCore
from ctxmgr.session.windows import window_of


def _tier(above_tokens: int, one: BasePrices | PriceTier) -> lifecycle.TierPrices:
    return lifecycle.TierPrices(above_tokens, one.input, one.output, one.cache_read, one.cache_write)


def model_status(session: SessionCore) -> lifecycle.ModelStatus:
    model, facts = session.model, session.model.facts
    terms = model.unlearned_terms(session.state)
    cache_by, lifetime_by = model.cache_and_lifetime_by(session.state)
    prices, rule = terms.prices, terms.cache
    longer = prices.tiers if isinstance(prices, TieredPrices) else ()
    return lifecycle.ModelStatus(
        id=session.state.model.id,
        context_window=window_of(session.state),
        max_output_tokens=model.max_output_tokens,
        output_by=model.output_by,
        prices=() if prices is None else (_tier(0, prices), *(_tier(one.above_tokens, one) for one in longer)),
        prices_by=model.prices_by,
        cache=lifecycle.ProviderCache(
            rule.kind,
            rule.most_marks,
            rule.look_back_blocks,
            rule.least_tokens,
            rule.step_tokens,
            0 if rule.kind == "none" else rule.lifetime_ms,
            rule.renews,
        ),
        cache_by=cache_by,
        lifetime_by=lifetime_by,
        like=facts.row,
        why=facts.why,
        source=facts.source,
        date=facts.date,
    )


# Turns what is known of a session's provider into what its status tells of the cache.


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
