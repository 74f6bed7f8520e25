"""The preset that decides once a cache epoch what leaves: what it asks of `engine.retention`, and what goes into
state."""

from ctxmgr.engine.presets.balanced.preset import Balanced

__all__ = ["Balanced"]
