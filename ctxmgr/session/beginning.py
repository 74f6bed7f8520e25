"""Builds a session's first state from the model that the host names and what was saved."""

import msgspec

from ctxmgr.engine.caching import truth
from ctxmgr.engine.conversation import DIGESTS
from ctxmgr.engine.pressure import latch, meter
from ctxmgr.model import WEIGHER, DeclaredTools, check_tools, invalid_params, prices, with_tools
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import ModelSpec, State


def model_spec(model: lifecycle.Model) -> ModelSpec:
    """Raises InvalidParams if two price tiers start at the same length."""
    tiers = model.prices.tiers if model.prices is not None else ()
    if (tier := prices.double_tier(tiers)) is not None:
        text = f"two tiers apply above the same size: {tiers[tier].above_tokens:,} tokens"
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
    """The state of a new session."""
    return State(session_id, model, digests=DIGESTS)


def declared(state: State, host: DeclaredTools, given: DeclaredTools | None) -> DeclaredTools:
    """The tools of a session: the host's, preceded by those given with the session; if neither is given, the
    previous ones. Raises InvalidParams.
    """
    check_tools(given or (), "$.tools")
    return state.tools if given is None and not host else with_tools(host, given or ())


def undecided(state: State) -> State:
    """The state without its decisions about the list, so that the next one is decided from scratch. Learned facts
    stay.
    """
    return msgspec.structs.replace(state, decisions={}, anchor="", packet=None, last_projection=None, sent=())


def restored(state: State) -> State:
    """A snapshot's state, ready to continue. Calls in progress when the process ended are dropped, and so are token
    ratios of another counter. If digests were made differently they identify nothing, so the next list is decided
    from scratch.
    """
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
