"""The preset that takes away old tool output and nothing else. Knows neither packets that leave nor epochs."""

from ctxmgr.engine.presets.tools.preset import Tools

__all__ = ["Tools"]
