"""Turns what a model was shown, call by call, into the lists it would have read: with what it had to fetch again.

Rules:

1. What came back stands right before the reply that needed it.
2. It stands until that reply, or every tool result of it, is no longer shown as it came. A reply without a result
   stands for itself alone. Once gone, it does not return; a later need fetches it again.
3. A reference is visible in a shown message, rewritten or put in ones by the text that they have, and in what
   stands.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.study.closed_loop.originals import RESULT
from ctxmgr.study.closed_loop.references import Occurrences, Reference
from ctxmgr.study.hosts import HostMessage
from ctxmgr.study.metrics import MessageCache, Observation, ProjectedMessage, in_place, same_start

Key = tuple[str, bytes]  # a recorded message: its entry's id and its bytes


class Fetched(msgspec.Struct, frozen=True, eq=False):
    """One original that came back: its weight with the call that asked for it, in `tokens`, and what it holds.

    `reply`: the message that needed it. Two are never the same, however alike.
    """

    reply: Key
    tokens: int
    references: frozenset[Reference]


Element = ProjectedMessage | Fetched


def common_start(before: Sequence[Element], now: Sequence[Element]) -> int:
    """How many elements two lists have in common from their start on: messages by their bytes."""
    count = 0
    for old, new in zip(before, now, strict=False):
        if old is not new and not (
            isinstance(old, ProjectedMessage) and isinstance(new, ProjectedMessage) and old.raw == new.raw
        ):
            break
        count += 1
    return count


class LoopLists:
    """The list at a call, as the session goes on."""

    def __init__(self, occurrences: Occurrences, known: MessageCache) -> None:
        self._occurrences, self._messages = occurrences, known
        self._results: dict[Key, list[Key]] = {}  # by reply
        self._callers: dict[str, Key] = {}  # call id to reply; ids come again: the newest is meant
        self._standing: list[Fetched] = []
        self._last_projected: tuple[ProjectedMessage, ...] = ()
        self._visible: Counter[Reference] = Counter()

    def add(self, came: Iterable[HostMessage]) -> None:
        """What came to the conversation since: says which results are of which reply."""
        for one in came:
            if one.role == RESULT:
                caller = self._callers.get(str(one.message.get("toolCallId", "")))
                if caller is not None:
                    self._results[caller].append((one.id, one.raw))
            elif one.calls:
                key = (one.id, one.raw)
                self._results[key] = []
                self._callers.update((str(call.get("id", "")), key) for call in one.calls)

    def at(self, sight: Observation) -> list[Element]:
        """The list of this call, before anything is fetched for it."""
        self._follow(sight.projected_messages)
        places = {
            _key(sight, one): place for place, one in enumerate(sight.projected_messages) if in_place(sight, one)
        }
        self._standing = [one for one in self._standing if self._stands(one, places)]
        out: list[Element] = []
        start = 0
        for one in sorted(self._standing, key=lambda one: places[one.reply]):  # stable: in the order they came
            place = places[one.reply]
            out += sight.projected_messages[start:place]
            out.append(one)
            start = place
        return [*out, *sight.projected_messages[start:]]

    def missing(self, wanted: Iterable[Reference]) -> list[Reference]:
        """Those not visible in the list of this call, in their order."""
        here = set[Reference]().union(*(one.references for one in self._standing))
        return [one for one in wanted if self._visible[one] <= 0 and one not in here]

    def fetch(self, original: bytes, tokens: int, reply: HostMessage) -> Fetched:
        """What came back of one re-fetch; it stands from the next call on."""
        one = Fetched((reply.id, reply.raw), tokens, self._occurrences.within(original))
        self._standing.append(one)
        return one

    def _stands(self, one: Fetched, places: dict[Key, int]) -> bool:
        results = self._results.get(one.reply)
        return one.reply in places and (not results or any(result in places for result in results))

    def _follow(self, shown: tuple[ProjectedMessage, ...]) -> None:
        """Counts what changed alone."""
        same = same_start(self._last_projected, shown)
        for one in self._last_projected[same:]:
            self._visible.subtract(self._occurrences.within(one.raw))
        for one in shown[same:]:
            self._visible.update(self._occurrences.within(one.raw))
        self._last_projected = shown


def _key(sight: Observation, one: ProjectedMessage) -> Key:
    item = sight.items[one.index]
    return item.id, item.raw
