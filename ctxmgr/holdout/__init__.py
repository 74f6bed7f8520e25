"""The standing holdout: which of a proxy's sessions pass untouched, a row for each call of both arms, and how the
arms differ. It knows no messages and no HTTP; the proxy writes the rows.
"""

from ctxmgr.holdout.calls import Arm, HoldoutCall, HoldoutCalls, digest
from ctxmgr.holdout.comparison import run

__all__ = ["Arm", "HoldoutCall", "HoldoutCalls", "digest", "run"]
