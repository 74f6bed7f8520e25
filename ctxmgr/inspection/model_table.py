"""Turns what is known of models into lines for a terminal. Prices in dollars a million tokens."""

from collections.abc import Sequence

from ctxmgr.known_models import ModelFacts, Registry
from ctxmgr.model import CacheRule, PriceTier, TieredPrices

HEADINGS = ("model", "window", "output", "in", "out", "read", "write", "tiers", "cache", "date")
NUMBERS = frozenset({1, 2, 3, 4, 5, 6})  # columns that end at the right
MINUTE_MS = 60_000
WIDTH = 12  # characters of a detail's name


def rows(found: Sequence[ModelFacts]) -> list[str]:
    """A line each, below the headings, and what the columns mean."""
    cells = [HEADINGS, *(_cells(one) for one in found)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(HEADINGS))]
    return [
        *(_line(row, widths) for row in cells),
        "",
        "window and output in tokens; in, out, read and write in dollars a million tokens; tiers: above so many",
        "tokens a whole request costs so many times as much; `ctxmgr models ID` tells where a row is from",
    ]


def details(registry: Registry, known: ModelFacts) -> list[str]:
    """All that is known of one, and how it was found."""
    lines = [
        _detail("model", known.id or "-"),
        _detail("matched", f"{known.matched}: {known.why}"),
        _detail("family", known.family or "-"),
        _detail("window", f"{known.window:,} tokens{_usual(known)}"),
        _detail("output", f"{known.max_output_tokens:,} tokens" if known.max_output_tokens else "not known"),
        *_prices("prices", known.prices),
        *_read(known),
        *_prices("batch", known.batch),
        _detail("cache", _rule(known.cache)),
    ]
    if known.long_cache is not None:
        kept = f"{_lived(known.long_cache.lifetime_ms)} at {known.long_cache.cache_write:g} a write"
        lines.append(_detail("kept longer", kept))
    row = registry.rows.get(known.row)
    named = row.cache if row is not None and isinstance(row.cache, str) else ""
    fact = registry.caches.get(named)
    if fact is not None and fact.note:
        lines.append(_detail("", fact.note))
    lines += [_detail("pictures", known.media or "as most count them"), _detail("vocabulary", known.vocabulary)]
    if known.source:
        lines.append(_detail("source", f"{known.source} ({known.date})" if known.date else known.source))
    if fact is not None and fact.source:
        lines.append(_detail("", f"of the cache: {fact.source} ({fact.date})"))
    return lines


def _cells(one: ModelFacts) -> tuple[str, ...]:
    prices = one.prices
    four = ["-"] * 4
    if prices is not None:
        four = [f"{price:g}" for price in (prices.input, prices.output, prices.cache_read, prices.cache_write)]
    output = f"{one.max_output_tokens:,}" if one.max_output_tokens else "-"
    return (one.row, f"{one.window:,}", output, *four, _tiers(prices), one.cache.kind, one.date or "-")


def _tiers(prices: TieredPrices | None) -> str:
    if prices is None or not prices.tiers:
        return "-"
    return ", ".join(f"{one.above_tokens // 1000}k x {one.input / prices.input:g}" for one in prices.tiers)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (
        text.rjust(width) if at in NUMBERS else text.ljust(width)
        for at, (text, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()


def _detail(name: str, text: str) -> str:
    return f"{name:{WIDTH}} {text}".rstrip()


def _usual(known: ModelFacts) -> str:
    return f"; programs work with {known.usual_window:,}" if known.usual_window < known.window else ""


def _prices(name: str, prices: TieredPrices | None) -> list[str]:
    if prices is None:
        return [_detail(name, "not known")] if name == "prices" else []
    lines = [_detail(name, _four(prices.tier(0)))]
    return [*lines, *(_detail("", f"{_four(one)} above {one.above_tokens:,} tokens") for one in prices.tiers)]


def _read(known: ModelFacts) -> list[str]:
    if known.prices is None or known.has_read_price or known.cache.kind == "none":
        return []
    return [_detail("", "that of reading the cache is not known: it is the default")]


def _four(one: PriceTier) -> str:
    return f"in {one.input:g}, out {one.output:g}, read {one.cache_read:g}, write {one.cache_write:g}"


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
