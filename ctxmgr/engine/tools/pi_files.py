"""Turns a call into the file that pi itself lists of it after a compaction: its own three tools, nothing else."""

from ctxmgr.engine.tools.effects import EffectKind
from ctxmgr.model import Block

LISTED: dict[str, EffectKind] = {"read": "read", "write": "write", "edit": "edit"}


def pi_file(block: Block) -> tuple[EffectKind, str] | None:
    """(what was done, path as it is spelled) of a call of pi's `read`, `write` or `edit`; None for all else."""
    kind = LISTED.get(block.tool) if block.kind == "call" else None
    path = (block.arguments or {}).get("path")
    return (kind, path) if kind and isinstance(path, str) and path else None
