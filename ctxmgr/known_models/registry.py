"""Turns a model's id into what is known of it.

Rules:
1. The row of that name holds, where it is the whole one (below). Where there is none, the row whose name
   is the longest beginning of the id's.
2. Where there is none either, the newest row of the family with the same words (`claude-opus-9`: the newest Opus);
   its window is at most the family's, for nobody knows.
3. Else what holds for the whole family, without prices. What is of no family, and like no row of none, is unknown.
4. All but a row of that very name is `matched` "family", and `why` says by what.
5. `[1m]` at an id's end is a window of a million, as Claude Code writes it, whatever is known of the rest.
6. Where reading a cache is told to cost what input does there is none, whatever rule a row names. Where nothing is
   told of it the rule holds, and reading costs the default (`READ`), or what input does where there is no cache.

Turns a model's id, as hosts and requests write it, into the name that a row may have.

Rules:
1. What stands before the name is passed over. The name begins where a family's word does, behind no letter and no
   digit. It is the *whole* name where nothing stands before it but a path, which ends in `/`, and what providers
   put there: a cloud's, a region's, a maker's prefix. Else it is a part of another name: `acme-o3` is no o3.
2. Capitals mean nothing. In names of Claude a dot is a hyphen, for some write `claude-opus-4.5`.
3. A name's end may say what is no other model: a day (`-20250929`, `-2025-08-07`, `@20250929`, `-0613`), `-latest`,
   a cloud's version (`-v1:0`, `-1:0`), a gateway's variant (`:free`), and `[1m]`, a window of a million. A variant
   that is a size is one (`gpt-oss:20b` is `gpt-oss-20b`).
4. A name's *version* is the numbers in it, its *words* are the rest: those of `gemini-2.5-flash-lite` are "flash"
   and "lite". Models of one family and the same words are alike, whatever their version.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr.known_models.facts_file import CacheRow, FactsFile, FamilyRow, LongCache, ModelRow, filled, key, key_of
from ctxmgr.model import CacheRule, TieredPrices, expression, media
from ctxmgr.model import prices as model_prices

MILLION = "[1m]"
_ENDS = expression(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|\d{4}|\d\d-20\d\d|latest|default)|@[\w-]+|-v\d+(?::\d+)?|-\d+:\d+|:[\w-]+|\[1m\])$"
)
_SIZED = expression(r"(.+):(\d+b)")
_REGIONS = r"(?:us-gov|us|eu|apac|ap|global|au|jp|ca|sa|me|af|uk|in)\."  # of Bedrock's profiles
_MAKERS = r"(?:anthropic|openai|google|mistral|deepseek|qwen|moonshotai|moonshot|minimax|zai|xai)[.]"  # in clouds
_HYPHENED = r"(?:databricks|fw|openai|anthropic|google|zai|xai)-"  # Databricks, Fireworks on Azure, DigitalOcean
_CLIENTS = (  # as clients of many providers name one: LangChain, Pydantic AI, LiteLLM, agents
    r"(?:anthropic|openai(?:-chat|-responses)?|azure(?:_openai|_ai)?|google(?:-gla|-vertex|_genai|_vertexai)?"
    r"|vertex(?:_ai|ai)?|bedrock(?:_converse)?|openrouter|groq|mistral(?:ai)?|deepseek|moonshot(?:ai)?|minimax|zai|xai"
    r"|fireworks(?:_ai)?|together(?:_ai)?|github(?:_copilot)?|copilot|cerebras|ollama|huggingface|gateway):"
)
_PREFIX = expression(rf"(?:{_CLIENTS})*(?:{_REGIONS})?(?:{_MAKERS}|system\.ai\.)?(?:{_HYPHENED})?")
_SIZE = expression(r"(?<![a-z\d])a?\d+[bk](?![a-z\d])")  # `120b`, `a3b`, `128k`: neither a version nor a word
_PARTS = expression(r"[a-z]+|\d+(?:\.\d+)?")
_NO_WORDS = frozenset({"preview", "latest", "exp", "v"})
_ANOTHER = expression(r"[a-z0-9]|\.\d|-\d{1,2}(?:$|[-.@:\[])")  # behind a row's name: another version of it


def names(model: str, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(the family's word, the name from there on), each that the id may have, by rules 1 and 2."""
    text = model.strip().lower()
    for match in _words_of(tuple(ids)).finditer(text):
        name = text[match.start() :]
        yield match[0], name.replace(".", "-") if match[0] == "claude" else name


