"""The preset that keeps whole turns and decides on each call, and the code that it shares with `tools` and `off`.
Knows nothing of cache epochs.
"""

from ctxmgr.engine.presets.turns.prune import Pruning, why_nothing
from ctxmgr.engine.presets.turns.whole_turns import Turns, WholeTurns, pruning_of

__all__ = ["Pruning", "Turns", "WholeTurns", "pruning_of", "why_nothing"]
