"""The presets. Each is an object with one interface (`strategy`), in its own module or package, with a row in
`PRESETS`.

Presets know lists, states and plans. They know no session, no message format, no wire, and not each other's names.
"""

from ctxmgr.engine.presets.balanced import Balanced
from ctxmgr.engine.presets.strategy import Delta, Incoming, Inputs, NeedsThread, Planned, PresetStrategy
from ctxmgr.engine.presets.turns import Off, Tools, Turns

__all__ = [
    "ALTERNATING_PRESETS",
    "Delta",
    "Incoming",
    "Inputs",
    "KEY_PRESETS",
    "NeedsThread",
    "PRESETS",
    "Planned",
    "PresetStrategy",
]

PRESETS: dict[str, PresetStrategy] = {preset.name: preset for preset in (Off(), Tools(), Turns(), Balanced())}

ALTERNATING_PRESETS = {name: preset.alternating() for name, preset in PRESETS.items()}
"""For a model that requires user and assistant messages to alternate."""

KEY_PRESETS: dict[str, tuple[str, ...]] = {
    key: tuple(name for name, preset in PRESETS.items() if key in preset.policy_keys)
    for key in sorted(frozenset[str]().union(*(preset.policy_keys for preset in PRESETS.values())))
}
"""Policy keys that mean something in some presets alone, and in which."""
