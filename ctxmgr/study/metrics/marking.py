"""Where cache marks stand on simulated lists: as ctxmgr's reports say, or as hosts set them by themselves."""

from collections.abc import Callable, Sequence

from ctxmgr.closed_loop import BilledStarts, Marker, PriceSheet
from ctxmgr.engine.caching import MarkInputs, placed
from ctxmgr.model import CacheRule
from ctxmgr.model.saved import MarkedStart

OWN_MARKS = 2  # of the host, on system prompt and tools: as Claude Code's and pi's


class OurMarks:
    """As the reports of a session say, for one whose calls are these."""

    def __init__(self, rule: CacheRule, lifetime_ms: int) -> None:
        self._rule, self._lifetime_ms = rule, lifetime_ms
        self._starts: tuple[MarkedStart, ...] = ()

    def ends(self, sent: BilledStarts, grew: bool, time_ms: int | None) -> Sequence[int]:
        inputs = MarkInputs(
            rule=self._rule,
            message_count=len(sent.keys),
            same_count=None if grew else sent.same_count,
            own_marks=OWN_MARKS,
            lifetime_ms=self._lifetime_ms,
            blocks=lambda start, end: sent.block_sums[end] - sent.block_sums[start],
            may_bear=lambda _: True,
            time_ms=time_ms,
        )
        made = placed(inputs, self._starts)
        self._starts = made.starts
        return tuple(index + 1 for index in made.indices)


def marker(sheet: PriceSheet) -> Callable[[], Marker] | None:
    """Makes what sets the marks of one session that is billed so; None: the newest message has one."""
    rule = sheet.rule
    if rule is None or sheet.marks == "host":
        return None
    return lambda: OurMarks(rule, sheet.ttl_ms)
