"""Turns a recorded session into what is asked of it: the points, and at each the probes.

Nothing here follows from a policy: the same session and window give the same questions.
"""

from collections import Counter
from collections.abc import Callable
from itertools import accumulate

import msgspec

from ctxmgr.study.metrics import Timeline, paths
from ctxmgr.study.metrics import timeline as course
from ctxmgr.study.probes.evidence import Probe
from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.points import points
from ctxmgr.study.probes.reading import SessionHistory, history, turn
from ctxmgr.study.recordings import Recording


class Point(msgspec.Struct, frozen=True):
    """`call_index`: number of the model's call; `end`: so many messages came before; `reply`: id of the reply's
    entry."""

    call_index: int
    end: int
    reply: str
    probes: tuple[Probe, ...]


class Examined(msgspec.Struct, frozen=True):
    """One session at one window. `names`: how many of its files have this last component; `cwd`: the directory that
    paths are told from."""

    course: Timeline
    history: SessionHistory
    points: tuple[Point, ...]
    names: dict[str, int]
    cwd: str = ""


def examined(recording: Recording, window: int, weigh: Callable[[bytes], int]) -> Examined:
    """`window` in tokens; `weigh`: bytes of a message to tokens."""
    found = course.of(recording)
    of = history([turn(one.raw) for one in found.items], recording.cwd)
    before = list(accumulate((weigh(one.raw) for one in found.items), initial=0))
    calls = points([before[asked.end_index] for asked in found.asked], window, _compacted(recording))
    some = []
    for call in calls:
        end = found.asked[call].end_index
        some.append(Point(call, end, found.items[end].id, probes(of, end)))
    return Examined(found, of, tuple(some), names_of(of), recording.cwd)


def names_of(of: SessionHistory) -> dict[str, int]:
    """Last components of all paths that were touched or mentioned, each with how many directories have it."""
    found = {touch.path for touch in of.touches}
    for one, spoken in zip(of.turns, of.spoken, strict=True):
        found.update(paths(f"{one.text}\n{spoken}"))
    endings = {tuple(path.lower().split("/")[-2:]) for path in found}
    return Counter(ending[-1] for ending in endings if len(ending) > 1)


def _compacted(recording: Recording) -> list[int]:
    """The calls that came right after a recorded compaction."""
    out = []
    calls = 0
    for entry in recording.entries:
        if entry.kind == "compaction":
            out.append(calls)
        calls += entry.kind == "message" and entry.role == "assistant"
    return out
