"""What tests of measures share: a conversation in a few letters, and what a model would have been shown of it.

sights(u("fix x.py"), a(call("read", path="x.py")), r("text"), a("done")) has one sight for each `a`. `show`
turns the host's list at a call into what is shown of it; the messages have the places of the list as ids.
"""

from collections.abc import Callable, Sequence

from ctxmgr.closed_loop import MessageCache
from ctxmgr.formats import pi
from ctxmgr.session.reading import Reader
from ctxmgr.study.hosts.pi_host import HostMessage, item
from ctxmgr.study.observations.observation import PACKET, Observation, ProjectedMessage
from tests.notation import Said, raws, words

Show = Callable[[Sequence[HostMessage]], Sequence[ProjectedMessage]]


def known() -> MessageCache:
    """Weights are words; a call weighs its name and its JSON, split at spaces."""
    return MessageCache(Reader(pi, words))


def whole(items: Sequence[HostMessage]) -> list[ProjectedMessage]:
    return [ProjectedMessage(one.raw, place, True) for place, one in enumerate(items)]


def newest(count: int, *before: ProjectedMessage) -> Show:
    """The last so many messages, behind these."""
    return lambda items: [*before, *whole(items)[max(0, len(items) - count) :]]


def packed(text: str) -> ProjectedMessage:
    return ProjectedMessage(pi.packet(text, 0), PACKET, False)


def changed(place: int, *said: Said) -> Callable[[Sequence[ProjectedMessage]], list[ProjectedMessage]]:
    """The message at this place with another text; the last of `said` is the new one."""
    raw = raws(*said)[-1]
    return lambda shown: [ProjectedMessage(raw, place, False) if one.index == place else one for one in shown]


def sights(*said: Said, show: Show = whole, epochs: Sequence[int] = ()) -> list[Observation]:
    items = [item(str(place), raw) for place, raw in enumerate(raws(*said))]
    out: list[Observation] = []
    for place, one in enumerate(items):
        if one.role == "assistant":
            at = one.message.get("timestamp")
            epoch = epochs[len(out)] if epochs else 0
            out.append(Observation(at, tuple(items[:place]), tuple(show(items[:place])), one, epoch))
    return out
