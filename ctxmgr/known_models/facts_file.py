"""The format of a file of facts: camelCase, dollars per million tokens, tokens, milliseconds.

The shipped file and a user's file have the same format. A user's row may be partial: what it omits stays unchanged.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxmgr.model import CacheKind, CacheRule, PriceTier, TieredPrices
from ctxmgr.model import prices as model_prices

Tokens = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Dollars = Annotated[float, Meta(ge=0, le=1_000_000)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Id = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Word = Annotated[str, Meta(max_length=200, pattern=r"^[A-Za-z0-9._-]*[A-Za-z][A-Za-z0-9._-]*$")]
Day = Annotated[str, Meta(pattern=r"^(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))?$")]
Vocabulary = Literal["o200k_base", "cl100k_base"]  # the vocabularies that `devices/tokens` reads
OWN_SOURCE = "a file of your own"


class FileMember(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """Base of everything in the file."""


class TierRow(FileMember, frozen=True):
    """A None price is the plain price times the ratio of the input prices."""

    above_tokens: Tokens
    input: Dollars
    output: Dollars | None = None
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None


class PricesRow(FileMember, frozen=True):
    """`cache_write` None: the price of input. `cache_read` None: unknown."""

    input: Annotated[float, Meta(gt=0, le=1_000_000)]
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None
    tiers: tuple[TierRow, ...] = ()

    def prices(self, read_share: float = model_prices.READ) -> TieredPrices:
        """`read_share`: the price of a cache read as a share of input, if it is unknown."""
        read = round(read_share * self.input, 6) if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        plain = TieredPrices(self.input, self.output, read, write)
        tiers = sorted(self.tiers, key=lambda tier: tier.above_tokens)
        return msgspec.structs.replace(plain, tiers=tuple(_tier(tier, plain) for tier in tiers))


class CacheRow(FileMember, frozen=True):
    """A `CacheRule` with its source."""

    kind: CacheKind
    most_marks: Annotated[int, Meta(ge=0, le=1_000)] = 0
    look_back_blocks: Annotated[int, Meta(ge=0)] = 0
    least_tokens: Annotated[int, Meta(ge=0)] = 0
    step_tokens: Tokens = 1
    lifetime_ms: Annotated[int, Meta(ge=0)] = CacheRule().lifetime_ms
    renews: bool = True
    note: str = ""
    source: str = ""
    date: Day = ""

    def rule(self, least_tokens: int | None = None) -> CacheRule:
        least = self.least_tokens if least_tokens is None else least_tokens
        sizes = self.most_marks, self.look_back_blocks, least, self.step_tokens
        return CacheRule(self.kind, *sizes, self.lifetime_ms, self.renews)


class LongCache(FileMember, frozen=True):
    """The price for keeping a prefix longer: for at least `lifetime_ms`, at `cache_write` dollars per million
    tokens, in requests below all tiers.
    """

    lifetime_ms: Annotated[int, Meta(ge=1)]
    cache_write: Annotated[float, Meta(gt=0, le=1_000_000)]


class FamilyRow(FileMember, frozen=True):
    """`ids`: prefixes of its models' names. `window`, `cache` and `vocabulary`: for a model that resembles no row.
    `stays_under_tier`: programs stay below the first tier, although longer requests are accepted. `source` and
    `date`: of the window.
    """

    name: Name
    ids: Annotated[tuple[Word, ...], Meta(min_length=1)]
    window: Tokens
    cache: Name
    vocabulary: Vocabulary = "o200k_base"
    stays_under_tier: bool = False
    source: str = ""
    date: Day = ""


class ModelRow(FileMember, frozen=True):
    """One model. `cache`: the name of a cache rule, or a rule of its own. `least_tokens`: overrides the rule's."""

    id: Id
    family: str | None = None
    window: Tokens | None = None
    max_output_tokens: Tokens | None = None
    prices: PricesRow | None = None
    batch: PricesRow | None = None
    cache: CacheRow | str | None = None
    least_tokens: Annotated[int, Meta(ge=0)] | None = None
    long_cache: LongCache | None = None
    vocabulary: Vocabulary | None = None
    source: str | None = None
    date: Day | None = None


class FactsFile(FileMember, frozen=True):
    """A whole file."""

    models: tuple[ModelRow, ...] = ()
    families: tuple[FamilyRow, ...] = ()
    caches: dict[str, CacheRow] = {}


def filled(row: ModelRow, base: ModelRow) -> ModelRow:
    """The row, completed from `base`. If it sets its own prices, the base's batch prices are dropped, and the write
    price of the longer cache lifetime changes in proportion to the input price. If it names no source, the source
    says which members come from the user.
    """
    given = {name: value for name in ModelRow.__struct_fields__ if (value := getattr(row, name)) is not None}
    if row.prices is not None:
        given = {"batch": None, "long_cache": _long_at(row.prices, base)} | given
    if row.source is None:
        given["source"] = _source(row, base)
    return msgspec.structs.replace(base, **given)


def _source(row: ModelRow, base: ModelRow) -> str:
    if not base.source:
        return OWN_SOURCE
    fields = [name for name in row.__struct_fields__ if name != "id" and getattr(row, name) is not None]
    members = ", ".join(row.__struct_encode_fields__[row.__struct_fields__.index(name)] for name in fields)
    before = base.source if key(base) == key(row) else f"as {base.id}: {base.source}"
    return f"{before}; {members}: {OWN_SOURCE}" if members else before


def key(row: ModelRow) -> str:
    """The name by which the row is found."""
    return key_of(row.id)


def key_of(id: str) -> str:
    """In lower case; in names of Claude with hyphens for dots."""
    name = id.strip().lower()
    return name.replace(".", "-") if name.startswith("claude") else name


def _long_at(prices: PricesRow, base: ModelRow) -> LongCache | None:
    """The longer cache lifetime of `base` at other prices: its write price changes in proportion to the input
    price.
    """
    if base.long_cache is None or base.prices is None:
        return base.long_cache
    times = prices.input / base.prices.input
    return LongCache(base.long_cache.lifetime_ms, times * base.long_cache.cache_write)


def _tier(row: TierRow, plain: TieredPrices) -> PriceTier:
    def price(given: float | None, below: float) -> float:
        return round(row.input / plain.input * below, 6) if given is None else given

    return PriceTier(
        row.above_tokens,
        row.input,
        price(row.output, plain.output),
        price(row.cache_read, plain.cache_read),
        price(row.cache_write, plain.cache_write),
    )
