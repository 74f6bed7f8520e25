"""Turns one recording's drives into answers by policy, and grades summaries; each beside the newest tokens as a
baseline.

1. A drive whose host compacted with other summaries is repeated with summaries that copy (`Stub`), so that no probe
   fails because of a summary that nobody wrote.
2. A summary is graded by what it alone answers of everything asked about what it replaces. Used is what the kept
   part uses again, since that came after. The newest tokens of what was replaced, for which no memory is needed,
   are asked the same.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from statistics import fmean

import msgspec

from ctxmgr.model import CHARACTERS_A_TOKEN
from ctxmgr.study.driving import ReplayOptions, ReplayResult
from ctxmgr.study.observations import Observation, ProjectedMessage
from ctxmgr.study.probes import timeline, wording
from ctxmgr.study.probes.evidence import EvidenceIndex
from ctxmgr.study.probes.figures import PolicyGrades, ProjectedLists, Scores, answers, scores
from ctxmgr.study.probes.history import SessionHistory
from ctxmgr.study.probes.kinds import Examined, Point, examined, names_of, probes
from ctxmgr.study.probes.messages import read_message
from ctxmgr.study.probes.precision import precision
from ctxmgr.study.probes.timeline import Timeline
from ctxmgr.study.recordings import HostMessage, Recording, compaction_message, pi_host

NEWEST_TOKENS = 10_000
USER_CHARACTERS = 2_000 * CHARACTERS_A_TOKEN
LAST_CHARACTERS = 1_200


class Stub:
    """Writes all summaries of one session without a model (`pi_host.Write`): what the user said, the files, the
    last words. What an earlier summary stands for stays in the later ones.

    It replaces the host's own summary where probes are asked. It copies, so that a loss is the policy's and not due
    to a bad summary. In order: the opening request, the newest user messages that fit into USER_CHARACTERS
    together, all files, and the newest reply's words.
    """

    def __init__(self) -> None:
        self._requests: list[str] = []
        self._files: dict[str, str] = {}
        self._last = ""

    def __call__(self, gone: Sequence[HostMessage], kept: Sequence[HostMessage]) -> str:
        for message in (read_message(item.raw) for item in gone):
            text = message.text.strip()
            if message.role == "user" and text:
                self._requests.append(text)
            elif message.role == "assistant":
                self._last = text or self._last
            for call in message.calls:
                self._files = {**dict.fromkeys(call.did.looked_at, "read"), **self._files}
                self._files |= {change.path: change.action for change in call.did.changes}
        parts = ["## What the user said", *(f"- {text}" for text in self._user_texts())]
        for state in ("changed", "deleted", "read"):
            if paths := sorted(path for path, was in self._files.items() if was == state):
                parts += [f"<{state}-files>", *paths, f"</{state}-files>"]
        if self._last:
            parts.append(f"## Last words\n{wording.shortened(self._last, LAST_CHARACTERS)}")
        return "\n".join(parts)

    def _user_texts(self) -> list[str]:
        """Oldest first. The opening request gets what the newest leave, and at least half of it."""
        if not self._requests:
            return []
        opening, *others = self._requests
        room = USER_CHARACTERS - min(len(opening), USER_CHARACTERS // 2)
        sums = list(accumulate(map(len, reversed(others)), initial=0))
        count = bisect_right(sums, room) - 1
        start = wording.shortened(opening, USER_CHARACTERS - sums[count])
        return [start, *others[len(others) - count :]]


def newest(course: Timeline, weigh: Callable[[bytes], int], tokens: int = NEWEST_TOKENS) -> list[Observation]:
    """At most this many tokens from the end, cut where a list may be cut; the newest step if it alone has more."""
    before = list(accumulate((weigh(item.raw) for item in course.items), initial=0))
    sights = []
    for call in course.calls:
        cuts = course.cuts[: bisect_right(course.cuts, call.end_index - 1)] or (0,)
        light = bisect_left(before, before[call.end_index] - tokens)
        start = next((cut for cut in cuts if cut >= light), cuts[-1])
        sights.append(timeline.observation(course, call, course.wholes[start : call.end_index], 0))
    return sights


NEWEST = "newest 10k"
REPLY = pi_host.item("", b'{"role":"assistant","content":[]}')  # of the call at which a summary is requested

Drive = Callable[[ReplayOptions], ReplayResult]


def lists_of(outcome: ReplayResult, options: ReplayOptions, drive: Drive) -> list[Observation]:
    """What a policy sent, with host summaries that copy. A failure here is a failure of the outcome."""
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
    """By policy, the newest-tokens baseline last. `window` in tokens. `lists`: what each policy sent, by name.
    `weigh`: bytes of a message to tokens.
    """
    of = examined(recording, window, weigh)
    policies = {**lists, NEWEST: newest(of.course, weigh)}
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
    """A single policy: the same figures as `probed` gives it beside others."""
    of = examined(recording, window, weigh)
    index = EvidenceIndex(of.names)
    grades = answers(of, index, ProjectedLists(index, sights))
    return scores(msgspec.structs.replace(grades, precision=precision(of, sights, weigh)))


# summaries


class RemovedPart:
    """What was removed and what was kept, messages as pi stores them, oldest first: read once, asked about any
    number of summaries.
    """

    def __init__(self, removed: Sequence[bytes], kept: Sequence[bytes]) -> None:
        history = SessionHistory([read_message(raw) for raw in (*removed, *kept)])
        self._course = _course(removed)
        self._calls = sum(pi_host.item("", raw).role == "assistant" for raw in (*removed, *kept))
        point = Point(len(removed), REPLY.id, probes(history, len(removed)))
        self._examined = Examined(self._course, history, (point,), names_of(history))

    def grades(self, summary: str) -> PolicyGrades:
        """Evidence counts as lost at the call after the compaction."""
        (call,), course = self._course.calls, self._course
        nothing = timeline.observation(course, call, (), 0)
        before = [*[nothing] * (self._calls - 1), *timeline.whole(course)]
        raw = compaction_message(summary, 0, 0)
        now = Observation(None, (), (ProjectedMessage(raw, -1, False),), REPLY, own=1)
        return self._graded([*before, now])

    def newest(self, weigh: Callable[[bytes], int]) -> PolicyGrades:
        """The newest tokens in its place. `weigh`: bytes of a message to tokens."""
        return self._graded(newest(self._course, weigh))

    def _graded(self, lists: Sequence[Observation]) -> PolicyGrades:
        """Asked at the last of these lists."""
        index = EvidenceIndex(self._examined.names)
        return answers(self._examined, index, ProjectedLists(index, lists))


def _course(raws: Sequence[bytes]) -> Timeline:
    """A conversation of messages, with one call after them."""
    items = [pi_host.item(str(number), raw) for number, raw in enumerate(raws)]
    return timeline.made("", (*items, REPLY), (timeline.TimelineCall(None, len(raws)),))
