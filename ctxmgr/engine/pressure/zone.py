"""Turns a model's window and the policy into thresholds, and a token count into a zone.

Rules (design, section 4):
1. usable = min(window, effectiveWindow) - reserve; the reserve is never more than a quarter of that minimum, so
   that small windows keep room to work in. Nor is the default `hostReserve`; one that differs is taken as it is.
2. Zones begin at shares of usable: yellow 0.50, red 0.70, compact 0.90 unless the policy says otherwise.
3. Red comes before the host compacts by itself (tokens > window - hostReserve): red is at most
   0.9 x (window - hostReserve), and yellow and compact shrink with it. 0.9 leaves the host one long turn.
4. What keeps its lists in bounds by itself asks for a compaction late: at compact, or at 0.95 x (window -
   hostReserve), whichever comes first.
5. Where window <= hostReserve no promise can be made, and `promise` says so.
"""

import msgspec

from ctxmgr.model import BasePrices, CacheRule, Policy, Zone

HOST_MARGIN = 0.9  # share of (window - hostReserve) below which red must begin: design, section 4
LATE_MARGIN = 0.95  # the same for the last moment to ask for a compaction
USUAL_HOST_RESERVE = Policy().host_reserve  # what hosts are taken to keep that do not say
MOST_RESERVED = 4  # a reserve is at most the window divided by this
CALM_MARGIN = 0.9  # share of the red threshold below which a reading counts as calm: design, section 4


class Thresholds(msgspec.Struct, frozen=True):
    """In tokens as the provider counts them. A zone begins at its threshold (tokens >= threshold). `reserve` is
    that of the whole window: what a request must leave for the reply. `late`: rule 4."""

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
        """Readings below this clear the latch when two come in a row."""
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
    """Used / usable, to four digits, so that it prints the same everywhere."""
    return round(tokens / thresholds.usable, 4)


class ModelTerms(msgspec.Struct, frozen=True):
    """What a model's calls cost and how its provider caches them, by the host, the policy, or nobody.

    `prices` None: not known, and then shares are as most providers have them; of prices with tiers
    `prices.at_length` tells those of a request. `cache` has the lifetime that is in force.
    """

    prices: BasePrices | None = None
    cache: CacheRule = CacheRule()
