"""The presets, a row each."""

from ctxmgr.engine.presets.balanced.preset import Balanced
from ctxmgr.engine.presets.off.preset import Off
from ctxmgr.engine.presets.strategy import PresetStrategy
from ctxmgr.engine.presets.tools.preset import Tools
from ctxmgr.engine.presets.turns.preset import Turns

PRESETS: dict[str, PresetStrategy] = {preset.name: preset for preset in (Off(), Tools(), Turns(), Balanced())}
