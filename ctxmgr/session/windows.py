"""The window that a model is taken to have: as the host said it, or smaller, as a refusal taught it; and the list
that was refused though it fits by our count.

What was learnt holds for the model's id while the host says the same window of it.
"""

from typing import NamedTuple

import msgspec

from ctxmgr.engine.pressure import meter
from ctxmgr.model.saved import State

MODELS_AT_MOST = 32  # whose window was learnt
LEAST_TOKENS = 1_000  # of a list that can be refused for its own length


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


def of_another_model(state: State) -> State:
    """What was counted and refused was by the model before, and so was what did not fit its window."""
    stay = {key: one for key, one in state.decisions.items() if one.kind != "cut" and not one.to_fit}
    decisions = stay if len(stay) < len(state.decisions) else state.decisions
    return msgspec.structs.replace(
        state, decisions=decisions, meter=meter.void(state.meter), unseen=0, refused_weight=0
    )


def with_refusal(state: State, fit_weight: float) -> State:
    """The provider refused the last list as too long. `fit_weight`: of the largest list that fits by our count, in
    tokens; where the last is no larger, that count is wrong. A short one was not refused for its length."""
    last = state.last_projection
    if last is None or not LEAST_TOKENS <= last.weight <= fit_weight:
        return state
    return msgspec.structs.replace(state, refused_weight=last.weight)


def with_success(state: State, counted: bool) -> State:
    """The provider took the last list. `counted`: and said how long it is."""
    last, refused = state.last_projection, state.refused_weight
    if not refused or not (counted or (last is not None and last.weight >= refused)):
        return state
    return msgspec.structs.replace(state, refused_weight=0)


class UsageMismatches(NamedTuple):
    """Usage that was reported and not believed: how often, and the last one's tokens and the list's weight."""

    times: int = 0
    tokens: int = 0
    weight: int = 0

    def with_usage(self, tokens: int, weight: int) -> "UsageMismatches":
        """One more."""
        return UsageMismatches(self.times + 1, tokens, weight)

    def note(self, window: int) -> str:
        """One sentence, "" where all was believed."""
        if not self.times:
            return ""
        why = f"a window of {window}" if self.tokens > window else f"a list that weighs {self.weight}"
        often = "once" if self.times == 1 else f"{self.times} times"
        return f"usage was not believed {often}, the last was {self.tokens} tokens for {why}: the estimate stands"
