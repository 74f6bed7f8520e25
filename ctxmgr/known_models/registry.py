"""Turns a model's id, as hosts and requests write it, into what is known of it.

Rules:
1. The row of that name applies if it is the whole name (rule 7). Otherwise the row applies whose name is the
   longest prefix of the id's.
2. Without such a row, the newest row of the family with the same words applies (`claude-opus-9`: the newest Opus).
   Its window is at most the family's, to be safe.
3. Otherwise the facts of the family apply, without prices. A model of no family, and like no row without one, is
   unknown.
4. `matched` is "family" unless a row with that exact name applies; `why` says how it was found.
5. `[1m]` at the end of an id means a window of a million tokens, as Claude Code writes it, whatever else is known.
6. If a cache read costs as much as input, there is no cache, whatever rule a row names. If its price is unknown,
   the rule applies, and a read costs the default (`READ`), or the price of input without a cache.

The name in an id, which a row may have:

7. What precedes the name is skipped. The name begins at a family's word that follows neither a letter nor a digit.
   It is the *whole* name if only a path ending in `/` and known prefixes precede it: a cloud's, a region's, a
   maker's. Otherwise it is part of another name: `acme-o3` is no o3.
8. Case does not matter. In names of Claude a dot equals a hyphen, since some write `claude-opus-4.5`.
9. The end of a name may say something that makes it no other model: a day (`-20250929`, `-2025-08-07`, `@20250929`,
   `-0613`), `-latest`, a cloud's version (`-v1:0`, `-1:0`), a gateway's variant (`:free`), and `[1m]`, a window of
   a million. A variant that is a size does make another model (`gpt-oss:20b` is `gpt-oss-20b`).
10. A name's *version* is the numbers in it, its *words* are the rest: those of `gemini-2.5-flash-lite` are "flash"
    and "lite". Models of one family with the same words are alike, whatever their version.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr.known_models.facts_file import CacheRow, FactsFile, FamilyRow, LongCache, ModelRow, filled, key, key_of
from ctxmgr.model import CacheRule, TieredPrices, expression, media
from ctxmgr.model import prices as model_prices

_ENDS = expression(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|\d{4}|\d\d-20\d\d|latest|default)|@[\w-]+|-v\d+(?::\d+)?|-\d+:\d+|:[\w-]+|\[1m\])$"
)
_SIZED = expression(r"(.+):(\d+b)")
_REGIONS = r"(?:us-gov|us|eu|apac|ap|global|au|jp|ca|sa|me|af|uk|in)\."  # prefixes of Bedrock's profiles
# prefixes in clouds
_MAKERS = r"(?:anthropic|openai|google|mistral|deepseek|qwen|moonshotai|moonshot|minimax|zai|xai)[.]"
_HYPHENED = r"(?:databricks|fw|openai|anthropic|google|zai|xai)-"  # Databricks, Fireworks on Azure, DigitalOcean
_CLIENTS = (  # prefixes by which clients name a provider: LangChain, Pydantic AI, LiteLLM, agents
    r"(?:anthropic|openai(?:-chat|-responses)?|azure(?:_openai|_ai)?|google(?:-gla|-vertex|_genai|_vertexai)?"
    r"|vertex(?:_ai|ai)?|bedrock(?:_converse)?|openrouter|groq|mistral(?:ai)?|deepseek|moonshot(?:ai)?|minimax|zai|xai"
    r"|fireworks(?:_ai)?|together(?:_ai)?|github(?:_copilot)?|copilot|cerebras|ollama|huggingface|gateway):"
)
_PREFIX = expression(rf"(?:{_CLIENTS})*(?:{_REGIONS})?(?:{_MAKERS}|system\.ai\.)?(?:{_HYPHENED})?")
_SIZE = expression(r"(?<![a-z\d])a?\d+[bk](?![a-z\d])")  # `120b`, `a3b`, `128k`: neither a version nor a word
_PARTS = expression(r"[a-z]+|\d+(?:\.\d+)?")
_NO_WORDS = frozenset({"preview", "latest", "exp", "v"})
_ANOTHER = expression(r"[a-z0-9]|\.\d|-\d{1,2}(?:$|[-.@:\[])")  # after a row's name: another version of it


def family_names(model: str, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Candidates by rules 7 and 8: (the family's word, the name from there on)."""
    text = model.strip().lower()
    for match in _words_of(tuple(ids)).finditer(text):
        name = text[match.start() :]
        yield match[0], name.replace(".", "-") if match[0] == "claude" else name


def bare(model: str) -> Iterator[str]:
    """For an id without a family's word: its last path segment, also without a provider's prefix."""
    text = model.strip().lower().rpartition("/")[2]
    yield text
    if (match := _PREFIX.match(text)) and match[0]:
        yield text[match.end() :]


def is_whole(model: str, name: str) -> bool:
    """Whether this result of `family_names` is the whole name (rule 7)."""
    text = model.strip().lower()
    before = text[: len(text) - len(name)].rpartition("/")[2]
    return _PREFIX.fullmatch(before) is not None


def shorter(name: str) -> Iterator[str]:
    """The name, and what remains after removing each end of rule 9."""
    yield name
    if sized := _SIZED.fullmatch(name):
        yield f"{sized[1]}-{sized[2]}"
    while (match := _ENDS.search(name)) and match.start():
        name = name[: match.start()]
        yield name


def begins(name: str, row: str) -> bool:
    """Whether the name is the row's name followed by something that is no other version."""
    return name.startswith(row) and not _ANOTHER.match(name[len(row) :])


