"""The presets: an object each of one interface (`strategy`), a package and a row of the `table`.

They know lists, states and plans: no session, no message format, no wire, and none knows the name of another.
"""

from ctxmgr.engine.presets.strategy import Inputs, NeedsThread, Planned, PresetStrategy
from ctxmgr.engine.presets.table import ALTERNATING_PRESETS, KEY_PRESETS, PRESETS

__all__ = ["ALTERNATING_PRESETS", "Inputs", "KEY_PRESETS", "NeedsThread", "PRESETS", "Planned", "PresetStrategy"]
