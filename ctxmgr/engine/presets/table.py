"""The presets, one row each."""

from ctxmgr.engine.presets.balanced import Balanced
from ctxmgr.engine.presets.strategy import PresetStrategy
from ctxmgr.engine.presets.turns import Off, Tools, Turns

PRESETS: dict[str, PresetStrategy] = {preset.name: preset for preset in (Off(), Tools(), Turns(), Balanced())}

ALTERNATING_PRESETS = {name: preset.alternating() for name, preset in PRESETS.items()}
"""For a model that requires user and assistant messages to alternate."""

KEY_PRESETS: dict[str, tuple[str, ...]] = {
    key: tuple(name for name, preset in PRESETS.items() if key in preset.policy_keys)
    for key in sorted(frozenset[str]().union(*(preset.policy_keys for preset in PRESETS.values())))
}
"""Policy keys that mean something in some presets alone, and in which."""
