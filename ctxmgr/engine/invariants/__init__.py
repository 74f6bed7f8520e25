"""What every projection promises, one file a rule; chooser and checker ask the same objects.

A rule tells the checker whether a plan keeps it, and the chooser what it allows: where a list may be cut, what must
stay, what may leave or be edited. Knows lists and plans alone: no policy, no price, nothing of how a plan was made.
"""

from ctxmgr.engine.invariants.check_state import FRESH, CheckState
from ctxmgr.engine.invariants.loading import loading_steps
from ctxmgr.engine.invariants.promises import set_aside
from ctxmgr.engine.invariants.registry import ALTERNATING, STEPS, TURNS, Invariants

__all__ = ["ALTERNATING", "CheckState", "FRESH", "Invariants", "STEPS", "TURNS", "loading_steps", "set_aside"]
