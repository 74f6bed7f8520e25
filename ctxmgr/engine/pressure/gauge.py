"""Turns weights into tokens as the provider counts them, and back, for one call of one model on its terms.

A list that the provider refused as too long is one that does not fit, whatever we count: until it takes one, a list
fits that is markedly shorter.
"""

import msgspec

from ctxmgr.engine.pressure import meter, zone
from ctxmgr.engine.pressure.zone import ModelTerms, Thresholds
from ctxmgr.model import Zone
from ctxmgr.model.saved import Meter

AFTER_REFUSAL = 0.6  # of the list that was refused: a host may ask but once more


class Gauge(msgspec.Struct, frozen=True):
    """`ratio_key` names weigher and model, as both make the ratio. `overhead`: tokens the host adds unseen.
    `terms`: what its calls cost, and how its provider caches them. `refused_weight`: of the list that was refused
    as too long, in tokens, 0 where none was since one was taken."""

    meter: Meter
    thresholds: Thresholds
    ratio_key: str
    overhead: int
    terms: ModelTerms = ModelTerms()
    refused_weight: int = 0

    @property
    def ratio(self) -> float:
        """Tokens of the provider a weighed token."""
        return meter.ratio(self.meter, self.ratio_key)

    @property
    def usable_weight(self) -> float:
        """The weight of a list that takes all that is usable."""
        return self.weight_at(self.thresholds.usable)

    @property
    def fit_weight(self) -> float:
        """The weight of the largest list that fits. A ratio that nobody has observed counts as 1: what is cut by a
        guess is lost for certain, and the reserve is there for what is not."""
        return self.safe_weight(self.thresholds.limit)

    def safe_weight(self, tokens: float) -> float:
        """The same of the largest list of so many tokens."""
        observed = msgspec.structs.replace(self.meter, ratios={self.ratio_key: 1.0, **self.meter.ratios})
        fits = meter.weight_at(observed, self.ratio_key, tokens, self.overhead)
        return min(fits, AFTER_REFUSAL * self.refused_weight) if self.refused_weight else fits

    def tokens(self, weight: int) -> int:
        """Of a request that weighs so much."""
        return meter.tokens(self.meter, self.ratio_key, weight, self.overhead)

    def share_of_reading(self, weight: int) -> int:
        """The part of the last reading that a much shorter request comes to: its weight's share of what was read
        for the list. Where the ratio is off, `tokens` is off by as much for all that the request is shorter."""
        read, base = self.meter.reading_tokens, self.meter.base
        if read is None or not base:
            return 0
        overhead = min(self.overhead, read)
        return overhead + round((read - overhead) * min(1.0, weight / base))

    def weight_at(self, tokens: float) -> float:
        """The weight at which so many tokens are reached."""
        return meter.weight_at(self.meter, self.ratio_key, tokens, self.overhead)

    def zone_at(self, tokens: float) -> Zone:
        """The zone of a request of so many tokens."""
        return zone.zone_of(tokens, self.thresholds)
