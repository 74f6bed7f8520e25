"""The presets, a row each."""

from ctxmgr.engine.presets.balanced import Balanced
from ctxmgr.engine.presets.off import Off
from ctxmgr.engine.presets.strategy import PresetStrategy
from ctxmgr.engine.presets.tools import Tools
from ctxmgr.engine.presets.turns import Turns

PRESETS: dict[str, PresetStrategy] = {preset.name: preset for preset in (Off(), Tools(), Turns(), Balanced())}
