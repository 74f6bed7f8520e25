"""Where a compaction cuts, what it summarizes, and how that is reduced to the size a model takes. Asks no model."""

from ctxmgr.engine.compaction import branch, cohesion, files, prepare, render, scoring, slices, truncation, weighing
from ctxmgr.engine.compaction.files import without_lists
from ctxmgr.engine.compaction.render import FOR_MODEL
from ctxmgr.engine.compaction.slices import Depths, Slice

__all__ = [
    "Depths",
    "FOR_MODEL",
    "Slice",
    "branch",
    "cohesion",
    "files",
    "prepare",
    "render",
    "scoring",
    "slices",
    "truncation",
    "weighing",
    "without_lists",
]
