"""How a call ended, from its mark, its status and its output. Knows no fact and no packet."""

from ctxmgr.engine.tools.outcome.ended import is_lost, outcome

__all__ = ["is_lost", "outcome"]
