"""The standing holdout: which sessions of a proxy pass untouched, a row of each call of both arms, and what the
arms differ in. Knows no message and no HTTP: the proxy writes the rows.
"""

from ctxmgr.holdout.assignment import Arm, digest
from ctxmgr.holdout.calls import HoldoutCall, HoldoutCalls
from ctxmgr.holdout.live import run

__all__ = ["Arm", "HoldoutCall", "HoldoutCalls", "digest", "run"]