@lru_cache(maxsize=1024)
def parts(name: str) -> tuple[frozenset[str], tuple[float, ...]]:
    """A name's words and version (rule 10). `4.20` equals `4.2`, and precedes `4.7`."""
    *_, bare = shorter(name)
    tokens = _PARTS.findall(_SIZE.sub("", bare))
    words = frozenset(token for token in tokens if token.isalpha() and token not in _NO_WORDS)
    return words, tuple(float(token) for token in tokens if not token.isalpha())


@lru_cache(maxsize=8)
def _words_of(ids: tuple[str, ...]) -> re.Pattern[str]:
    """Matches the words of families. A word that ends in a digit, such as o3, stands alone; any other is followed
    by something.
    """
    ordered = sorted(ids, key=len, reverse=True)
    alone = [re.escape(id) for id in ordered if id[-1].isdigit()] or ["(?!)"]
    others = [re.escape(id) for id in ordered if not id[-1].isdigit()] or ["(?!)"]
    return re.compile(rf"(?<![a-z0-9])(?:(?:{'|'.join(alone)})(?=[-@:\[]|$)|(?:{'|'.join(others)})(?=[-\d:@]))")


MILLION = "[1m]"
UNKNOWN_TOKENS = 200_000  # most models of recent years accept this many; one that accepts more only loses room


class ModelFacts(msgspec.Struct, frozen=True):
    """`id`: as requested. `row`: the name of the row that supplied the facts, "" if none did.

    `window` and `max_output_tokens` in tokens. `usual_window`: what programs use, less than the window if longer
    requests cost more. `prices`: None if unknown. `has_read_price`: the price of a cache read is known; otherwise
    it is the default, or the input price without a cache. `batch`: prices of requests that may wait. `media`: the
    rules for the tokens of pictures (`model/media`). `vocabulary`: its own, or the nearest that ctxmgr has. `date`:
    when the `source` was read. `matched`: whether the facts are of the model itself, of its family, or of neither;
    `why`: the same in words.
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
    why: str = "the model is not known"


MILLION_TOKENS = 1_000_000
BEHIND = "after an unknown prefix"


class Registry:
    """Rows by name. `find` caches nothing, and takes about 20 microseconds."""

    def __init__(self, facts: FactsFile) -> None:
        self.rows = {key(row): row for row in facts.models}
        self.families = {family.name: family for family in facts.families}
        self.caches = facts.caches
        self._family_of = {word.lower(): family for family in facts.families for word in family.ids}

    def find(self, model: str | None) -> ModelFacts:
        """The facts about a model's id, as a host or a request names it."""
        whole = (model or "").strip().lower()
        exact = self.rows.get(key_of(whole)) or self.rows.get(key_of(whole.rpartition("/")[2]))
        if exact is not None:
            return self._of_row(model or "", exact)
        facts = self._facts(model or "")
        return _of_a_million(facts) if whole.endswith(MILLION) else facts

    def _facts(self, model: str) -> ModelFacts:
        """The facts about an id that is not exactly a row's name."""
        candidates = list(family_names(model, tuple(self._family_of)))
        if not candidates and (facts := self._without_family(model)):
            return facts
        if not candidates:
            return ModelFacts(model, why="no known family in its name" if model else "no model is named")
        word, name = next((candidate for candidate in candidates if "/" not in candidate[1]), candidates[0])
        row = next((self.rows[bare] for bare in shorter(name) if bare in self.rows), None)
        whole_name = is_whole(model, name)
        if row is not None and whole_name:
            return self._of_row(model, row)
        if row is not None:
            facts = self._of_row(model, row)
            return _guessed(facts, f"part of the id is {row.id}, {BEHIND}")
        facts = self._of_family(model, name, self._family_of[word])
        begun = f"its id begins like {self.rows[facts.row].id}" if facts.row else ""
        return facts if whole_name or facts.why != begun else _guessed(facts, f"part of {begun}, {BEHIND}")

    def _without_family(self, model: str) -> ModelFacts | None:
        """The facts of a row without a family, such as one in a user's file, by the same rules."""
        for name in bare(model):
            row = next((self.rows[short] for short in shorter(name) if short in self.rows), None)
            if row is not None:
                return self._of_row(model, row)
            begun = [row for known, row in self.rows.items() if not row.family and begins(name, known)]
            if begun:
                row = max(begun, key=lambda row: len(row.id))
                return _guessed(self._of_row(model, row), f"its id begins like {row.id}")
        return None

    def with_facts(self, more: FactsFile) -> "Registry":
        """A registry in which these rows override its own; what they omit stays unchanged."""
        rows = [filled(row, self._base(row.id)) for row in more.models]
        families = {**self.families, **{family.name: family for family in more.families}}
        merged = {**self.rows, **{key(row): row for row in rows}}
        return Registry(FactsFile(tuple(merged.values()), tuple(families.values()), {**self.caches, **more.caches}))

    # internals

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
            return _guessed(facts, f"its id begins like {row.id}")
        words, _ = parts(name)
        alike = _alike(words, (row for row in self.rows.values() if row.family == family.name))
        if alike is not None:
            facts = self._of_row(model, alike)
            window = min(family.window, facts.window)
            why = f"{alike.id} is the newest known model of its kind"
            return msgspec.structs.replace(
                facts, window=window, usual_window=min(window, facts.usual_window), matched="family", why=why
            )
        rule = self._rule(family.cache, None)
        why = f"only its family, {family.name}, is known"
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
