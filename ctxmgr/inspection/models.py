"""`ctxmgr models`: shows all known rows, those matching a pattern, or what is known of one id and how it was found.

Prices are in dollars per million tokens.
"""

import fnmatch
import json
from argparse import Namespace
from typing import Any

import msgspec

from ctxmgr.known_models import ModelFacts, Registry, shipped
from ctxmgr.model import CacheRule, PriceTier, TieredPrices
from ctxmgr.plain_text import complain, table, write
from ctxmgr.settings import SettingsFault, models_file

HEADINGS = ("model", "window", "output", "in", "out", "read", "write", "tiers", "cache", "date")
NUMBERS = range(1, 7)  # right-aligned columns
LEGEND = """
window and output in tokens; in, out, read and write in dollars a million tokens; tiers: above so many
tokens a whole request costs so many times as much; `ctxmgr models ID` tells where a row is from"""
MINUTE_MS = 60_000
WIDTH = 12  # characters of a detail's name


def run(parsed: Namespace) -> int:
    """Returns 1 if the file cannot be used, no row matches, or nothing is known of the model."""
    try:
        registry = models_file(parsed.models) or shipped()
    except SettingsFault as fault:
        return complain("models", str(fault), 1)
    pattern = parsed.model or "*"
    is_id = not any(sign in pattern for sign in "*?")
    rows = sorted(name for name in registry.rows if fnmatch.fnmatchcase(name, pattern.lower()))
    known = [registry.find(name) for name in ([pattern] if is_id else rows)]
    if not known:
        return complain("models", f"no row is called {pattern}", 1)
    if parsed.json:
        print(json.dumps([_whole(facts) for facts in known], indent=2))
    elif is_id:
        for name, text in details(registry, known[0]):
            write(f"{name:{WIDTH}} {text}".rstrip())
    else:
        print(table([HEADINGS, *map(_cells, known)], NUMBERS))
        print(LEGEND)
    return 1 if is_id and known[0].matched == "unknown" else 0


def details(registry: Registry, known: ModelFacts) -> list[tuple[str, str]]:
    """Everything known of a model, by name, and how it was found."""
    usual = f"; programs work with {known.usual_window:,}" if known.usual_window < known.window else ""
    rows = [
        ("model", known.id or "-"),
        ("matched", f"{known.matched}: {known.why}"),
        ("family", known.family or "-"),
        ("window", f"{known.window:,} tokens{usual}"),
        ("output", f"{known.max_output_tokens:,} tokens" if known.max_output_tokens else "not known"),
        *(_prices("prices", known.prices) or [("prices", "not known")]),
    ]
    if known.prices is not None and not known.has_read_price and known.cache.kind != "none":
        rows.append(("", "the price of reading the cache is not known; the default is used"))
    rows += [*_prices("batch", known.batch), ("cache", _rule(known.cache))]
    if known.long_cache is not None:
        kept = f"{_lived(known.long_cache.lifetime_ms)} at {known.long_cache.cache_write:g} a write"
        rows.append(("kept longer", kept))
    row = registry.rows.get(known.row)
    cache = registry.caches.get(row.cache) if row is not None and isinstance(row.cache, str) else None
    if cache is not None and cache.note:
        rows.append(("", cache.note))
    rows += [("pictures", known.media or "as most models count them"), ("vocabulary", known.vocabulary)]
    if known.source:
        rows.append(("source", f"{known.source} ({known.date})" if known.date else known.source))
    if cache is not None and cache.source:
        rows.append(("", f"of the cache: {cache.source} ({cache.date})"))
    return rows


def _cells(facts: ModelFacts) -> tuple[str, ...]:
    prices, tiers = facts.prices, "-"
    four = ["-"] * 4
    if prices is not None:
        four = [f"{price:g}" for price in (prices.input, prices.output, prices.cache_read, prices.cache_write)]
        above = (f"{tier.above_tokens // 1000}k x {tier.input / prices.input:g}" for tier in prices.tiers)
        tiers = ", ".join(above) or "-"
    output = f"{facts.max_output_tokens:,}" if facts.max_output_tokens else "-"
    return (facts.row, f"{facts.window:,}", output, *four, tiers, facts.cache.kind, facts.date or "-")


def _prices(name: str, prices: TieredPrices | None) -> list[tuple[str, str]]:
    if prices is None:
        return []
    tiers = [("", f"{_four(tier)} above {tier.above_tokens:,} tokens") for tier in prices.tiers]
    return [(name, _four(prices.tier(0))), *tiers]


def _four(tier: PriceTier) -> str:
    return f"in {tier.input:g}, out {tier.output:g}, read {tier.cache_read:g}, write {tier.cache_write:g}"


def _rule(rule: CacheRule) -> str:
    if rule.kind == "none":
        return "none"
    parts: list[str] = [rule.kind]
    if rule.most_marks:
        parts.append(f"at most {rule.most_marks}, found {rule.look_back_blocks} blocks back")
    if rule.least_tokens:
        parts.append(f"from {rule.least_tokens:,} tokens on")
    if rule.step_tokens > 1:
        parts.append(f"in steps of {rule.step_tokens}")
    parts.append(f"for {_lived(rule.lifetime_ms)}{' from each read' if rule.renews else ''}")
    return ", ".join(parts)


def _lived(lifetime_ms: int) -> str:
    minutes = lifetime_ms / MINUTE_MS
    return f"{minutes:g} min" if minutes < 120 else f"{minutes / 60:g} h"


def _whole(value: Any) -> Any:
    """All members, including defaults, by their names in a file of models."""
    if isinstance(value, msgspec.Struct):
        return {_camel(name): _whole(getattr(value, name)) for name in value.__struct_fields__}
    return [_whole(item) for item in value] if isinstance(value, tuple) else value


def _camel(name: str) -> str:
    first, *words = name.split("_")
    return first + "".join(map(str.capitalize, words))
