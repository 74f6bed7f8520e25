"""What a model is taken to be, beside what its host says of it: its window and how its provider caches.

A window is as the host said it, or smaller, as a refusal taught it: what was learnt holds for the model's id while
the host says the same window of it. How a provider caches is said here and nowhere else.
"""

import msgspec

from ctxmgr.model import IMPLICIT, MARKS, NO_CACHE, BasePrices, CacheRule, Policy, prices
from ctxmgr.model.saved import ModelSpec, State

MODELS_AT_MOST = 32  # whose window was learnt
UNKNOWN = CacheRule()  # whatever is sent again is read, however short
_MARKED = ("claude", "anthropic")
_IMPLICIT = ("gpt", "openai", "codex", "gemini", "google")


def window_of(state: State) -> int:
    """In tokens, of the model in use."""
    model = state.model
    said, taken = state.windows.get(model.id, (model.window, model.window))
    return taken if said == model.window else model.window


def with_window(state: State, taken: int) -> State:
    """The model in use takes so many tokens."""
    if taken == window_of(state):
        return state
    model = state.model
    windows = {id: one for id, one in state.windows.items() if id != model.id}
    if taken < model.window:
        windows[model.id] = model.window, taken
    return msgspec.structs.replace(state, windows=dict(list(windows.items())[-MODELS_AT_MOST:]))


def cache_rule(model: ModelSpec, policy: Policy) -> CacheRule:
    """Where reading costs what input does, nothing is cached. Else by the names of model and provider, else by
    prices: what is dearer to write than to send is marked."""
    known = prices.in_force(model.prices, policy.prices)
    if known is not None and 0 < (known.input or 0) <= (known.cache_read or 0):
        return NO_CACHE
    for name in (model.id.lower(), model.provider.lower()):
        if any(word in name for word in _MARKED):
            return MARKS
        if any(word in name for word in _IMPLICIT):
            return IMPLICIT
    return MARKS if _writing_costs(known) else UNKNOWN


def lifetime_ms(model: ModelSpec, policy: Policy) -> int:
    """How long what is cached lives: as the host says, as the policy says, else by the rule."""
    for told in (model.cache_ttl_ms, policy.cache_ttl_ms):
        if told is not None:
            return told
    return cache_rule(model, policy).lifetime_ms


def _writing_costs(known: BasePrices | None) -> bool:
    return known is not None and (known.cache_write or 0) > (known.input or 0) > 0
