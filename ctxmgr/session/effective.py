"""Turns what a host says of its model, what the policy says, what is known of it and what calls taught into what
holds: prices, cache, window, policy.

Rules:
1. A host's own word goes before the policy's, and that before what is known. A price of 0 is no word.
2. Where a host or the policy keeps a start as long as the provider does only for a dearer write, that price holds,
   also where the usual one was told (`known_models.long_life`).
3. Who tells a price of reading from a cache, or how long one lives, has one, whatever is known; but none where
   reading costs what input does. Where nobody tells a price of reading, it costs the default. Of an unknown model
   what is dearer to write than to send is marked.
4. Of each it is told who said it.
5. Prices that were told in part are completed by those of the very model, and have tiers (`known_models.tiers`).
6. Where a host says that its calls may wait, what is known of prices is what is known of a batch's, if anything is.
7. That there is no cache is taken back once the provider has told that it read something: the rule that is known
   holds, else the default, and so does a price of reading that nobody told.
8. A refusal as too long may teach a smaller window. It holds for the model's id while the host says the same window
   of it. So may a refusal of a list that fits by our count.
"""

from typing import Any, NamedTuple

import msgspec

from ctxmgr.engine.caching import LifetimeInForce, in_force
from ctxmgr.engine.presets import KEY_PRESETS, PRESETS
from ctxmgr.engine.pressure import ModelTerms, meter
from ctxmgr.formats import STRICT_MODELS
from ctxmgr.known_models import (
    ModelFacts,
    Registry,
    completed,
    is_long,
    itself,
    long_prices,
    with_long_write,
    with_tiers,
)
from ctxmgr.model import MARKS, NO_CACHE, BasePrices, CacheRule, Policy, PriceTier, TieredPrices, policy_keys
from ctxmgr.model import prices as model_prices
from ctxmgr.model.api.lifecycle import SaidBy
from ctxmgr.model.saved import ModelSpec, State

SAID = ("host", "policy")


class ModelInUse(msgspec.Struct, frozen=True):
    """`facts`: what is known of the model, and how that was found. `*_by`: who said it."""

    terms: ModelTerms
    max_output_tokens: int | None
    facts: ModelFacts
    prices_by: SaidBy = "default"
    cache_by: SaidBy = "default"
    lifetime_by: SaidBy = "default"
    output_by: SaidBy = "default"

    def lifetime(self, state: State) -> LifetimeInForce:
        """How long the provider keeps a start, and who says so, with what was learned of it."""
        cache = self.unlearned_terms(state).cache
        return in_force(state, cache.lifetime_ms if self.lifetime_by == "policy" else None, cache)

    def documented_ms(self, state: State) -> int:
        """For how long the provider promises to keep a start."""
        return self._rule.lifetime_ms if self.overrules_none(state) else self.facts.cache.lifetime_ms

    def terms_by(self, state: State) -> ModelTerms:
        """What the model's calls cost and how they are cached, by what was learned where nobody says."""
        lifetime, terms = self.lifetime(state), self.unlearned_terms(state)
        if lifetime.source != "learned":
            return terms
        return _cached(terms, msgspec.structs.replace(terms.cache, lifetime_ms=lifetime.lifetime_ms))

    def unlearned_terms(self, state: State) -> ModelTerms:
        """Without what was learned of the lifetime."""
        if not self.overrules_none(state):
            return self.terms
        rule = self._rule
        if self.lifetime_by in SAID:
            rule = msgspec.structs.replace(rule, lifetime_ms=self.terms.cache.lifetime_ms)
        return ModelTerms(_read_at(self.terms.prices, self.prices_by, self.facts), rule)

    def cache_and_lifetime_by(self, state: State) -> tuple[SaidBy, SaidBy]:
        """Who says how the provider caches, and how long a start lives: who tells prices that leave no cache says
        both, until a read shows one. Of a model that is known to have none nobody does then."""
        overrules = self.overrules_none(state)
        by: SaidBy = "default" if self.facts.cache.kind == "none" else _by(self.facts)
        if not overrules:
            by = self.cache_by
        is_theirs = self.lifetime_by in SAID or not (overrules or by in SAID)
        return by, self.lifetime_by if is_theirs else by

    def overrules_none(self, state: State) -> bool:
        """Rule 7."""
        return self.terms.cache.kind == "none" and state.cache.has_cache(self.facts.id)

    # within

    @property
    def _rule(self) -> CacheRule:
        return CacheRule() if self.facts.cache.kind == "none" else self.facts.cache


