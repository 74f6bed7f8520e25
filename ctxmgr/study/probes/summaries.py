"""Grades of a summary: what it answers by itself of all that was asked of what it replaces.

Used is what the kept part uses again: it is what came after. The controls are lists in the summary's place, asked
the same: all that was replaced, nothing, another session, and the newest tokens of what was replaced.
"""

from collections.abc import Callable, Sequence

from ctxmgr.study.hosts import pi_host
from ctxmgr.study.observations import Observation, ProjectedMessage, Timeline, timeline
from ctxmgr.study.probes import controls
from ctxmgr.study.probes.evidence import EvidenceIndex
from ctxmgr.study.probes.figures import Scores, scores
from ctxmgr.study.probes.grading import PolicyGrades, ProjectedLists, answers
from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.probing import EMPTY, FOREIGN, NEWEST, WHOLE
from ctxmgr.study.probes.reading import SessionHistory, read_message
from ctxmgr.study.probes.session import Examined, Point, names_of
from ctxmgr.study.recordings import compaction_message

REPLY = pi_host.item("", b'{"role":"assistant","content":[]}')  # of the call that the questions are asked at


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
