"""Builds the current policy from the keys that a host sets, and names the key of an error."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from ctxmgr.model.errors import invalid_params
from ctxmgr.model.policy import CompactionPolicy, ModelPolicy, Policy, Tokenizer
from ctxmgr.model.prices import double_tier
from ctxmgr.model.typos import misfit


class InvalidPolicy(ValueError):
    """The policy is invalid. `path`: the JSON path of the error below the policy, such as `.zones.red`."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text)
        self.path = path


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """`old` updated with the keys of `new`. Objects are merged; null resets a key to its default."""
    out = dict(old)
    for name, value in new.items():
        before = out.get(name)
        if name == "compaction" and (isinstance(value, dict) or isinstance(before, dict)):
            before, value = _spelled_out(before), _spelled_out(value)
        if value is None:
            out.pop(name, None)
        elif isinstance(value, dict):
            out[name] = merged(before if isinstance(before, dict) else {}, value)
        else:
            out[name] = value
    return out


def _spelled_out(compaction: Any) -> Any:
    """The long form of `compaction`. The short form only says who writes."""
    return {"by": compaction} if isinstance(compaction, str) else compaction


def check_keys(keys: dict[str, Any]) -> None:
    """Raises InvalidPolicy if a key with the value null, which would otherwise be dropped, is not a policy key."""
    for path in _nulls(keys):
        alone: Any = None
        for name in reversed(path):
            alone = {name: alone}
        try:
            msgspec.convert(alone, Policy)
        except msgspec.ValidationError as fault:
            wrong = misfit(fault, Policy)
            if wrong.unknown == path[-1]:
                raise InvalidPolicy(wrong.text, "".join(f".{name}" for name in path)) from None


def fitting(
    defaults: dict[str, Any], overrides: dict[str, Any], model: str | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The overrides that form a valid policy with these defaults, and the paths of the others, which another
    release may have accepted. If the invalid key cannot be identified, all of them are rejected.
    """
    left, set_aside = overrides, []
    while True:
        try:
            policy(merged(defaults, left), model)
        except InvalidPolicy as refused:
            left, path = _without(left, refused.path)
            if path is None:
                return {}, tuple(f".{name}" for name in overrides)
            set_aside.append(path)
        else:
            return left, tuple(set_aside)


def _without(keys: dict[str, Any], path: str) -> tuple[dict[str, Any], str | None]:
    """The keys without the one at this path, or without its deepest existing parent, and the path that was removed.
    The path is None if there is none.
    """
    for name in sorted(keys, key=len, reverse=True):  # names of models contain dots
        rest = path.removeprefix(f".{name}")
        if rest == path or rest[:1] not in ("", ".", "["):
            continue
        inner = keys[name]
        if isinstance(inner, dict) and rest:
            less, below = _without(inner, rest)
            if below is not None:
                return {**keys, name: less}, f".{name}{below}"
        return {key: value for key, value in keys.items() if key != name}, f".{name}"
    return keys, None


def _nulls(keys: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all keys that are null."""
    for name, value in keys.items() if isinstance(keys, dict) else ():
        if value is None:
            yield (*above, name)
        else:
            yield from _nulls(value, (*above, name))


def policy(keys: dict[str, Any], model: str | None = None) -> Policy:
    """The policy that these keys form, for a model. Raises InvalidPolicy, also if the keys are invalid only for
    another model.
    """
    check_keys(keys)
    _ordered(_converted({**keys, "models": None}, Policy, ""), "")  # first, because every model also has these keys
    per_model = keys.get("models") or {}
    if isinstance(per_model, dict):
        for name, theirs in per_model.items():
            under = f".models.{name}"
            _converted(theirs, ModelPolicy, under)
            _ordered(_converted(merged(keys, {**theirs, "models": None}), Policy, under), under)
    made: Policy = _converted(keys, Policy, "")
    if model in made.models:
        effective: Policy = _converted(merged(keys, {**per_model[model], "models": None}), Policy, "")
        return effective
    return made


def _converted(keys: Any, kind: type[Any], under: str) -> Any:
    try:
        return msgspec.convert(_plain(keys), kind)
    except msgspec.ValidationError as fault:
        wrong = misfit(fault, kind, keys)
        raise InvalidPolicy(wrong.text, under + wrong.path) from None


def _ordered(made: Policy, under: str) -> Policy:
    writing = compaction(made)
    if writing.model == "endpoint" and writing.endpoint is None:
        raise InvalidPolicy('the model is "endpoint", so an endpoint is required', f"{under}.compaction.endpoint")
    if writing.slices.overlap >= writing.slices.tokens:
        raise InvalidPolicy("slices must be larger than their overlap", f"{under}.compaction.slices.overlap")
    if made.prices is not None and (tier := double_tier(made.prices.tiers)) is not None:
        text = f"two tiers apply above the same size: {made.prices.tiers[tier].above_tokens:,} tokens"
        raise InvalidPolicy(text, f"{under}.prices.tiers[{tier}].aboveTokens")
    if not made.zones.yellow <= made.zones.red <= made.zones.compact:
        raise InvalidPolicy("zones must increase: yellow <= red <= compact", f"{under}.zones")
    return made


def checked_keys(given: Policy | Mapping[str, Any] | None) -> dict[str, Any]:
    """The keys that a program sets. Raises InvalidParams if they form no valid policy."""
    if not isinstance(given, Policy | Mapping | None):
        raise invalid_params(f"expected a policy, not {type(given).__name__}", "$.policy")
    keys: dict[str, Any] = set_keys(given or {})
    with refused_as_params():
        policy(keys)
    return keys


@contextmanager
def refused_as_params() -> Iterator[None]:
    """Raises InvalidParams, with the path below `policy`, in place of InvalidPolicy."""
    try:
        yield
    except InvalidPolicy as refused:
        raise invalid_params(str(refused), f"$.policy{refused.path}") from None


def set_keys(policy: Any) -> Any:
    """The keys of a policy that are set, as on the wire. For a struct, these are the ones that differ from the
    defaults, so that keys for one model take precedence over those for all.
    """
    if isinstance(policy, Mapping):
        return {name: set_keys(inner) for name, inner in policy.items()}
    if not isinstance(policy, msgspec.Struct):
        return list(policy) if isinstance(policy, tuple) else policy
    return {
        field.encode_name: set_keys(getattr(policy, field.name))
        for field in msgspec.structs.fields(policy)
        if getattr(policy, field.name) != field.default
    }


def _plain(value: Any) -> Any:
    """The value without nulls, which mean the default, and with 1.0 as 1. A JavaScript host may write either."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def compaction(made: Policy) -> CompactionPolicy:
    """The compaction setting in its long form."""
    if isinstance(made.compaction, str):
        return CompactionPolicy(by=made.compaction)
    return made.compaction


def tokenizer(made: Policy) -> Tokenizer:
    if isinstance(made.tokenizer, str):
        return Tokenizer(made.tokenizer)
    return made.tokenizer
