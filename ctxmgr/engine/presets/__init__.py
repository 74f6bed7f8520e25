"""The presets. Each is an object with one interface (`strategy`), in its own module or package, with a row in the
`table`.

Presets know lists, states and plans. They know no session, no message format, no wire, and not each other's names.
"""

from ctxmgr.engine.presets.strategy import Inputs, NeedsThread, Planned, PresetStrategy
from ctxmgr.engine.presets.table import ALTERNATING_PRESETS, KEY_PRESETS, PRESETS

__all__ = ["ALTERNATING_PRESETS", "Inputs", "KEY_PRESETS", "NeedsThread", "PRESETS", "Planned", "PresetStrategy"]
