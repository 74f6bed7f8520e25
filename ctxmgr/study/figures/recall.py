"""Computes *reference recall*: of the names that the model used next, the share that was shown to it.

Rules:

1. It asks for the file paths, identifiers and error codes (`mentions`) in the next recorded assistant message
   (text, thinking, strings of call arguments) that occurred in the recorded conversation before, including what has
   been removed or compacted since. A name counts once a call.
2. A name is held if it occurs as a name in the text of a shown message. Shortened results and the packet count with
   the text they have. Calls count by the number of names asked for: the mean is over names, not over calls.
3. *In place*: held by an unchanged message. A message that replaces others (packet, host's summary) does not count.
4. *Unpacked*: held by any message but the packet. Names in an index are not knowledge.
5. *Far*: only names last mentioned more than FAR_TOKENS ago are asked for, in tokens of the recorded conversation
   from the end of the message that last mentioned them until now. Any sensible policy keeps nearer ones.
6. Names of the shown list are counted incrementally, so the work is linear in what changes.

The recorded reply does not react to the projection: recall says what a reply would have missed, not how it would
end.

Also computes how much of what the user said can still be read word for word (`SAID`):

1. It asks for each user message of the recorded conversation so far, including what has been compacted since.
2. A message is held if it is unchanged, or if its text occurs in a message that replaces others (packet, host's
   summary), ignoring white space, since a packet may put it on one line.
3. A message without text (only an image) can be held only unchanged.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial

import msgspec

from ctxmgr.closed_loop import MessageCache
from ctxmgr.study.figures.metric import SHARE, Measures, Metric
from ctxmgr.study.observations import (
    PACKET,
    Observation,
    ProjectedMessage,
    Ratio,
    in_place,
    new_messages,
    same_start,
    stands_for_others,
    total,
)

FAR_TOKENS = 20_000  # pi keeps about this much of a session's end, so nearer names are in every list


class Recall(msgspec.Struct, frozen=True):
    """The recall of one call, or of all."""

    overall: Ratio = Ratio()
    in_place: Ratio = Ratio()
    unpacked: Ratio = Ratio()
    far: Ratio = Ratio()
    far_in_place: Ratio = Ratio()


def recall(sights: Sequence[Observation], known: MessageCache, far_tokens: int = FAR_TOKENS) -> tuple[Recall, ...]:
    """The recall of each call."""
    out = []
    ends: dict[str, int] = {}  # name to the end of the last message that mentions it, in tokens from the start
    now = 0
    present = NamePresence(known.names)
    for sight, came in zip(sights, new_messages(sights), strict=True):
        for message in came:
            now += known.weight(message.raw)
            ends.update(dict.fromkeys(known.names(message.raw), now))
        present.follow(sight)
        asked = [name for name in known.names(sight.reply.raw) if name in ends]
        out.append(_recall(asked, [name for name in asked if now - ends[name] > far_tokens], present))
    return tuple(out)


def _recall(asked: Sequence[str], far: Sequence[str], present: "NamePresence") -> Recall:
    def of(names: Sequence[str], there: Callable[[str], bool]) -> Ratio:
        return Ratio(sum(map(there, names)), len(names))

    return Recall(
        overall=of(asked, present.anywhere),
        in_place=of(asked, present.in_place),
        unpacked=of(asked, present.unpacked),
        far=of(far, present.anywhere),
        far_in_place=of(far, present.in_place),
    )


class NamePresence:
    """In how many messages of the shown list each name occurs, by kind of message (rule 6)."""

    def __init__(self, names: Callable[[bytes], Iterable[str]]) -> None:
        self._names = names
        self._projected: tuple[ProjectedMessage, ...] = ()
        self._kinds: list[int] = []
        self._counts: tuple[dict[str, int], ...] = ({}, {}, {})

    def follow(self, sight: Observation) -> None:
        """Updates the counts to this call's list."""
        kinds = [_kind(sight, message) for message in sight.projected_messages]
        same = same_start(self._projected, sight.projected_messages)
        start = next((index for index in range(same) if self._kinds[index] != kinds[index]), same)
        gone = Counter(zip((message.raw for message in self._projected[start:]), self._kinds[start:], strict=True))
        came = Counter(
            zip((message.raw for message in sight.projected_messages[start:]), kinds[start:], strict=True)
        )
        for raw, kind in (gone - came).elements():
            self._count(raw, kind, -1)
        for raw, kind in (came - gone).elements():
            self._count(raw, kind, 1)
        self._projected, self._kinds = sight.projected_messages, kinds

    def _count(self, raw: bytes, kind: int, by: int) -> None:
        counts = self._counts[kind]
        for name in self._names(raw):
            counts[name] = counts.get(name, 0) + by

    def in_place(self, name: str) -> bool:
        return self._counts[_IN_PLACE].get(name, 0) > 0

    def unpacked(self, name: str) -> bool:
        return self.in_place(name) or self._counts[_CHANGED].get(name, 0) > 0

    def anywhere(self, name: str) -> bool:
        return self.unpacked(name) or self._counts[_PACKED].get(name, 0) > 0


