"""Turns the policy keys a host sets into the policy in force, and names the key at fault."""

from typing import Any

import msgspec

from ctxmgr.model.policy import Compaction, Policy, Tokenizer, Zones


class Refused(ValueError):
    """The policy does not hold; `path` is the JSON path of the fault below the policy, such as `.zones.red`."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text)
        self.path = path


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """`old` with the keys of `new` put in, objects merged; null takes a key back to its default."""
    out = dict(old)
    for name, value in new.items():
        before = out.get(name)
        if value is None:
            out.pop(name, None)
        elif isinstance(value, dict) and isinstance(before, dict):
            out[name] = merged(before, value)
        else:
            out[name] = value
    return out


def policy(keys: dict[str, Any], model: str | None = None) -> Policy:
    """The policy these keys make for a model. Raises Refused: for one model as soon as for any other."""
    made = _made(keys, "")
    for name in made.models:
        theirs = _made(merged(keys, keys["models"][name]), f".models.{name}")
        made = theirs if name == model else made
    return made


def _made(keys: dict[str, Any], under: str) -> Policy:
    try:
        made = msgspec.convert(_plain(keys), Policy)
    except msgspec.ValidationError as fault:
        text, _, path = str(fault).partition(" - at `$")
        raise Refused(text, under + path.rstrip("`")) from None
    if not zones_ordered(made.zones):
        raise Refused("zones must rise: yellow <= red <= compact", f"{under}.zones")
    return made


def _plain(value: Any) -> Any:
    """Without nulls, which mean the default, and with 1.0 as 1: a JavaScript host may write either."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def zones_ordered(zones: Zones) -> bool:
    return zones.yellow <= zones.red <= zones.compact


def compaction(made: Policy) -> Compaction:
    """The compaction setting with its short form spelled out."""
    if isinstance(made.compaction, str):
        return Compaction(by=made.compaction)
    return made.compaction


def tokenizer(made: Policy) -> Tokenizer:
    if isinstance(made.tokenizer, str):
        return Tokenizer(made.tokenizer)
    return made.tokenizer
