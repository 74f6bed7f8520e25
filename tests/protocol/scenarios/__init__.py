"""All scenarios; importing this fills the manifest."""

from tests.protocol.scenarios import (
    branches,
    compaction,
    errors,
    fidelity,
    formats,
    latch,
    memory,
    notes,
    pruning,
    safety,
    tools,
)

__all__ = [
    "branches",
    "compaction",
    "errors",
    "fidelity",
    "formats",
    "latch",
    "memory",
    "notes",
    "pruning",
    "safety",
    "tools",
]
