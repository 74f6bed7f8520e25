"""One recording's drives as answers by policy, and the grades of a summary, each with the controls beside them.

1. A drive whose host compacted with other summaries is driven once more, with summaries that copy (`Stub`): no
   probe fails by a summary that nobody wrote.
2. A summary is graded by what it answers by itself of all that was asked of what it replaces. Used is what the
   kept part uses again: it is what came after. The controls are lists in its place, asked the same: all that was
   replaced, nothing, another session, and the newest tokens of what was replaced.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import msgspec

from ctxmgr.study.driving import ReplayOptions, ReplayResult
from ctxmgr.study.observations import Observation, ProjectedMessage, Timeline, timeline
from ctxmgr.study.probes import controls
from ctxmgr.study.probes.controls import Stub
from ctxmgr.study.probes.evidence import EvidenceIndex
from ctxmgr.study.probes.figures import PolicyGrades, ProjectedLists, Scores, answers, scores
from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.precision import precision
from ctxmgr.study.probes.reading import SessionHistory, read_message
from ctxmgr.study.probes.session import Examined, Point, examined, names_of
from ctxmgr.study.recordings import Recording, compaction_message, pi_host

NEWEST, WHOLE, EMPTY, FOREIGN = "newest 10k", "whole list", "empty list", "another session"
REPLY = pi_host.item("", b'{"role":"assistant","content":[]}')  # of the call that a summary is asked at

Drive = Callable[[ReplayOptions], ReplayResult]


class Probed(msgspec.Struct, frozen=True):
    """One recording. `policies`: presets, and the newest tokens beside them; `checks`: the lists of no policy."""

    course: Timeline
    policies: dict[str, PolicyGrades]
    checks: dict[str, PolicyGrades]


def lists_of(outcome: ReplayResult, options: ReplayOptions, drive: Drive) -> list[Observation]:
    """What a policy sent, where the host's own summaries copy. What fails then is a failure of the outcome."""
    if not outcome.compacted or options.recorded_compactions or isinstance(options.write, Stub):
        return outcome.observations
    state = None if options.state_dir is None else options.state_dir / "probes"
    again = drive(msgspec.structs.replace(options, write=Stub(), record=None, state_dir=state))
    outcome.failures += (f"probes: {text}" for text in again.failures)
    return again.observations


def probed(
    recording: Recording,
    window: int,
    lists: Mapping[str, Sequence[Observation]],
    weigh: Callable[[bytes], int],
    other: Timeline | None = None,
) -> Probed:
    """`window` in tokens; `lists`: what each policy sent, by name; `weigh`: bytes of a message to tokens. `other`:
    another session, as a control."""
    of = examined(recording, window, weigh)
    policies = {**lists, NEWEST: controls.newest(of.course, weigh)}
    checks = {WHOLE: timeline.whole(of.course), EMPTY: controls.empty(of.course)}
    if other is not None:
        checks[FOREIGN] = controls.foreign(of.course, other)
    index = EvidenceIndex(of.names)
    all_lists = {name: ProjectedLists(index, sights) for name, sights in {**policies, **checks}.items()}
    grades = {name: answers(of, index, projected) for name, projected in all_lists.items()}
    for name, sights in policies.items():
        weights = [sum(weigh(message.raw) for message in sight.projected_messages) for sight in sights]
        grades[name] = msgspec.structs.replace(
            grades[name], tokens=fmean(weights) if weights else None, precision=precision(of, sights, weigh)
        )
    return Probed(of.course, {name: grades[name] for name in policies}, {name: grades[name] for name in checks})


def graded(
    recording: Recording, window: int, sights: Sequence[Observation], weigh: Callable[[bytes], int]
) -> Scores:
    """One policy alone, without the controls: the same figures as `probed` gives it beside others."""
    of = examined(recording, window, weigh)
    index = EvidenceIndex(of.names)
    grades = answers(of, index, ProjectedLists(index, sights))
    return scores(msgspec.structs.replace(grades, precision=precision(of, sights, weigh)))


# summaries


class RemovedPart:
    """What was taken out and what was kept, messages as pi stores them, oldest first: read once, asked of as many
    summaries as there are."""

    def __init__(self, removed: Sequence[bytes], kept: Sequence[bytes]) -> None:
        history = SessionHistory([read_message(raw) for raw in (*removed, *kept)])
        self._course = _course(removed)
        self._calls = sum(pi_host.item("", raw).role == "assistant" for raw in (*removed, *kept))
        point = Point(len(removed), REPLY.id, probes(history, len(removed)))
        self._examined = Examined(self._course, history, (point,), names_of(history))

    def scores(self, summary: str) -> Scores:
        return scores(self.grades(summary))

    def grades(self, summary: str, before: Sequence[Observation] = ()) -> PolicyGrades:
        """`before`: the lists of the calls up to the compaction, to see where evidence was lost; without them
        it was lost there, at the call after those of the list."""
        if not before:
            before = [*controls.empty(self._course) * (self._calls - 1), *timeline.whole(self._course)]
        raw = compaction_message(summary, 0, 0)
        now = Observation(None, (), (ProjectedMessage(raw, -1, False),), REPLY, own=1)
        return self._graded([*before, now])

    def controls(self, weigh: Callable[[bytes], int], other: Sequence[bytes] = ()) -> dict[str, PolicyGrades]:
        """By name. `weigh`: bytes of a message to tokens; `other`: the messages of another session."""
        lists = {WHOLE: timeline.whole(self._course), EMPTY: controls.empty(self._course)}
        if other:
            lists[FOREIGN] = controls.foreign(self._course, _course(other))
        lists[NEWEST] = controls.newest(self._course, weigh)
        return {name: self._graded(some) for name, some in lists.items()}

    def _graded(self, lists: Sequence[Observation]) -> PolicyGrades:
        """Asked at the last of these lists."""
        index = EvidenceIndex(self._examined.names)
        return answers(self._examined, index, ProjectedLists(index, lists))


def _course(raws: Sequence[bytes]) -> Timeline:
    """Of messages, with one call after them."""
    items = [pi_host.item(str(number), raw) for number, raw in enumerate(raws)]
    return timeline.made("", (*items, REPLY), (timeline.TimelineCall(None, len(raws)),))
