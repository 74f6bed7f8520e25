"""The promises of every projection. What chooses and what checks a plan ask the same rule objects.

A rule tells the checker whether a plan keeps it, and the chooser what it allows: where a list may be cut, what must
stay, what may be removed or edited. It only knows lists and plans: no policy, no price, nothing of how a plan was
made.
"""

from ctxmgr.engine.invariants.promises import loading_steps, set_aside
from ctxmgr.engine.invariants.registry import ALTERNATING, FRESH, STEPS, TURNS, CheckState, Invariants

__all__ = ["ALTERNATING", "CheckState", "FRESH", "Invariants", "STEPS", "TURNS", "loading_steps", "set_aside"]
