"""One recording's drives as answers by policy, and the grades of a summary; beside each the newest tokens.

1. A drive whose host compacted with other summaries is driven once more, with summaries that copy (`Stub`): no
   probe fails by a summary that nobody wrote.
2. A summary is graded by what it answers by itself of all that was asked of what it replaces. Used is what the
   kept part uses again: it is what came after. The newest tokens of
   what was replaced are asked the same.
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

NEWEST = "newest 10k"
REPLY = pi_host.item("", b'{"role":"assistant","content":[]}')  # of the call that a summary is asked at

Drive = Callable[[ReplayOptions], ReplayResult]


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
) -> dict[str, PolicyGrades]:
    """By policy, the newest tokens last. `window` in tokens; `lists`: what each policy sent, by name; `weigh`:
    bytes of a message to tokens."""
    of = examined(recording, window, weigh)
    policies = {**lists, NEWEST: controls.newest(of.course, weigh)}
    index = EvidenceIndex(of.names)
    projected = {name: ProjectedLists(index, sights) for name, sights in policies.items()}
    grades = {}
    for name, sights in policies.items():
        weights = [sum(weigh(message.raw) for message in sight.projected_messages) for sight in sights]
        grades[name] = msgspec.structs.replace(
            answers(of, index, projected[name]),
            tokens=fmean(weights) if weights else None,
            precision=precision(of, sights, weigh),
        )
    return grades


def graded(
    recording: Recording, window: int, sights: Sequence[Observation], weigh: Callable[[bytes], int]
) -> Scores:
    """One policy alone: the same figures as `probed` gives it beside others."""
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
            (call,), course = self._course.calls, self._course
            nothing = timeline.observation(course, call, (), 0)
            before = [*[nothing] * (self._calls - 1), *timeline.whole(course)]
        raw = compaction_message(summary, 0, 0)
        now = Observation(None, (), (ProjectedMessage(raw, -1, False),), REPLY, own=1)
        return self._graded([*before, now])

    def newest(self, weigh: Callable[[bytes], int]) -> PolicyGrades:
        """Of the newest tokens in its place. `weigh`: bytes of a message to tokens."""
        return self._graded(controls.newest(self._course, weigh))

    def _graded(self, lists: Sequence[Observation]) -> PolicyGrades:
        """Asked at the last of these lists."""
        index = EvidenceIndex(self._examined.names)
        return answers(self._examined, index, ProjectedLists(index, lists))


def _course(raws: Sequence[bytes]) -> Timeline:
    """Of messages, with one call after them."""
    items = [pi_host.item(str(number), raw) for number, raw in enumerate(raws)]
    return timeline.made("", (*items, REPLY), (timeline.TimelineCall(None, len(raws)),))