def in_use(spec: ModelSpec, policy: Policy, models: Registry) -> ModelInUse:
    facts = models.find(spec.id)
    by = _by(facts)
    lifetime, lifetime_by = _lifetime(spec, policy, facts)
    prices, prices_by = _prices(spec, policy, facts, lifetime)
    given = model_prices.in_force(spec.prices, policy.prices) if prices_by in SAID else None
    cache = _cache(facts, given)
    cache_by: SaidBy = prices_by if cache is NO_CACHE else by
    is_said = (given is not None and given.cache_read) or (lifetime_by in SAID and lifetime)
    if cache.kind == "none" and cache is not NO_CACHE and is_said:
        cache, cache_by, prices = CacheRule(), "default", _read_at(prices, prices_by, facts)  # rule 3
        if lifetime_by not in SAID:
            lifetime, lifetime_by = cache.lifetime_ms, "default"
    output = spec.max_output_tokens if spec.max_output_tokens is not None else facts.max_output_tokens
    return ModelInUse(
        ModelTerms(prices, msgspec.structs.replace(cache, lifetime_ms=lifetime)),
        output,
        facts,
        prices_by,
        cache_by,
        lifetime_by,
        "host" if spec.max_output_tokens is not None else by if output is not None else "default",
    )


def _cache(facts: ModelFacts, prices: BasePrices | None) -> CacheRule:
    """Rule 3, as prices show it."""
    if prices is None or not (prices.input or 0) > 0:
        return facts.cache
    if (prices.cache_read or 0) >= (prices.input or 0):
        return NO_CACHE
    dearer = (prices.cache_write or 0) > (prices.input or 0)
    return MARKS if dearer and facts.matched == "unknown" else facts.cache


def _cached(terms: ModelTerms, cache: CacheRule) -> ModelTerms:
    return msgspec.structs.replace(terms, cache=cache)


def _read_at(prices: BasePrices | None, by: SaidBy, facts: ModelFacts) -> BasePrices | None:
    """Rules 3 and 7: where nobody tells what reading costs the default, of each tier."""
    if by in SAID or facts.has_read_price or not isinstance(prices, TieredPrices):
        return prices
    tiers = tuple(msgspec.structs.replace(tier, cache_read=_default_read(tier)) for tier in prices.tiers)
    return msgspec.structs.replace(prices, cache_read=_default_read(prices), tiers=tiers)


def _default_read(tier: TieredPrices | PriceTier) -> float:
    return round(model_prices.READ * tier.input, 6)


def _by(facts: ModelFacts) -> SaidBy:
    return {"model": "registry", "family": "family"}.get(facts.matched, "default")  # type: ignore[return-value]


def _lifetime(spec: ModelSpec, policy: Policy, facts: ModelFacts) -> tuple[int, SaidBy]:
    if spec.cache_ttl_ms is not None:
        return spec.cache_ttl_ms, "host"
    if policy.cache_ttl_ms is not None:
        return policy.cache_ttl_ms, "policy"
    return facts.cache.lifetime_ms, _by(facts)


def _prices(spec: ModelSpec, policy: Policy, facts: ModelFacts, lifetime: int) -> tuple[BasePrices | None, SaidBy]:
    """Rules 1, 2, 5 and 6."""
    given = model_prices.in_force(spec.prices, policy.prices)
    known, longer = facts.prices, facts.long_cache if is_long(facts, lifetime) else None
    if given is not None and (given is policy.prices or (given.input or 0) > 0):
        held = with_tiers(completed(given, facts, spec.batch), itself(facts, spec.batch))
        if known is not None and longer is not None:
            held = with_long_write(held, known, longer.cache_write)
        return held, "host" if given is spec.prices else "policy"
    if known is None:
        return spec.prices, "default"
    held = facts.batch if spec.batch and facts.batch is not None else known
    if longer is not None:
        held = long_prices(held, longer.cache_write / known.input * held.input)
    return held, _by(facts)


