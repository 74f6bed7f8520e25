"""Turns what a program gives (a policy, a model, a saved state, a verb to run) into what a session takes."""

from collections.abc import Generator, Mapping
from typing import Any, TypeVar

import msgspec

from ctxmgr.model import CallFailed, Policy, invalid_params, path_of, policy_keys
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import ModelSpec, State
from ctxmgr.session import Offload, journal, model_spec, restored

Usage = Mapping[str, Any]
Kind = TypeVar("Kind")


def keys_of(policy: Policy | Mapping[str, Any] | None) -> dict[str, Any]:
    """The keys that are set. Raises InvalidParams where they make no policy."""
    keys: dict[str, Any] = policy_keys.set_keys(policy or {})
    try:
        policy_keys.policy(keys)
    except policy_keys.InvalidPolicy as refused:
        raise invalid_params(str(refused), f"$.policy{refused.path}") from None
    return keys


def spec_of(model: lifecycle.Model | str | None, window: int | None, usual: int) -> ModelSpec | None:
    """None where the program tells nothing of its model. Raises InvalidParams."""
    if model is None and window is None:
        return None
    told = model if isinstance(model, lifecycle.Model) else lifecycle.Model(model or "", window or usual)
    if window is not None:
        told = msgspec.structs.replace(told, context_window=window)
    return model_spec(converted(msgspec.to_builtins(told), lifecycle.Model, "$.model"))


def read_state(saved: bytes | None, model: ModelSpec | None, usual: int) -> State:
    """Raises InvalidParams where `saved` is no state."""
    if saved is None:
        return State("", model or ModelSpec("", usual))
    try:
        state = restored(journal.restore([saved])[0])
    except journal.UnreadableJournal as fault:
        raise invalid_params(str(fault), "$.state") from None
    return msgspec.structs.replace(state, model=model) if model is not None else state


def converted(value: Any, kind: type[Kind], path: str) -> Kind:
    """Raises InvalidParams."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        text, _, below = str(fault).partition(" - at `$")
        raise invalid_params(text, path_of(text, path + below.rstrip("`"))) from None


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
