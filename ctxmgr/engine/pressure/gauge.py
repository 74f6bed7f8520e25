"""Converts between our token estimates and the provider's tokens, for one call of one model.

After the provider refused a list as too long, only a clearly shorter list counts as fitting, whatever our count,
until it accepts one.
"""

import msgspec

from ctxmgr.engine.pressure import meter, zone
from ctxmgr.engine.pressure.zone import ModelTerms, Thresholds
from ctxmgr.model import Zone
from ctxmgr.model.saved import Meter

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