class PolicyInForce(NamedTuple):
    """`overrides` that fit, the paths of those `set_aside`, and what is to be said of keys that do nothing."""

    overrides: dict[str, Any]
    set_aside: tuple[str, ...]
    policy: Policy
    idle_keys: tuple[str, ...]


def policy_in_force(defaults: dict[str, Any], state: State) -> PolicyInForce:
    """`defaults`: of the host; what a session has of its own is in its state."""
    overrides, set_aside = policy_keys.fitting(defaults, state.overrides, state.model.id)
    keys = policy_keys.merged(defaults, overrides)
    policy = policy_keys.policy(keys, state.model.id)
    preset = PRESETS[policy.preset]
    given = {*keys, *keys.get("models", {}).get(state.model.id, {})}
    idle = sorted(key for key in given if key in KEY_PRESETS and key not in preset.policy_keys)
    notes = tuple(f"the policy key {key} does nothing in preset {preset.name}" for key in idle)
    return PolicyInForce(overrides, set_aside, policy, notes)


MODELS_AT_MOST = 32  # whose window was learnt
LEAST_TOKENS = 1_000  # of a list that can be refused for its own length


def window_of(state: State) -> int:
    """In tokens, of the model in use."""
    model = state.model
    declared, taken = state.windows.get(model.id, (model.window, model.window))
    return taken if declared == model.window else model.window


def with_window(state: State, taken: int) -> State:
    """The model in use takes so many tokens."""
    if taken == window_of(state):
        return state
    model = state.model
    windows = {id: window for id, window in state.windows.items() if id != model.id}
    if taken < model.window:
        windows[model.id] = model.window, taken
    return msgspec.structs.replace(state, windows=dict(list(windows.items())[-MODELS_AT_MOST:]))


def has_strict_roles(state: State) -> bool:
    """Whether users and the assistant must take turns: as the host says, else as a refusal taught or the model's
    name tells."""
    model = state.model
    if model.strict_roles is not None:
        return model.strict_roles
    return model.id in state.strict_models or STRICT_MODELS.search(model.id) is not None


def with_strict_roles(state: State) -> State:
    """The model in use refused a list because users and the assistant did not take turns in it."""
    if state.model.id in state.strict_models:
        return state
    return msgspec.structs.replace(state, strict_models=(*state.strict_models, state.model.id)[-MODELS_AT_MOST:])


def of_another_model(state: State) -> State:
    """What was counted and refused was by the model before, and so was what did not fit its window."""
    stay = {
        key: decision for key, decision in state.decisions.items() if decision.kind != "cut" and not decision.to_fit
    }
    decisions = stay if len(stay) < len(state.decisions) else state.decisions
    return msgspec.structs.replace(
        state, decisions=decisions, meter=meter.void(state.meter), unseen=0, refused_weight=0
    )


def with_refusal(state: State, fit_weight: float) -> State:
    """The provider refused the last list as too long. `fit_weight`: of the largest list that fits by our count, in
    tokens; where the last is no larger, that count is wrong. A short one was not refused for its length."""
    last = state.last_projection
    if last is None or not LEAST_TOKENS <= last.weight <= fit_weight:
        return state
    return msgspec.structs.replace(state, refused_weight=last.weight)


def with_success(state: State, counted: bool) -> State:
    """The provider took the last list. `counted`: and said how long it is."""
    last, refused = state.last_projection, state.refused_weight
    if not refused or not (counted or (last is not None and last.weight >= refused)):
        return state
    return msgspec.structs.replace(state, refused_weight=0)


class UsageMismatches(NamedTuple):
    """Usage that was reported and not believed: how often, and the last one's tokens and the list's weight."""

    times: int = 0
    tokens: int = 0
    weight: int = 0

    def with_usage(self, tokens: int, weight: int) -> "UsageMismatches":
        """One more."""
        return UsageMismatches(self.times + 1, tokens, weight)

    def note(self, window: int) -> str:
        """One sentence, "" where all was believed."""
        if not self.times:
            return ""
        why = f"a window of {window}" if self.tokens > window else f"a list that weighs {self.weight}"
        often = "once" if self.times == 1 else f"{self.times} times"
        return f"usage was not believed {often}, the last was {self.tokens} tokens for {why}: the estimate stands"
