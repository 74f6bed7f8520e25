"""What a model's calls cost and how its provider caches them, whoever said so: the host, the policy, or nobody."""

import msgspec

from ctxmgr.model import BasePrices, CacheRule


class ModelTerms(msgspec.Struct, frozen=True):
    """`prices` None: not known, and then shares are as most providers have them. `cache`: its lifetime is that in
    force. Of prices with tiers `prices.at_length` tells those of a request."""

    prices: BasePrices | None = None
    cache: CacheRule = CacheRule()
