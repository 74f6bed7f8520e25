"""Turns a preparation into a written summary: prompts, strategies, and what is read of a model's answer.

Strategies ask for completions and never make one.
"""

from ctxmgr.summarize import writing

__all__ = ["writing"]
