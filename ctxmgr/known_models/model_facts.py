"""What is known of one model, and how it was found."""

from typing import Literal

import msgspec

from ctxmgr.model import CacheRule, TieredPrices

UNKNOWN_TOKENS = 200_000  # most models of the last years take that, and those that take more lose nothing but size


class LongCache(msgspec.Struct, frozen=True, rename="camel"):
    """What a provider asks to keep a start for longer: at least `lifetime_ms`, at `cache_write` dollars a million
    tokens, in requests that pay no tier."""

    lifetime_ms: int
    cache_write: float


class ModelFacts(msgspec.Struct, frozen=True):
    """`id` as it was asked for, `row` the name of the row that says it ("" where none does).

    `window` and `max_output_tokens` in tokens; `usual_window`: that programs work with, less than the window where
    longer requests cost more. `prices`: None where none are known; `has_read_price`: that of reading the cache is,
    else it is the default, or the input's where there is none. `batch`: of requests that may wait. `media`: by
    which rules pictures weigh (`model/media`); `vocabulary`: its own, or the nearest of ours. `date`: when the
    `source` was read. `matched`: of the model itself, of one of its family, or of none; `why` in words.
    """

    id: str = ""
    row: str = ""
    family: str = ""
    window: int = UNKNOWN_TOKENS
    usual_window: int = UNKNOWN_TOKENS
    max_output_tokens: int | None = None
    prices: TieredPrices | None = None
    has_read_price: bool = False
    batch: TieredPrices | None = None
    cache: CacheRule = CacheRule()
    long_cache: LongCache | None = None
    media: str = ""
    vocabulary: str = "o200k_base"
    source: str = ""
    date: str = ""
    matched: Literal["model", "family", "unknown"] = "unknown"
    why: str = "no family of that name is known"
