"""All scenarios; importing this fills the manifest."""

from tests.protocol.scenarios import (
    branches,
    compaction,
    connection,
    errors,
    fidelity,
    formats,
    latch,
    memory,
    notes,
    pruning,
    recovery,
    safety,
    settings,
    tools,
    vectors,
)

__all__ = [
    "branches",
    "compaction",
    "connection",
    "errors",
    "fidelity",
    "formats",
    "latch",
    "memory",
    "notes",
    "pruning",
    "recovery",
    "safety",
    "settings",
    "tools",
    "vectors",
]
