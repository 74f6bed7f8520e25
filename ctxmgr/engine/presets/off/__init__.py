"""The preset that sends a list as it came. Knows the rules of whole turns only for what was decided before it."""

from ctxmgr.engine.presets.off.preset import Off

__all__ = ["Off"]
