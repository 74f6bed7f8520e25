"""Turns what a program gives (a policy, a model, a saved state, a verb to run) into what a session takes."""

import math
from collections.abc import Generator, Mapping
from typing import Any

import msgspec

from ctxmgr.model import CallFailed, Weigh, invalid_params
from ctxmgr.model.api import lifecycle, model_of
from ctxmgr.model.saved import ModelSpec, State
from ctxmgr.session import Offload, begun, journal, model_spec, restored

Usage = Mapping[str, Any]


def spec_of(
    model: lifecycle.Model | Mapping[str, Any] | str | None, window: int | None, usual: int
) -> ModelSpec | None:
    """None where the program tells nothing of its model. Raises InvalidParams."""
    if model is None and window is None:
        return None
    if isinstance(model, Mapping):
        model = model_of({"contextWindow": window or usual, **model})
    told = lifecycle.Model(model or "", window or usual) if isinstance(model, str | None) else model_of(model)
    if window is not None:
        told = msgspec.structs.replace(told, context_window=window)
    return model_spec(model_of(told))


def text_of(value: str, name: str) -> str:
    """Raises InvalidParams."""
    if not isinstance(value, str):
        raise invalid_params(f"a text is needed, not {type(value).__name__}", f"$.{name}")
    return value


def natural(value: float | None, name: str) -> float | None:
    """Raises InvalidParams."""
    if value is not None and not (isinstance(value, int | float) and 0 <= value < float("inf")):
        raise invalid_params("a number that is not negative is needed", f"$.{name}")
    return value


def whole_tokens(weigh: Weigh) -> Weigh:
    """The same in whole tokens, and never less than none: what a program counts by may divide."""
    return lambda text: max(0, math.ceil(weigh(text)))


def read_state(saved: bytes | None, model: ModelSpec | None, usual: int) -> State:
    """Raises InvalidParams where `saved` is no state."""
    if saved is None:
        return begun("", model or ModelSpec("", usual))
    try:
        state = restored(journal.restore([saved])[0])
    except journal.UnreadableJournal as fault:
        raise invalid_params(str(fault), "$.state") from None
    return msgspec.structs.replace(state, model=model) if model is not None else state


def running(verb: Any) -> Any:
    """The value that a verb ends with; the work it asks for is done here and now.

    A session that declares neither `retrieve` nor a model of the host asks for nothing else. Raises CallFailed.
    """
    if not isinstance(verb, Generator):
        return verb
    value: Any = None
    while True:
        try:
            wanted = verb.send(value)
        except StopIteration as stop:
            return stop.value
        if not isinstance(wanted, Offload):
            verb.close()
            raise CallFailed(f"a session in this process has no {type(wanted).__name__.lower()}")
        value = wanted.run()
