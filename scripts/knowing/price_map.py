"""Turns LiteLLM's price map into rows of ours. Its license is MIT. It is read during development only; users of
ctxmgr need no part of it.

Rules:
1. Only models for conversations, with a price, and each at one API only, its maker's own.
2. The map has dollars per token. Ours are a million times that, rounded to the digits of a price list.
3. If the map has no price for a cache read, the price stays unknown; that does not mean that there is no cache. A
   write without a price costs as much as input.
4. An output limit of at least the window's size is ignored.
5. Models that differ only by their day become one row, under the name without it. If they differ in more, the
   newest gets that name.
6. The price of an hour's cache write is `LONG_WRITE` times the input price if the map has more than `LONG_AT_MOST`
   times it: for three older Haiku models it has the price of a Sonnet, up to 24 times the input price.
"""

import re
from collections.abc import Mapping
from typing import Any

from ctxmgr.known_models import family_names, shorter

Json = dict[str, Any]
_ABOVE = re.compile(r"^input_cost_per_token_above_(\d+)k_tokens$")
_LONG = re.compile(r"^cache_creation_input_token_cost_above_(\d+)hr$")
HOUR_MS = 3_600_000
LONG_AT_MOST = 2.5  # of the input price: OpenAI's for twelve hours, the highest in any price list
LONG_WRITE = 2.0  # of the input price: Anthropic's for an hour
LONG_SOURCE = "platform.claude.com/docs/en/build-with-claude/prompt-caching"


def rows(price_map: Mapping[str, Json], facts: Json, source: str, date: str) -> dict[str, Json]:
    """By name. `source` and `date`: of the map."""
    models: dict[str, Json] = {}
    for key, given in price_map.items():
        name = key.rpartition("/")[2].lower()
        family = _family(name, facts)
        if family and _is_taken(name, family, given, facts):
            models[name] = _row(name, family, given, source, date)
    return _without_days(models, {word for family in facts["families"] for word in family["ids"]})


def _is_taken(name: str, family: Json, given: Json, facts: Json) -> bool:
    """Rule 1."""
    is_priced = given.get("input_cost_per_token") and given.get("output_cost_per_token")
    own = given.get("litellm_provider") == facts["providers"][family["name"]]
    talks = given.get("mode") in ("chat", "responses") and not any(word in name for word in facts["without"])
    return bool(is_priced) and own and talks


def _family(name: str, facts: Json) -> Json | None:
    words = {word: family for family in facts["families"] for word in family["ids"]}
    matches = family_names(name, tuple(words))
    return next((words[word] for word, matched in matches if len(matched) == len(name)), None)


def _row(name: str, family: Json, given: Json, source: str, date: str) -> Json:
    window, output = int(given.get("max_input_tokens") or 0), int(given.get("max_output_tokens") or 0)
    row: Json = {"id": name, "family": family["name"]} | ({"window": window} if window else {})
    if 0 < output < window:
        row["maxOutputTokens"] = output
    row["prices"] = _prices(given, "")
    if given.get("input_cost_per_token_batches") and given.get("output_cost_per_token_batches"):
        batch = _prices(given, "_batches")
        row |= {"batch": batch} if batch["input"] < row["prices"]["input"] else {}
    row["cache"] = _cache(name, given)
    if given.get("prompt_cache_min_tokens"):
        row["leastTokens"] = int(given["prompt_cache_min_tokens"])
    long, is_put_right = _long(given, row["prices"])
    row |= {"longCache": long} if long else {}
    where = re.sub(r"^https?://", "", str(given.get("source") or ""))
    origin = f"{source}: {where}" if where else source
    return row | {"source": f"{origin}; longCache: {LONG_SOURCE}" if is_put_right else origin, "date": date}


def _cache(name: str, given: Json) -> str:
    """The name of the provider's rule."""
    provider = str(given["litellm_provider"])
    if provider == "openai":
        if given.get("cache_creation_input_token_cost"):
            return "openai-breakpoints"
        return "openai-day" if name.startswith("gpt-5.5") else "openai"
    return "gemini-2" if name.startswith("gemini-2") else provider


def _prices(given: Json, way: str) -> Json:
    """Rules 2 and 3. `way`: "" or "_batches"."""
    prices = _four(given, way)
    bounds = sorted(int(match[1]) for key in given if (match := _ABOVE.match(key)))
    ends = {bound: f"_above_{bound}k_tokens{way}" for bound in bounds}
    tiers = [{"aboveTokens": 1_000 * bound, **_four(given, end, prices)} for bound, end in ends.items()]
    return prices | ({"tiers": tiers} if tiers else {})


def _four(given: Json, end: str, below: Json | None = None) -> Json:
    """A missing price of a tier is the price below it, times the ratio of the input prices."""
    inward = _dollars(given.get(f"input_cost_per_token{end}"))
    if inward is None and below is None:
        raise ValueError(f"no price of input{end}")
    times = inward / below["input"] if inward is not None and below is not None else 2.0
    listed = {
        "input": inward,
        "output": _dollars(given.get(f"output_cost_per_token{end}")),
        "cacheRead": _dollars(given.get(f"cache_read_input_token_cost{end}")),
        "cacheWrite": _dollars(given.get(f"cache_creation_input_token_cost{end}")),
    }
    if below is not None:
        usual = {name: round(times * price, 6) for name, price in below.items() if name in listed}
        return usual | {name: price for name, price in listed.items() if price is not None}
    share = 0.5 if end == "_batches" else 1.0
    usual = _dollars(given.get("cache_read_input_token_cost"))
    listed["cacheRead"] = listed["cacheRead"] or (share * usual if usual else None)
    usual = _dollars(given.get("cache_creation_input_token_cost"))
    listed["cacheWrite"] = listed["cacheWrite"] or (share * usual if usual else None) or listed["input"]
    return {name: round(price, 6) for name, price in listed.items() if price is not None}


def _dollars(price: Any) -> float | None:
    return round(1e6 * float(price), 6) if price else None


def _long(given: Json, prices: Json) -> tuple[Json, bool]:
    """The longer cache lifetime, and whether rule 6 corrected its price. A price below that of the shorter lifetime
    is an error in the map.
    """
    for key in given:
        price = _dollars(given[key]) if (match := _LONG.match(key)) else None
        if match and price is not None and price >= prices["cacheWrite"]:
            is_fault = price > LONG_AT_MOST * prices["input"]
            price = round(LONG_WRITE * prices["input"], 6) if is_fault else price
            return {"lifetimeMs": int(match[1]) * HOUR_MS, "cacheWrite": price}, is_fault
    return {}, False


def _without_days(models: dict[str, Json], words: set[str]) -> dict[str, Json]:
    """Rule 5. `words`: of families; none of them is a name."""
    kept: dict[str, Json] = {}
    for name in sorted(models, key=lambda name: (len(list(shorter(name))), name), reverse=True):
        *_, bare = shorter(name)
        bare = name if bare in words else bare
        row = models[bare] if bare in models else kept.get(bare, models[name])
        kept[bare] = {**row, "id": bare}
        if _facts(models[name]) != _facts(kept[bare]):
            kept[name] = models[name]
    return kept


def _facts(row: Json) -> Json:
    return {key: value for key, value in row.items() if key not in ("id", "source", "date")}
