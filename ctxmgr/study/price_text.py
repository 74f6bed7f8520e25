"""Parses a person's price sheet into prices: INPUT,READ,WRITE[,OUTPUT[,TIER...]].

1. INPUT and OUTPUT are dollars per million tokens, READ and WRITE are the prices of the cache as shares of INPUT.
   Without OUTPUT it is OUTPUT_SHARE times INPUT, as with most providers.
2. A TIER is TOKENS:FACTOR or TOKENS:FACTOR:FACTOR: a request with more input than TOKENS costs FACTOR times as much
   in total; its output costs the second FACTOR times as much, if given. No two tiers have the same TOKENS.
3. INPUT is more than 0, since all other prices, and the cost of a list, are shares of it.

Of a user's file of models only its own changes count (`OwnFacts`), since the commands have their own defaults.
"""

import os
from math import isfinite
from typing import Literal

import msgspec

from ctxmgr.known_models import ModelFacts, Registry, shipped
from ctxmgr.model import IMPLICIT, MARKS, PriceTier, TieredPrices
from ctxmgr.settings import models_file, token_count
from ctxmgr.study.observations import PriceSheet

OUTPUT_SHARE = 5
MAX_PRICE = 1_000_000.0  # dollars per million tokens: more is a mistake
PART_TOKENS = 1_000  # of an original that is fetched in part: about a hundred lines, as tools that read show them
MAX_TOKENS = 1_000_000_000
IDEAL, NONE = "ideal", "none"  # names of ways of caching
RULES = {"marks": MARKS, "host-marks": MARKS, "implicit": IMPLICIT}
HOSTS_OWN = "host-marks"


def prices(text: str) -> TieredPrices:
    """Raises ValueError if the text is no price sheet."""
    try:
        return _prices(text)
    except ValueError as fault:
        raise ValueError(f"no price sheet: {text}") from fault


def price_sheet(
    prices: TieredPrices | None,
    cache_ttl: float | None,
    overhead_tokens: int,
    cache: str = IDEAL,
    fetch: str = "whole",
) -> PriceSheet:
    """`cache_ttl` in seconds. None means the sheet's default. `cache`: the name of a way of caching. Without a
    cache all input has the price of input, and the sheet says so. `fetch`: what a re-fetch returns, the "whole"
    original or a "part".
    """
    marks: Literal["ours", "host"] = "host" if cache == HOSTS_OWN else "ours"
    part = PART_TOKENS if fetch == "part" else None
    sheet = PriceSheet(overhead_tokens=overhead_tokens, rule=RULES.get(cache), marks=marks, part_tokens=part)
    if prices is not None:
        sheet = msgspec.structs.replace(sheet, prices=prices)
    if cache == NONE:
        sheet = msgspec.structs.replace(sheet, prices=_uncached(sheet.prices))
    return sheet if cache_ttl is None else msgspec.structs.replace(sheet, ttl_ms=round(1000 * cache_ttl))


def _prices(text: str) -> TieredPrices:
    parts = text.split(",")
    numbers = [_number(part) for part in parts[:4] if ":" not in part]
    input, read, write, *more = numbers
    output = more[0] if more else OUTPUT_SHARE * input
    tiers = tuple(_tier(part, input, read, write, output) for part in parts[len(numbers) :])
    if not input or len({tier.above_tokens for tier in tiers}) < len(tiers):
        raise ValueError(text)
    return TieredPrices(input, output, read * input, write * input, tiers)


def _uncached(prices: TieredPrices) -> TieredPrices:
    tiers = (PriceTier(tier.above_tokens, tier.input, tier.output, tier.input, tier.input) for tier in prices.tiers)
    return TieredPrices(prices.input, prices.output, prices.input, prices.input, tuple(tiers))


def _tier(text: str, input: float, read: float, write: float, output: float) -> PriceTier:
    above, factor, *more = text.split(":")
    (of_output,) = more or (factor,)
    times = _number(factor) * input
    if token_count(above) > MAX_TOKENS:
        raise ValueError(text)
    return PriceTier(token_count(above), times, _number(of_output) * output, times * read, times * write)


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number) or not 0 <= number < MAX_PRICE:
        raise ValueError(text)
    return number


class OwnFacts(msgspec.Struct, frozen=True):
    """`path`: absolute, since a sidecar reads the file as well. Both are None without a file."""

    path: str | None = None
    registry: Registry | None = None

    def of(self, model: str) -> ModelFacts | None:
        """None if the file changes nothing about this model."""
        if self.registry is None:
            return None
        facts = self.registry.find(model)
        return None if facts == shipped().find(model) else facts


def own_facts(path: str | None) -> OwnFacts:
    """Raises SettingsFault, with the fault and its place in the file."""
    return OwnFacts(None if path is None else os.path.abspath(path), models_file(path))