def bare(model: str) -> Iterator[str]:
    """What stands behind a path, as it is and without a provider's prefix: of an id without a family's word."""
    text = model.strip().lower().rpartition("/")[2]
    yield text
    if (match := _PREFIX.match(text)) and match[0]:
        yield text[match.end() :]


def is_whole(model: str, name: str) -> bool:
    """Whether one of its `names` is the whole name, by rule 1."""
    text = model.strip().lower()
    before = text[: len(text) - len(name)].rpartition("/")[2]
    return _PREFIX.fullmatch(before) is not None


def shorter(name: str) -> Iterator[str]:
    """The name, and what is left of it with each end that rule 3 takes away."""
    yield name
    if sized := _SIZED.fullmatch(name):
        yield f"{sized[1]}-{sized[2]}"
    while (match := _ENDS.search(name)) and match.start():
        name = name[: match.start()]
        yield name


def begins(name: str, row: str) -> bool:
    """Whether the name is the row's, with something behind it that is no other version."""
    return name.startswith(row) and not _ANOTHER.match(name[len(row) :])


@lru_cache(maxsize=1024)
def parts(name: str) -> tuple[frozenset[str], tuple[float, ...]]:
    """Its words and its version, by rule 4. `4.20` is `4.2`, and before `4.7`."""
    *_, bare = shorter(name)
    tokens = _PARTS.findall(_SIZE.sub("", bare))
    words = frozenset(token for token in tokens if token.isalpha() and token not in _NO_WORDS)
    return words, tuple(float(token) for token in tokens if not token.isalpha())


@lru_cache(maxsize=8)
def _words_of(ids: tuple[str, ...]) -> re.Pattern[str]:
    """A word that ends in a digit, as that of o3, stands alone; any other has something behind it."""
    ordered = sorted(ids, key=len, reverse=True)
    alone = [re.escape(id) for id in ordered if id[-1].isdigit()] or ["(?!)"]
    others = [re.escape(id) for id in ordered if not id[-1].isdigit()] or ["(?!)"]
    return re.compile(rf"(?<![a-z0-9])(?:(?:{'|'.join(alone)})(?=[-@:\[]|$)|(?:{'|'.join(others)})(?=[-\d:@]))")


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
        return _of_a_million(facts) if whole.endswith(MILLION) else facts

    def _facts(self, model: str) -> ModelFacts:
        """Of an id that is no row as it stands."""
        candidates = list(names(model, tuple(self._family_of)))
        if not candidates and (facts := self._without_family(model)):
            return facts
        if not candidates:
            return ModelFacts(model, why="no name in it is that of a family" if model else "no model is named")
        word, name = next((candidate for candidate in candidates if "/" not in candidate[1]), candidates[0])
        row = next((self.rows[bare] for bare in shorter(name) if bare in self.rows), None)
        whole_name = is_whole(model, name)
        if row is not None and whole_name:
            return self._of_row(model, row)
        if row is not None:
            facts = self._of_row(model, row)
            return _guessed(facts, f"a part of the id is {row.id}, {BEHIND}")
        facts = self._of_family(model, name, self._family_of[word])
        begun = f"the id begins as {self.rows[facts.row].id} does" if facts.row else ""
        return facts if whole_name or facts.why != begun else _guessed(facts, f"a part of {begun}, {BEHIND}")

    def _without_family(self, model: str) -> ModelFacts | None:
        """By the rows of no family, which those of a file may be: by the same rules."""
        for name in bare(model):
            row = next((self.rows[short] for short in shorter(name) if short in self.rows), None)
            if row is not None:
                return self._of_row(model, row)
            begun = [row for known, row in self.rows.items() if not row.family and begins(name, known)]
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
        beginning = [row for known, row in self.rows.items() if begins(name, known)]
        if beginning:
            row = max(beginning, key=lambda row: len(row.id))
            facts = self._of_row(model, row)
            return _guessed(facts, f"the id begins as {row.id} does")
        words, _ = parts(name)
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
    fitting = [(version, row) for row in rows for of, version in (parts(key(row)),) if of == words]
    return max(fitting, key=lambda match: (match[0], match[1].id), default=((), None))[1]
