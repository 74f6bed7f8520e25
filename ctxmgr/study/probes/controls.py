"""Turns a session into lists of no policy, to see whether the probes are sound and which kinds are cheap.

The whole unmanaged list answers all, the empty list nothing; the whole list of another session what everybody says;
the newest tokens what no memory is needed for. The sawtooth is the plain rule that a policy must beat: cut as
the peer of that name cuts, with a summary that copies (`stub`) in the place of what was cut.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate

import msgspec

from ctxmgr.study.baselines import BOUNDS, Bounds
from ctxmgr.study.baselines import sawtooth as peer
from ctxmgr.study.metrics import PACKET, Observation, ProjectedMessage, Timeline, timeline
from ctxmgr.study.probes.stub import Stub
from ctxmgr.study.recordings import compaction_message

NEWEST_TOKENS = 10_000


def empty(of: Timeline) -> list[Observation]:
    return [timeline.observation(of, asked, (), 0) for asked in of.asked]


def foreign(of: Timeline, other: Timeline) -> list[Observation]:
    """At each call the whole of another session."""
    shown = tuple(ProjectedMessage(one.raw, one.index, one.same) for one in other.wholes)
    items = other.items
    return [msgspec.structs.replace(sight, items=items, projected_messages=shown) for sight in empty(of)]


def newest(of: Timeline, weigh: Callable[[bytes], int], tokens: int = NEWEST_TOKENS) -> list[Observation]:
    """At most so many tokens from the end, cut where a list may be cut; the newest step where it alone is more."""
    before = list(accumulate((weigh(one.raw) for one in of.items), initial=0))
    out = []
    for asked in of.asked:
        light = bisect_left(before, before[asked.end_index] - tokens)
        there = bisect_right(of.cuts, asked.end_index - 1)
        first = bisect_left(of.cuts, light, 0, there)
        start = of.cuts[min(first, there - 1)] if there else 0
        out.append(timeline.observation(of, asked, of.wholes[start : asked.end_index], 0))
    return out


def sawtooth(of: Timeline, weigh: Callable[[bytes], int], bounds: Bounds = BOUNDS) -> list[Observation]:
    """The same summary until the next cut. `bounds`: when it is cut, and what stays."""
    write = Stub()
    start = 0
    summary: tuple[ProjectedMessage, ...] = ()
    out = []
    for sight in peer.sights(of, weigh, bounds):
        if sight.projected_messages and sight.projected_messages[0].index == PACKET:
            cut = sight.projected_messages[1].index if len(sight.projected_messages) > 1 else len(sight.items)
            if cut > start:
                text = write(of.items[start:cut], of.items[cut:])
                start, summary = cut, (ProjectedMessage(compaction_message(text, 0, 0), PACKET, False),)
            sight = msgspec.structs.replace(sight, projected_messages=(*summary, *sight.projected_messages[1:]))
        out.append(sight)
    return out
