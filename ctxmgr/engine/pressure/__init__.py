"""How full the window is and when to ask for a compaction: `meter`, `zone`, `latch`. Knows no message."""

from ctxmgr.engine.pressure import latch, learned, meter, zone
from ctxmgr.engine.pressure.gauge import Gauge
from ctxmgr.engine.pressure.overflow import overflowed
from ctxmgr.engine.pressure.terms import ModelTerms
from ctxmgr.engine.pressure.zone import Thresholds, thresholds

__all__ = ["Gauge", "ModelTerms", "Thresholds", "latch", "learned", "meter", "overflowed", "thresholds", "zone"]
