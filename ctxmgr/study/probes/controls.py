"""What stands beside policies: the newest tokens, for which no memory is needed; the summary that copies."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from ctxmgr.model import CHARACTERS_A_TOKEN
from ctxmgr.study.observations import Observation, Timeline, timeline
from ctxmgr.study.probes.reading import read_message, wording
from ctxmgr.study.recordings import HostMessage

NEWEST_TOKENS = 10_000
USER_CHARACTERS = 2_000 * CHARACTERS_A_TOKEN
LAST_CHARACTERS = 1_200


class Stub:
    """Writes all summaries of one session without a model (`pi_host.Write`): what the user said, the files, the
    last words. What an earlier one stands for stays in the later ones.

    It stands for the host's own summary where probes are asked: one that copies, so that what is lost is lost by
    the policy, and not by a bad summary. In order: the opening request, the newest messages of the user that fit
    into USER_CHARACTERS together, all files, and the newest reply's words.
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
        """Oldest first. What the newest leave of the room is the opening request's, half of it in any case."""
        if not self._requests:
            return []
        opening, *others = self._requests
        room = USER_CHARACTERS - min(len(opening), USER_CHARACTERS // 2)
        sums = list(accumulate(map(len, reversed(others)), initial=0))
        count = bisect_right(sums, room) - 1
        start = wording.shortened(opening, USER_CHARACTERS - sums[count])
        return [start, *others[len(others) - count :]]


def newest(course: Timeline, weigh: Callable[[bytes], int], tokens: int = NEWEST_TOKENS) -> list[Observation]:
    """At most so many tokens from the end, cut where a list may be cut; the newest step where it alone is more."""
    before = list(accumulate((weigh(item.raw) for item in course.items), initial=0))
    sights = []
    for call in course.calls:
        cuts = course.cuts[: bisect_right(course.cuts, call.end_index - 1)] or (0,)
        light = bisect_left(before, before[call.end_index] - tokens)
        start = next((cut for cut in cuts if cut >= light), cuts[-1])
        sights.append(timeline.observation(course, call, course.wholes[start : call.end_index], 0))
    return sights
