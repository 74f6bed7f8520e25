"""One recording's drives as answers by policy, with the controls beside them.

A drive whose host compacted with other summaries is driven once more, with summaries that copy (`Stub`): no probe
fails by a summary that nobody wrote.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import msgspec

from ctxmgr.study.driving import ReplayOptions, ReplayResult
from ctxmgr.study.observations import Observation, Timeline, timeline
from ctxmgr.study.probes import controls
from ctxmgr.study.probes.controls import Stub
from ctxmgr.study.probes.evidence import EvidenceIndex
from ctxmgr.study.probes.figures import Scores, scores
from ctxmgr.study.probes.grading import PolicyGrades, ProjectedLists, answers
from ctxmgr.study.probes.precision import precision
from ctxmgr.study.probes.session import examined
from ctxmgr.study.recordings import Recording

NEWEST, WHOLE, EMPTY, FOREIGN = "newest 10k", "whole list", "empty list", "another session"

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
