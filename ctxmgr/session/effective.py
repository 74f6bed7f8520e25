"""Combines what the host says of its model, what the policy says, what is known of it and what calls showed: the
effective prices, cache, window and policy. And reads what the host says: its model and tools.

Rules:
1. The host's word comes before the policy's, and that before known facts. A price of 0 counts as unset.
2. If a host or the policy keeps a prefix as long as the provider does only for a dearer write, that price applies,
   even if the usual one was given (`known_models.long_life`).
3. A given cache-read price, or a given lifetime, means that there is a cache, whatever is known; except if reading
   costs the same as input. An unspecified read price is the default. For an unknown model, marks are sent if a
   write costs more than input.
4. The source of each value is recorded.
5. Partly given prices are completed by those of the same model, and have tiers (`known_models.tiers`).
6. If the host says that its calls may wait, the known batch prices are used, if there are any.
7. "No cache" is revoked once the provider reports a cache read: then the known rule holds, else the default, and so
   does the read price if unspecified.
8. A refusal as too long may teach a smaller window. It holds for the model's id while the host reports the same
   window for it. A refusal of a list that fits by our count may teach one, too.
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
from ctxmgr.model import (
    MARKS,
    NO_CACHE,
    BasePrices,
    CacheRule,
    DeclaredTools,
    Policy,
    PriceTier,
    TieredPrices,
    check_tools,
    invalid_params,
    policy_keys,
    with_tools,
)
from ctxmgr.model import prices as model_prices
from ctxmgr.model.api import lifecycle
from ctxmgr.model.api.lifecycle import SaidBy
from ctxmgr.model.saved import ModelSpec, State

SAID = ("host", "policy")


def model_spec(model: lifecycle.Model) -> ModelSpec:
    """Raises InvalidParams if two price tiers start at the same length."""
    tiers = model.prices.tiers if model.prices is not None else ()
    if (tier := model_prices.double_tier(tiers)) is not None:
        text = f"two tiers apply above the same size: {tiers[tier].above_tokens:,} tokens"
        raise invalid_params(text, f"$.model.prices.tiers[{tier}].aboveTokens")
    return ModelSpec(
        id=model.id,
        window=int(model.context_window),
        provider=model.provider or "",
        max_output_tokens=int(model.max_output_tokens) if model.max_output_tokens is not None else None,
        prices=model_prices.base_prices(model.prices),
        cache_ttl_ms=int(model.cache_ttl_ms) if model.cache_ttl_ms is not None else None,
        batch=model.batch,
        strict_roles=model.strict_roles,
    )


def declared(state: State, host: DeclaredTools, given: DeclaredTools | None) -> DeclaredTools:
    """The tools of a session: the host's, preceded by those given with the session; if neither is given, the
    previous ones. Raises InvalidParams.
    """
    check_tools(given or (), "$.tools")
    return state.tools if given is None and not host else with_tools(host, given or ())


class ModelInUse(msgspec.Struct, frozen=True):
    """`facts`: what is known of the model, and how it was matched. `*_by`: the source."""

    terms: ModelTerms
    max_output_tokens: int | None
    facts: ModelFacts
    prices_by: SaidBy = "default"
    cache_by: SaidBy = "default"
    lifetime_by: SaidBy = "default"
    output_by: SaidBy = "default"

    def lifetime(self, state: State) -> LifetimeInForce:
        """How long the provider keeps a prefix, and the source, including what was learned."""
        cache = self.unlearned_terms(state).cache
        return in_force(state, cache.lifetime_ms if self.lifetime_by == "policy" else None, cache)

    def documented_ms(self, state: State) -> int:
        """For how long the provider promises to keep a prefix."""
        return self._rule.lifetime_ms if self.overrules_none(state) else self.facts.cache.lifetime_ms

    def terms_by(self, state: State) -> ModelTerms:
        """What the model's calls cost and how they are cached, using learned values where nobody specifies them."""
        lifetime, terms = self.lifetime(state), self.unlearned_terms(state)
        if lifetime.source != "learned":
            return terms
        cache = msgspec.structs.replace(terms.cache, lifetime_ms=lifetime.lifetime_ms)
        return msgspec.structs.replace(terms, cache=cache)

    def unlearned_terms(self, state: State) -> ModelTerms:
        """Without the learned lifetime."""
        if not self.overrules_none(state):
            return self.terms
        rule = self._rule
        if self.lifetime_by in SAID:
            rule = msgspec.structs.replace(rule, lifetime_ms=self.terms.cache.lifetime_ms)
        return ModelTerms(_read_at(self.terms.prices, self.prices_by, self.facts), rule)

    def cache_and_lifetime_by(self, state: State) -> tuple[SaidBy, SaidBy]:
        """The sources of the cache rule and the lifetime: prices that exclude a cache specify both, until a read
        shows one. For a model known to have no cache there is no source then.
        """
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


