"""All scenarios; importing this fills the manifest."""

from tests.contract.scenarios import (
    branches,
    compaction,
    connection,
    epochs,
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
    "epochs",
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
