"""Computes the zone thresholds from a model's window and the policy, and the zone of a token count. A `Gauge` does
so for one call of one model.

Rules:
1. usable = min(window, effectiveWindow) - reserve. The reserve is at most a quarter of that minimum, so that small
   windows keep room to work in. So is the default `hostReserve`; any other value is used as given.
2. Zones begin at shares of usable: yellow 0.50, red 0.70, compact 0.90 unless the policy says otherwise.
3. Red comes before the host compacts by itself (tokens > window - hostReserve): it is at most 0.9 x (window -
   hostReserve), and yellow and compact shrink with it. 0.9 leaves the host one long turn.
4. A preset that bounds its lists by itself requests a compaction late: at compact, or at 0.95 x (window -
   hostReserve), whichever comes first.
5. If window <= hostReserve no promise can be made, and `promise` says so.
6. A gauge converts between our token estimates and the provider's tokens. After the provider refused a list as too
   long, only a clearly shorter list counts as fitting, whatever our count, until it accepts one.
"""

import msgspec

from ctxmgr.engine.pressure import meter, zone
from ctxmgr.model import BasePrices, CacheRule, Policy, Zone
from ctxmgr.model.saved import Meter

HOST_MARGIN = 0.9  # share of (window - hostReserve) that red must not exceed (rule 3)
LATE_MARGIN = 0.95  # the same for the last moment to request a compaction
USUAL_HOST_RESERVE = Policy().host_reserve  # the assumption for hosts that do not say
MOST_RESERVED = 4  # a reserve is at most the window divided by this
CALM_MARGIN = 0.9  # share of the red threshold below which a reading counts as calm


class Thresholds(msgspec.Struct, frozen=True):
    """In the provider's tokens. A zone begins at its threshold (tokens >= threshold). `reserve`: of the whole
    window, what a request must leave for the reply. `late`: rule 4.
    """

    window: int
    reserve: int
    usable: int
    yellow: float
    red: float
    compact: float
    promise: bool
    late: float

    @property
    def calm(self) -> float:
        """Two readings in a row below this reset the latch."""
        return CALM_MARGIN * self.red

    @property
    def limit(self) -> int:
        """The largest request that fits: window - reserve."""
        return self.window - self.reserve


def thresholds(policy: Policy, window: int) -> Thresholds:
    """`window` in tokens, at least 1."""
    reserve = min(policy.reserve, window // MOST_RESERVED)
    working = min(window, policy.effective_window or window)
    usable = max(1, working - min(policy.reserve, working // MOST_RESERVED))
    wanted = policy.zones.red * usable
    host_reserve = policy.host_reserve
    if host_reserve == USUAL_HOST_RESERVE:
        host_reserve = min(host_reserve, window // MOST_RESERVED)
    ceiling = HOST_MARGIN * (window - host_reserve)
    promise = window > host_reserve
    scale = min(1.0, ceiling / wanted) if promise else 1.0
    compact = policy.zones.compact * usable * scale
    last_moment = LATE_MARGIN * (window - host_reserve) if promise else compact
    return Thresholds(
        window=window,
        reserve=reserve,
        usable=usable,
        yellow=policy.zones.yellow * usable * scale,
        red=wanted * scale,
        compact=compact,
        promise=promise,
        late=min(compact, last_moment),
    )


def zone_of(tokens: float, thresholds: Thresholds) -> Zone:
    if tokens >= thresholds.compact:
        return "compact"
    if tokens >= thresholds.red:
        return "red"
    return "yellow" if tokens >= thresholds.yellow else "green"


def pressure(tokens: float, thresholds: Thresholds) -> float:
    """Used / usable, rounded to four digits, so that it prints the same everywhere."""
    return round(tokens / thresholds.usable, 4)


class ModelTerms(msgspec.Struct, frozen=True):
    """What a model's calls cost and how its provider caches them, as the host or the policy says, or by default.

    `prices` None: unknown, and shares are then those of most providers. Of prices with tiers, `prices.at_length`
    gives those of a request. `cache` has the current lifetime.
    """

    prices: BasePrices | None = None
    cache: CacheRule = CacheRule()


AFTER_REFUSAL = 0.6  # of the refused list, since a host may retry only once


class Gauge(msgspec.Struct, frozen=True):
    """`ratio_key` names token counter and model, which both affect the ratio. `overhead`: tokens the host adds
    unseen. `terms`: what its calls cost, and how its provider caches them. `refused_weight`: tokens of the list
    that was refused as too long; 0 if one was accepted since.
    """

    meter: Meter
    thresholds: Thresholds
    ratio_key: str
    overhead: int
    terms: ModelTerms = ModelTerms()
    refused_weight: int = 0

    @property
    def ratio(self) -> float:
        """The provider's tokens per estimated token."""
        return meter.ratio(self.meter, self.ratio_key)

    @property
    def usable_weight(self) -> float:
        """The estimate of a list that uses all that is usable."""
        return self.weight_at(self.thresholds.usable)

    @property
    def fit_weight(self) -> float:
        """The estimate of the largest list that fits. A ratio that was never observed counts as 1: what is cut by a
        guess is certainly lost, and the reserve covers the rest.
        """
        observed = msgspec.structs.replace(self.meter, ratios={self.ratio_key: 1.0, **self.meter.ratios})
        fits = meter.weight_at(observed, self.ratio_key, self.thresholds.limit, self.overhead)
        return min(fits, AFTER_REFUSAL * self.refused_weight) if self.refused_weight else fits

    def tokens(self, weight: int) -> int:
        """Of a request with this estimate."""
        return meter.tokens(self.meter, self.ratio_key, weight, self.overhead)

    def weight_at(self, tokens: float) -> float:
        """The estimate at which this many tokens are reached."""
        return meter.weight_at(self.meter, self.ratio_key, tokens, self.overhead)

    def zone_at(self, tokens: float) -> Zone:
        """The zone of a request of this many tokens."""
        return zone.zone_of(tokens, self.thresholds)
