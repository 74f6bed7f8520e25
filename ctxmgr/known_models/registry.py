"""Turns a model's id into what is known of it.

Rules:
1. The row of that name holds, where it is the whole one (`naming`, rule 1). Where there is none, the row whose name
   is the longest beginning of the id's.
2. Where there is none either, the newest row of the family with the same words (`claude-opus-9`: the newest Opus);
   its window is at most the family's, for nobody knows.
3. Else what holds for the whole family, without prices. What is of no family, and like no row of none, is unknown.
4. All but a row of that very name is `matched` "family", and `why` says by what.
5. `[1m]` at an id's end is a window of a million, as Claude Code writes it, whatever is known of the rest.
6. Where reading a cache is told to cost what input does there is none, whatever rule a row names. Where nothing is
   told of it the rule holds, and reading costs the default (`READ`), or what input does where there is no cache.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from ctxmgr.known_models import naming
from ctxmgr.known_models.facts_file import CacheRow, FactsFile, FamilyRow, LongCache, ModelRow, filled, key, key_of
from ctxmgr.model import CacheRule, TieredPrices, media
from ctxmgr.model import prices as model_prices

UNKNOWN_TOKENS = 200_000  # most models of the last years take that, and those that take more lose nothing but size


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


MILLION_TOKENS = 1_000_000
BEHIND = "behind what is no provider's prefix"


class Registry:
    """Rows by name. `find` remembers nothing, and costs some 20 microseconds."""

    def __init__(self, facts: FactsFile) -> None:
        self.rows = {key(row): row for row in facts.models}
        self.families = {family.name: family for family in facts.families}
        self.caches = facts.caches
        self._family_of = {word.lower(): family for family in facts.families for word in family.ids}

    def find(self, model: str | None) -> ModelFacts:
        """Of a model's id, as a host or a request names it."""
        whole = (model or "").strip().lower()
        exact = self.rows.get(key_of(whole)) or self.rows.get(key_of(whole.rpartition("/")[2]))
        if exact is not None:
            return self._of_row(model or "", exact)
        facts = self._facts(model or "")
        return _of_a_million(facts) if whole.endswith(naming.MILLION) else facts

    def _facts(self, model: str) -> ModelFacts:
        """Of an id that is no row as it stands."""
        candidates = list(naming.names(model, tuple(self._family_of)))
        if not candidates and (facts := self._without_family(model)):
            return facts
        if not candidates:
            return ModelFacts(model, why="no name in it is that of a family" if model else "no model is named")
        word, name = next((candidate for candidate in candidates if "/" not in candidate[1]), candidates[0])
        row = next((self.rows[bare] for bare in naming.shorter(name) if bare in self.rows), None)
        is_whole = naming.is_whole(model, name)
        if row is not None and is_whole:
            return self._of_row(model, row)
        if row is not None:
            facts = self._of_row(model, row)
            return _guessed(facts, f"a part of the id is {row.id}, {BEHIND}")
        facts = self._of_family(model, name, self._family_of[word])
        begun = f"the id begins as {self.rows[facts.row].id} does" if facts.row else ""
        return facts if is_whole or facts.why != begun else _guessed(facts, f"a part of {begun}, {BEHIND}")

    def _without_family(self, model: str) -> ModelFacts | None:
        """By the rows of no family, which those of a file may be: by the same rules."""
        for name in naming.bare(model):
            row = next((self.rows[short] for short in naming.shorter(name) if short in self.rows), None)
            if row is not None:
                return self._of_row(model, row)
            begun = [row for known, row in self.rows.items() if not row.family and naming.begins(name, known)]
            if begun:
                row = max(begun, key=lambda row: len(row.id))
                return _guessed(self._of_row(model, row), f"the id begins as {row.id} does")
        return None

    def with_facts(self, more: FactsFile) -> "Registry":
        """One in which these rows go before: what they leave out is as this one knows it."""
        rows = [filled(row, self._base(row.id)) for row in more.models]
        families = {**self.families, **{family.name: family for family in more.families}}
        merged = {**self.rows, **{key(row): row for row in rows}}
        return Registry(FactsFile(tuple(merged.values()), tuple(families.values()), {**self.caches, **more.caches}))

    # within

    def _base(self, id: str) -> ModelRow:
        known = self.find(id)
        row = self.rows.get(known.row)
        if row is not None:
            return row
        return ModelRow(id, family=known.family or None)

    def _of_family(self, model: str, name: str, family: FamilyRow) -> ModelFacts:
        beginning = [row for known, row in self.rows.items() if naming.begins(name, known)]
        if beginning:
            row = max(beginning, key=lambda row: len(row.id))
            facts = self._of_row(model, row)
            return _guessed(facts, f"the id begins as {row.id} does")
        words, _ = naming.parts(name)
        alike = _alike(words, (row for row in self.rows.values() if row.family == family.name))
        if alike is not None:
            facts = self._of_row(model, alike)
            window = min(family.window, facts.window)
            why = f"{alike.id} is the newest of its kind that is known"
            return msgspec.structs.replace(
                facts, window=window, usual_window=min(window, facts.usual_window), matched="family", why=why
            )
        rule = self._rule(family.cache, None)
        why = f"all that is known is the family {family.name}"
        return ModelFacts(
            model,
            family=family.name,
            window=family.window,
            usual_window=family.window,
            cache=rule,
            media=media.family(model).name,
            vocabulary=family.vocabulary,
            source=family.source,
            date=family.date,
            matched="family",
            why=why,
        )

    def _of_row(self, model: str, row: ModelRow) -> ModelFacts:
        family = self.families.get(row.family or "")
        window = row.window or (family.window if family else ModelFacts().window)
        cache = self._cache(row, family)
        prices = row.prices.prices(1.0 if cache.kind == "none" else model_prices.READ) if row.prices else None
        usual = window
        if family is not None and family.stays_under_tier and prices is not None and prices.tiers:
            usual = min(window, prices.tiers[0].above_tokens)
        return ModelFacts(
            id=model,
            row=key(row),
            family=row.family or "",
            window=window,
            usual_window=usual,
            max_output_tokens=row.max_output_tokens,
            prices=prices,
            has_read_price=row.prices is not None and row.prices.cache_read is not None,
            batch=row.batch.prices(prices.cache_read / prices.input if prices else model_prices.READ)
            if row.batch
            else None,
            cache=cache,
            long_cache=row.long_cache,
            media=media.family(row.id).name,
            vocabulary=row.vocabulary or (family.vocabulary if family else ModelFacts().vocabulary),
            source=row.source or "",
            date=row.date or "",
            matched="model",
            why=f"{row.id} is known",
        )

    def _cache(self, row: ModelRow, family: FamilyRow | None) -> CacheRule:
        """Rule 6."""
        if row.prices is not None and (row.prices.cache_read or 0) >= row.prices.input:
            return self._rule("none", None)
        return self._rule(row.cache or (family.cache if family else ""), row.least_tokens)

    def _rule(self, cache: CacheRow | str, least_tokens: int | None) -> CacheRule:
        fact = self.caches.get(cache) if isinstance(cache, str) else cache
        return fact.rule(least_tokens) if fact is not None else CacheRule()


def _guessed(facts: ModelFacts, why: str) -> ModelFacts:
    """Rule 4."""
    return msgspec.structs.replace(facts, matched="family", why=why)


def _of_a_million(facts: ModelFacts) -> ModelFacts:
    """Rule 5."""
    window = max(facts.window, MILLION_TOKENS)
    return msgspec.structs.replace(facts, window=window, usual_window=max(facts.usual_window, MILLION_TOKENS))


def _alike(words: frozenset[str], rows: Iterable[ModelRow]) -> ModelRow | None:
    """Rule 2."""
    fitting = [(version, row) for row in rows for of, version in (naming.parts(key(row)),) if of == words]
    return max(fitting, key=lambda match: (match[0], match[1].id), default=((), None))[1]
