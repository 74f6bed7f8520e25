"""A summary without a model: `summary` makes lines of what was collected, as many as the budget allows.

Knows no strategy and no session.
"""

from ctxmgr.engine.extractive import summary

__all__ = ["summary"]
