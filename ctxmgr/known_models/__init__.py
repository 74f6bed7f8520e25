"""What is known of models where no host says it: windows, limits, prices, how their providers cache.

Facts of others, each with its source and its day, in `ctxmgr/data/models.json`. Knows no session and no settings:
it answers what it knows of an id and how it found that, and who asks lets a host's own word go before.
"""

from ctxmgr.known_models import registry
from ctxmgr.known_models.reading import BadFacts, read, shipped
from ctxmgr.known_models.registry import ModelFacts, Registry
from ctxmgr.known_models.told_prices import (
    completed,
    is_long,
    itself,
    long_prices,
    nearest,
    tiered,
    with_long_write,
    with_tiers,
)

__all__ = [
    "BadFacts",
    "ModelFacts",
    "Registry",
    "completed",
    "is_long",
    "itself",
    "long_prices",
    "nearest",
    "read",
    "registry",
    "shipped",
    "tiered",
    "with_long_write",
    "with_tiers",
]
