"""A recorded session as what is asked of it: the points, and at each the probes.

Nothing here follows from a policy: the same session and window give the same questions. They are asked
1. at EVEN points evenly over the tokens from FROM_TOKENS on: the ends of as many equal stretches, the last at the
   last call;
2. where the list first weighs each of SHARES of the window;
3. where the recorded host had compacted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

import msgspec

from ctxmgr.study.observations import Timeline, paths, timeline
from ctxmgr.study.probes.evidence import Probe
from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.reading import SessionHistory, read_message
from ctxmgr.study.recordings import Recording

EVEN = 8
FROM_TOKENS = 30_000
SHARES = (0.5, 0.7, 0.9, 1.0)


class Point(msgspec.Struct, frozen=True):
    """`end`: so many messages came before the model's call; `reply`: id of the entry that answered it."""

    end: int
    reply: str
    probes: tuple[Probe, ...]


class Examined(msgspec.Struct, frozen=True):
    """One session at one window. `names`: how many of its files have this last component."""

    course: Timeline
    history: SessionHistory
    points: tuple[Point, ...]
    names: dict[str, int]


def examined(recording: Recording, window: int, weigh: Callable[[bytes], int]) -> Examined:
    """`window` in tokens; `weigh`: bytes of a message to tokens."""
    course = timeline.of(recording)
    history = SessionHistory([read_message(item.raw) for item in course.items], recording.cwd)
    before = list(accumulate((weigh(item.raw) for item in course.items), initial=0))
    compacted = []
    call_count = 0
    for entry in recording.entries:
        if entry.kind == "compaction":
            compacted.append(call_count)
        call_count += entry.kind == "message" and entry.role == "assistant"
    ends = [call.end_index for call in course.calls]
    calls = points([before[end] for end in ends], window, compacted)
    asked = tuple(Point(ends[call], course.items[ends[call]].id, probes(history, ends[call])) for call in calls)
    return Examined(course, history, asked, names_of(history))


def points(weights: Sequence[int], window: int, compacted: Iterable[int] = ()) -> tuple[int, ...]:
    """Numbers of calls, ascending, each once. `weights`: tokens of the whole list at each call; `window` in tokens;
    `compacted`: numbers of the first calls after a recorded compaction."""
    wanted = [share * window for share in SHARES]
    if weights and weights[-1] > FROM_TOKENS:
        wanted += [FROM_TOKENS + (weights[-1] - FROM_TOKENS) * number / EVEN for number in range(1, EVEN + 1)]
    first = (next((call for call, weight in enumerate(weights) if weight >= tokens), None) for tokens in wanted)
    calls = {call for call in first if call is not None} | {call for call in compacted if call < len(weights)}
    return tuple(sorted(calls))


def names_of(history: SessionHistory) -> dict[str, int]:
    """Last components of all paths that were touched or mentioned, each with how many directories have it."""
    named = {touch.path for touch in history.touches}
    for message, spoken in zip(history.messages, history.spoken, strict=True):
        named.update(paths(f"{message.text}\n{spoken}"))
    endings = {tuple(path.lower().split("/")[-2:]) for path in named}
    return Counter(ending[-1] for ending in endings if len(ending) > 1)
