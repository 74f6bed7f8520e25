"""The presets that keep whole turns and decide on each call. Know nothing of cache epochs."""

from ctxmgr.engine.presets.turns.whole_turns import Off, Tools, Turns

__all__ = ["Off", "Tools", "Turns"]
