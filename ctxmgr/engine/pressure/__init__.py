"""How full the window is and when to request a compaction: `meter`, `zone`, `latch`. Knows no message."""

from ctxmgr.engine.pressure import latch, learned_window, meter, wordings, zone
from ctxmgr.engine.pressure.learned_window import is_full, overflowed
from ctxmgr.engine.pressure.zone import Gauge, ModelTerms, Thresholds, thresholds

__all__ = [
    "Gauge",
    "ModelTerms",
    "Thresholds",
    "is_full",
    "latch",
    "learned_window",
    "meter",
    "overflowed",
    "thresholds",
    "wordings",
    "zone",
]