_IN_PLACE, _CHANGED, _PACKED = range(3)


def _kind(sight: Observation, message: ProjectedMessage) -> int:
    if in_place(sight, message):
        return _IN_PLACE
    return _PACKED if message.index == PACKET else _CHANGED


def _recalls(session: Measures) -> tuple[Recall, ...]:
    return recall(session.observations, session.known)


def calls(session: Measures) -> tuple[Ratio, ...]:
    """The recall of all names, for each call."""
    return tuple(recalled.overall for recalled in session.once(_recalls))


METRICS = (
    Metric(
        path="recall.inPlace",
        title="in place",
        unit=SHARE,
        about="Share of the names in the next reply that are in an unchanged message.",
        of=lambda session: total(recalled.in_place for recalled in session.once(_recalls)),
        shown=("brief", "page"),
        total="inPlace",
        columns=("in_place_share",),
    ),
    Metric(
        path="recall.overall",
        title="recall",
        unit=SHARE,
        about="Share of the names in the next reply that had been mentioned before and are in the list.",
        of=lambda session: total(calls(session)),
        shown=("page",),
        total="recall",
        columns=("recall_share",),
    ),
    Metric(
        path="recall.unpacked",
        title="unpacked",
        unit=SHARE,
        about="Share of the names in the next reply that are in any message except the packet.",
        of=lambda session: total(recalled.unpacked for recalled in session.once(_recalls)),
    ),
    Metric(
        path="recall.far",
        title="far",
        unit=SHARE,
        about=f"Recall of names last mentioned more than {FAR_TOKENS:,} tokens ago.",
        of=lambda session: total(recalled.far for recalled in session.once(_recalls)),
        shown=("page",),
        total="far",
        columns=("far_share",),
    ),
    Metric(
        path="recall.farInPlace",
        title="far in place",
        unit=SHARE,
        about="The same, counting only unchanged messages.",
        of=lambda session: total(recalled.far_in_place for recalled in session.once(_recalls)),
    ),
)


def said_recall(sights: Sequence[Observation], known: MessageCache) -> tuple[Recall, ...]:
    """For each call: held at all, and held in place."""
    users: dict[bytes, str] = {}
    texts = cache(partial(_folded, known=known))
    out = []
    for sight, came in zip(sights, new_messages(sights), strict=True):
        users.update((message.raw, texts(message.raw)) for message in came if message.role == "user")
        placed = {message.raw for message in sight.projected_messages if in_place(sight, message)}
        gone = [text for raw, text in users.items() if raw not in placed]
        others = [message.raw for message in sight.projected_messages if gone and stands_for_others(sight, message)]
        quoted = sum(any(text in texts(raw) for raw in others) for text in gone if text)
        standing = len(users) - len(gone)
        out.append(Recall(Ratio(standing + quoted, len(users)), Ratio(standing, len(users))))
    return tuple(out)


def _folded(raw: bytes, known: MessageCache) -> str:
    return " ".join(" ".join(known.texts(raw)).split())


def _said_recalls(session: Measures) -> tuple[Recall, ...]:
    return said_recall(session.observations, session.known)


SAID = (
    Metric(
        path="said.mean",
        title="said",
        unit=SHARE,
        about="Share of the user's messages so far that are in the list word for word, over all calls.",
        of=lambda session: total(recalled.overall for recalled in session.once(_said_recalls)),
    ),
    Metric(
        path="said.inPlaceMean",
        title="said in place",
        unit=SHARE,
        about="The same, counting only unchanged messages.",
        of=lambda session: total(recalled.in_place for recalled in session.once(_said_recalls)),
    ),
    Metric(
        path="said.last",
        title="said, last",
        unit=SHARE,
        about="Share of the user's messages that are in the list word for word at the last call.",
        of=lambda session: total(recalled.overall for recalled in session.once(_said_recalls)[-1:]),
    ),
    Metric(
        path="said.inPlaceLast",
        title="said in place, last",
        unit=SHARE,
        about="The same, counting only unchanged messages.",
        of=lambda session: total(recalled.in_place for recalled in session.once(_said_recalls)[-1:]),
    ),
)
