"""All scenarios; importing this fills the manifest."""

from tests.protocol.scenarios import errors, fidelity, latch, memory, pruning, safety, tools

__all__ = ["errors", "fidelity", "latch", "memory", "pruning", "safety", "tools"]
