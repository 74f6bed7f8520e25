"""The ways of writing a summary with a model, one file a strategy. Make no completion."""

from ctxmgr.summarize.strategies.side_by_side import side_by_side
from ctxmgr.summarize.strategies.table import STRATEGIES

__all__ = ["STRATEGIES", "side_by_side"]
