"""Known facts about models, for hosts that do not supply them: windows, limits, prices, and how providers cache.

The facts are in `ctxmgr/data/models.json`, each with its source and date. This package knows no session and no
settings. It returns what it knows about an id and how it was found; callers prefer what the host says.
"""

from ctxmgr.known_models.reading import BadFacts, read, shipped
from ctxmgr.known_models.registry import ModelFacts, Registry, family_names, shorter
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
    "family_names",
    "is_long",
    "itself",
    "long_prices",
    "nearest",
    "read",
    "shipped",
    "shorter",
    "tiered",
    "with_long_write",
    "with_tiers",
]
