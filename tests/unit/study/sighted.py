"""What tests of measures share: a conversation in a few letters, and what a model would have been shown of it.

sights(u("fix x.py"), a(call("read", path="x.py")), r("text"), a("done")) has one sight for each `a`. `show`
turns the host's list at a call into what is shown of it; the messages have the places of the list as ids.
"""

from collections.abc import Callable, Sequence

from ctxmgr.closed_loop import MessageCache
from ctxmgr.formats import pi
from ctxmgr.session.reading import Reader
from ctxmgr.study.observations import PACKET, Observation, ProjectedMessage
from ctxmgr.study.recordings.pi_host import HostMessage, item
from tests.notation import Said, raws, words

Show = Callable[[Sequence[HostMessage]], Sequence[ProjectedMessage]]


def known() -> MessageCache:
    """Weights are words; a call weighs its name and its JSON, split at spaces."""
    return MessageCache(Reader(pi, words))


def whole(items: Sequence[HostMessage]) -> list[ProjectedMessage]:
    return [ProjectedMessage(item.raw, index, True) for index, item in enumerate(items)]


def newest(count: int, *before: ProjectedMessage) -> Show:
    """The last so many messages, behind these."""
    return lambda items: [*before, *whole(items)[max(0, len(items) - count) :]]


def packed(text: str) -> ProjectedMessage:
    return ProjectedMessage(pi.packet(text, 0), PACKET, False)


def changed(index: int, *talk: Said) -> Callable[[Sequence[ProjectedMessage]], list[ProjectedMessage]]:
    """The message at this place with another text; the last of `talk` is the new one."""
    raw = raws(*talk)[-1]
    return lambda shown: [
        ProjectedMessage(raw, index, False) if message.index == index else message for message in shown
    ]


def sights(*talk: Said, show: Show = whole, epochs: Sequence[int] = ()) -> list[Observation]:
    items = [item(str(index), raw) for index, raw in enumerate(raws(*talk))]
    out: list[Observation] = []
    for index, listed in enumerate(items):
        if listed.role == "assistant":
            called_ms = listed.message.get("timestamp")
            epoch = epochs[len(out)] if epochs else 0
            out.append(Observation(called_ms, tuple(items[:index]), tuple(show(items[:index])), listed, epoch))
    return out
