"""The window that a model is taken to have: as the host said it, or smaller, as a refusal taught it.

What was learnt holds for the model's id while the host says the same window of it.
"""

import msgspec

from ctxmgr.model.saved import State

MODELS_AT_MOST = 32  # whose window was learnt


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