def _read_at(prices: BasePrices | None, by: SaidBy, facts: ModelFacts) -> BasePrices | None:
    """Rules 3 and 7: the default read price of each tier, if nobody specifies one."""
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
    """The `overrides` that are valid, the paths of those `set_aside`, and notes about keys without effect."""

    overrides: dict[str, Any]
    set_aside: tuple[str, ...]
    policy: Policy
    idle_keys: tuple[str, ...]


def policy_in_force(defaults: dict[str, Any], state: State) -> PolicyInForce:
    """`defaults`: of the host. A session's own overrides are in its state."""
    overrides, set_aside = policy_keys.fitting(defaults, state.overrides, state.model.id)
    keys = policy_keys.merged(defaults, overrides)
    policy = policy_keys.policy(keys, state.model.id)
    preset = PRESETS[policy.preset]
    given = {*keys, *keys.get("models", {}).get(state.model.id, {})}
    idle = sorted(key for key in given if key in KEY_PRESETS and key not in preset.policy_keys)
    notes = tuple(f"the policy key {key} does nothing in preset {preset.name}" for key in idle)
    return PolicyInForce(overrides, set_aside, policy, notes)


MODELS_AT_MOST = 32  # whose window was learned
LEAST_TOKENS = 1_000  # of a list that can be refused for its own length


def window_of(state: State) -> int:
    """In tokens, of the current model."""
    model = state.model
    declared, taken = state.windows.get(model.id, (model.window, model.window))
    return taken if declared == model.window else model.window


def with_window(state: State, taken: int) -> State:
    """The current model accepts this many tokens."""
    if taken == window_of(state):
        return state
    model = state.model
    windows = {id: window for id, window in state.windows.items() if id != model.id}
    if taken < model.window:
        windows[model.id] = model.window, taken
    return msgspec.structs.replace(state, windows=dict(list(windows.items())[-MODELS_AT_MOST:]))


def has_strict_roles(state: State) -> bool:
    """Whether user and assistant must alternate: as the host says, else as a refusal taught or the model's name
    implies.
    """
    model = state.model
    if model.strict_roles is not None:
        return model.strict_roles
    return model.id in state.strict_models or STRICT_MODELS.search(model.id) is not None


def with_strict_roles(state: State) -> State:
    """The current model refused a list because user and assistant did not alternate."""
    if state.model.id in state.strict_models:
        return state
    return msgspec.structs.replace(state, strict_models=(*state.strict_models, state.model.id)[-MODELS_AT_MOST:])


def of_another_model(state: State) -> State:
    """Counts, refusals and what did not fit belonged to the previous model."""
    stay = {
        key: decision for key, decision in state.decisions.items() if decision.kind != "cut" and not decision.to_fit
    }
    decisions = stay if len(stay) < len(state.decisions) else state.decisions
    return msgspec.structs.replace(
        state, decisions=decisions, meter=meter.void(state.meter), unseen=0, refused_weight=0
    )


def with_refusal(state: State, fit_weight: float) -> State:
    """The provider refused the last list as too long. `fit_weight`: of the largest list that fits by our count, in
    tokens. If the last is no larger, that count is wrong. A short list was not refused for its length.
    """
    last = state.last_projection
    if last is None or not LEAST_TOKENS <= last.weight <= fit_weight:
        return state
    return msgspec.structs.replace(state, refused_weight=last.weight)


def with_success(state: State, counted: bool) -> State:
    """The provider accepted the last list. `counted`: it also reported its length."""
    last, refused = state.last_projection, state.refused_weight
    if not refused or not (counted or (last is not None and last.weight >= refused)):
        return state
    return msgspec.structs.replace(state, refused_weight=0)


class UsageMismatches(NamedTuple):
    """Usage that was reported and not believed: how often, and the last report's tokens and the list's own
    count.
    """

    times: int = 0
    tokens: int = 0
    weight: int = 0

    def with_usage(self, tokens: int, weight: int) -> "UsageMismatches":
        """One more."""
        return UsageMismatches(self.times + 1, tokens, weight)

    def note(self, window: int) -> str:
        """One sentence, "" if all usage was believed."""
        if not self.times:
            return ""
        why = f"a window of {window}" if self.tokens > window else f"a list that weighs {self.weight}"
        often = "once" if self.times == 1 else f"{self.times} times"
        return f"usage was not believed {often}, the last was {self.tokens} tokens for {why}: the estimate stands"
