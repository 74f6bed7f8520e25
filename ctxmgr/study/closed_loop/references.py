"""Turns recorded replies into what they act on, and messages into which of that they hold: of a whole session at
once, for who knows its future.
"""

from collections.abc import Iterable, Sequence

from ctxmgr.closed_loop import EarlierCalls, Reference
from ctxmgr.study.metrics import LinePresence, MessageCache, Observation, new_messages


class Occurrences:
    """Which of these references a message holds. A message is looked through once."""

    def __init__(self, references: Iterable[Reference], known: MessageCache) -> None:
        self._messages = known
        self._by_text: dict[str, list[Reference]] = {}
        for one in sorted(set(references)):
            self._by_text.setdefault(one.text, []).append(one)
        self._texts = LinePresence(self._by_text)
        self._within: dict[bytes, frozenset[Reference]] = {}

    def within(self, raw: bytes) -> frozenset[Reference]:
        found = self._within.get(raw)
        if found is None:
            texts = self._texts.within(raw, self._messages)
            found = self._within[raw] = frozenset(one for text in texts for one in self._by_text[text])
        return found


def acted_on(sights: Sequence[Observation], known: MessageCache) -> tuple[tuple[Reference, ...], ...]:
    """What each call's recorded reply acts on, whether or not the conversation had it before."""
    earlier = EarlierCalls()
    out = []
    for sight, came in zip(sights, new_messages(sights), strict=True):
        earlier.add(known.message(one.raw) for one in came)
        out.append(earlier.acted_on((known.message(sight.reply.raw),)))
    return tuple(out)
