"""Turns a recorded session into what stands beside its chains: the floor, and who knows what each reply will need.

Both are of the recorded conversation, and not of any summary: one for all rows. As in `replay`, a stream of
events is no course to simulate on, and nothing stands beside it.
"""

import msgspec

from ctxmgr.study.closed_loop import clairvoyant, floor
from ctxmgr.study.compare.sessions import RecordedSession
from ctxmgr.study.compare.settings import Settings
from ctxmgr.study.figures import Figures, closed_cost
from ctxmgr.study.metrics import MessageCache, message_cache, timeline
from ctxmgr.study.report import CLAIRVOYANT


class ChainBounds(msgspec.Struct, frozen=True):
    """`floor`: dollars that no chain costs less than. `simulated`: closed-loop figures by name."""

    floor: float
    simulated: dict[str, Figures]


def bounds(session: RecordedSession, settings: Settings) -> ChainBounds | None:
    """None where there is no chain, or nothing to simulate on."""
    if settings.chain_window is None or session.recording is None:
        return None
    course = timeline.of(session.recording)
    known = MessageCache(message_cache.reader())
    simulated: dict[str, Figures] = {}
    if settings.clairvoyant:
        seen = clairvoyant(course, known, settings.sheet)
        simulated[CLAIRVOYANT] = {**closed_cost.plain(seen.loop), **closed_cost.foresight(seen)}
    return ChainBounds(round(floor(timeline.whole(course), known, settings.sheet), 4), simulated)
