"""Where cache marks stand on simulated lists: as ctxmgr's reports say, or as hosts set them by themselves."""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from ctxmgr.closed_loop import BilledStarts, Marker, PriceSheet
from ctxmgr.engine.caching import MarkInputs, placed
from ctxmgr.model import OWN_MARKS, CacheRule
from ctxmgr.model.saved import MarkedStart


class OurMarks:
    """As the reports of a session say, for one whose calls are these."""

    def __init__(self, rule: CacheRule) -> None:
        self._rule = rule
        self._starts: tuple[MarkedStart, ...] = ()

    def ends(self, sent: BilledStarts, grew: bool, time_ms: int | None) -> Sequence[int]:
        inputs = MarkInputs(
            rule=self._rule,
            message_count=len(sent.keys),
            same_count=None if grew else sent.same_count,
            own_marks=OWN_MARKS,
            blocks=lambda start, end: sent.block_sums[end] - sent.block_sums[start],
            may_bear=lambda _: True,
            time_ms=time_ms,
        )
        made = placed(inputs, self._starts)
        self._starts = made.starts
        return tuple(index + 1 for index in made.indices)


def marker(sheet: PriceSheet) -> Callable[[], Marker] | None:
    """Makes what sets the marks of one session that is billed so; None: the newest message has one."""
    if sheet.rule is None or sheet.marks == "host":
        return None
    return partial(OurMarks, msgspec.structs.replace(sheet.rule, lifetime_ms=sheet.ttl_ms))
