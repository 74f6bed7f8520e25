"""Turns what a model was shown into how much of what the user said it could still read, word for word.

Rules:

1. Asked for is each user message of the recorded conversation so far, also what was compacted away since.
2. Held is one that stands as it came; or whose text stands in what was put in the place of others (packet, the
   host's summary), white space aside: a packet may put it on one line.
3. A message without text (an image alone) can be held only as it came.
"""

from collections.abc import Sequence
from functools import cache, partial

from ctxmgr.closed_loop import MessageCache
from ctxmgr.study.figures.recall import Recall
from ctxmgr.study.figures.registry import SHARE, Measures, Metric
from ctxmgr.study.observations import Observation, Ratio, in_place, new_messages, stands_for_others, total


def recall(sights: Sequence[Observation], known: MessageCache) -> tuple[Recall, ...]:
    """One a call: of all, and in place."""
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


def _recalls(session: Measures) -> tuple[Recall, ...]:
    return recall(session.observations, session.known)


METRICS = (
    Metric(
        path="said.mean",
        title="said",
        unit=SHARE,
        about="Of what the user had said by then, the messages that could be read word for word, over all calls.",
        of=lambda session: total(recalled.overall for recalled in session.once(_recalls)),
        mean="said",
    ),
    Metric(
        path="said.inPlaceMean",
        title="said in place",
        unit=SHARE,
        about="The same in messages that stand as they came.",
        of=lambda session: total(recalled.in_place for recalled in session.once(_recalls)),
    ),
    Metric(
        path="said.last",
        title="said, last",
        unit=SHARE,
        about="Of what the user said, the messages that could be read word for word at the last call.",
        of=lambda session: total(recalled.overall for recalled in session.once(_recalls)[-1:]),
        mean="saidLast",
    ),
    Metric(
        path="said.inPlaceLast",
        title="said in place, last",
        unit=SHARE,
        about="The same in messages that stand as they came.",
        of=lambda session: total(recalled.in_place for recalled in session.once(_recalls)[-1:]),
    ),
)
