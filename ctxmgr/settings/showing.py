"""Runs `ctxmgr config`: each key of the settings, its value and its origin."""

import json
import textwrap
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import msgspec

from ctxmgr import plain_text
from ctxmgr.model import Policy, PriceTier, TieredPrices
from ctxmgr.settings import keys
from ctxmgr.settings.keys import APIS, SettingsFault, dotted, leaves
from ctxmgr.settings.layers import DEFAULT, Origin, ProgramSettings, read

ALWAYS = (  # shown even if nobody set them
    *("preset", "window", "effectiveWindow", "reserve", "keep", "protectedTools"),
    *("protectedInstructions", "state_dir", "upstream"),
)


KEY, VALUE, COLUMNS = 24, 18, 80  # characters: of the columns, and of a line


def show(parsed: Namespace) -> int:
    """Returns 0 on success, 1 if a file or a variable cannot be used."""
    try:
        layers = read()
        settings = layers.settings_for(parsed.program, parsed.model, parsed.subagent)
    except SettingsFault as fault:
        return plain_text.complain("config", str(fault), 1)
    if parsed.json:
        print(json.dumps({"files": layers.paths, "settings": as_json(settings)}, indent=2))
        return 0
    for line in (*lines(settings, parsed.all), "", f"files read: {', '.join(layers.paths) or 'none'}"):
        plain_text.write(line)
    return 0


def lines(settings: ProgramSettings, every: bool = False) -> Iterator[str]:
    """Key, value and origin; long values take several lines. `every`: show all keys with default values, not only
    the main ones.
    """
    for key, value, origin in _values(settings):
        if not (every or origin != DEFAULT or key.partition(".")[0] in ALWAYS):
            continue
        text = textwrap.wrap(_short(value), COLUMNS - KEY - 1, break_long_words=False, break_on_hyphens=False)
        yield from (f"{'' if index else key:{KEY}} {line}" for index, line in enumerate(text[:-1]))
        last = f"{'' if text[1:] else key:{KEY}} {text[-1]:{VALUE}} "
        if len(text[-1]) > VALUE or len(last + _from(origin)) > COLUMNS:
            yield last.rstrip()
            last = " " * (KEY + 3)
        yield last + _from(origin)


def as_json(settings: ProgramSettings) -> dict[str, Any]:
    """Every key with its value, the kind of its origin, and the origin."""
    return {
        key: {"value": value, "kind": origin.kind, "from": origin.text()}
        for key, value, origin in _values(settings)
    }


def _from(origin: Origin) -> str:
    """The file's name without its folder, and the table in it."""
    if not origin.key:
        return origin.where
    name = origin.where.rpartition("/")[2]
    return f"{name} [{dotted(origin.table)}]" if origin.table else name


def _values(settings: ProgramSettings) -> Iterator[tuple[str, Any, Origin]]:
    """Settings' own keys first, then the policy's in their order."""
    every: list[tuple[str, Any]] = [
        ("window", settings.window),
        ("state_dir", settings.state_dir),
        ("keep_originals", settings.keep_originals),
        ("model_tools", settings.model_tools),
        ("holdout", settings.holdout),
        ("warn_on_cache_busts", settings.warns_of_cache_busts),
        ("compactions", settings.compactions),
        *((f"upstream.{api}", settings.upstream.get(api)) for api in APIS),
        *_policy(settings),
    ]
    for key, value in every:
        yield key, value, settings.origins.get(key, DEFAULT)


def _policy(settings: ProgramSettings) -> Iterator[tuple[str, Any]]:
    """Set values, otherwise defaults; the prices that apply."""
    for field in msgspec.structs.fields(Policy):
        name = field.encode_name
        if name not in keys.POLICY:
            continue
        if name == "prices" and settings.prices is not None and "prices" not in settings.policy:
            yield name, _spelled(settings.prices)
            yield from _tiers(settings.prices)
            continue
        defaults = dict(leaves({name: msgspec.to_builtins(field.default)}))
        given = dict(leaves({name: settings.policy[name]})) if name in settings.policy else {}
        spelled = {path[0] for path in given if len(path) > 1}
        held = {path: value for path, value in defaults.items() if not (len(path) == 1 and path[0] in spelled)}
        for path, value in {**held, **given}.items():
            yield dotted(path), value
        if name == "prices" and settings.prices is not None and ("prices", "tiers") not in given:
            yield from _tiers(settings.prices)


def _tiers(prices: TieredPrices) -> Iterator[tuple[str, Any]]:
    if prices.tiers:
        yield "prices.tiers", [{"aboveTokens": tier.above_tokens, **_spelled(tier)} for tier in prices.tiers]


def _spelled(prices: TieredPrices | PriceTier) -> dict[str, float]:
    """The prices as a policy spells them."""
    plain = (prices.input, prices.output, prices.cache_read, prices.cache_write)
    return dict(zip(("input", "output", "cacheRead", "cacheWrite"), plain, strict=True))


def _short(value: Any) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case list() | tuple():
            if any(isinstance(inner, dict) for inner in value):
                return "; ".join(map(_short, value))
            return ", ".join(map(str, value)) or "-"
        case {"aboveTokens": above, **rest}:
            return f"above {above:,}: {_short(rest)}"
        case dict():
            return ", ".join(f"{name} {inner:g}" for name, inner in value.items())
        case int():
            return f"{value:,}"
    return str(value)
