"""Turns what a session begins from into its state: the model that the host names, and what was saved."""

import msgspec

from ctxmgr.engine.caching import truth
from ctxmgr.engine.conversation import DIGESTS
from ctxmgr.engine.pressure import latch, meter
from ctxmgr.model import WEIGHER, DeclaredTools, check_tools, invalid_params, prices, with_tools
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import ModelSpec, State


def model_spec(model: lifecycle.Model) -> ModelSpec:
    """Raises InvalidParams, where two of its tiers are of requests as long."""
    tiers = model.prices.tiers if model.prices is not None else ()
    if (tier := prices.double_tier(tiers)) is not None:
        text = f"two tiers begin above {tiers[tier].above_tokens:,} tokens"
        raise invalid_params(text, f"$.model.prices.tiers[{tier}].aboveTokens")
    return ModelSpec(
        id=model.id,
        window=int(model.context_window),
        provider=model.provider or "",
        max_output_tokens=int(model.max_output_tokens) if model.max_output_tokens is not None else None,
        prices=prices.base_prices(model.prices),
        cache_ttl_ms=int(model.cache_ttl_ms) if model.cache_ttl_ms is not None else None,
        batch=model.batch,
        strict_roles=model.strict_roles,
    )


def begun(session_id: str, model: ModelSpec) -> State:
    """The state of a session that nothing is known of."""
    return State(session_id, model, digests=DIGESTS)


def declared(state: State, host: DeclaredTools, given: DeclaredTools | None) -> DeclaredTools:
    """The tools of a session: those of its host, and those given with it before them; where neither is there, what
    it had. Raises InvalidParams."""
    check_tools(given or (), "$.tools")
    return state.tools if given is None and not host else with_tools(host, given or ())


def undecided(state: State) -> State:
    """The state without what was decided about a list: the next one is decided anew. What was learnt stays."""
    return msgspec.structs.replace(state, decisions={}, anchor="", packet=None, last_projection=None, sent=())


def restored(state: State) -> State:
    """A state from a snapshot, fit to go on: what was under way when the process ended is not known, and what was
    weighed otherwise than here says nothing about what is weighed here. Where digests were made otherwise, nothing
    is known by them: the next list is decided anew."""
    shown = state.last_projection
    if state.meter.weigher not in ("", WEIGHER) or (shown is not None and shown.weigher != WEIGHER):
        counted = truth.uncounted(state.counted)
        state = msgspec.structs.replace(state, meter=meter.void(state.meter), last_projection=None, counted=counted)
    if state.digests != DIGESTS:
        reopen = state.reopen or ("rewritten" if state.decisions else None)
        state = msgspec.structs.replace(undecided(state), reopen=reopen, digests=DIGESTS)
    return msgspec.structs.replace(
        state, latch=latch.restored(state.latch), outgoing_tokens=state.outgoing_tokens or state.meter.base
    )
