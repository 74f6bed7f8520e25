"""A peer: the plain rule that a policy must beat. The list grows, and is cut to its newest part.

It knows neither prices nor worth, no model and no ctxmgr:
1. The list grows at its end until it would be heavier than `Bounds.full_tokens`. Then the newest messages of at
   most `Bounds.recent_tokens` stay, cut where a step or a user's message starts; the newest of these places where
   one step alone is heavier.
2. In front of them stands a packet: the first and the newest thing the user asked, and the paths that calls named,
   newest first, one a line, each once; as much as `Bounds.packet_tokens` allows.
3. Both stay the same bytes until the next cut. What was cut does not come back.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

import msgspec

from ctxmgr.model import CHARACTERS_A_TOKEN
from ctxmgr.study.driving import PeerList
from ctxmgr.study.hosts import HostMessage, pi_host
from ctxmgr.study.metrics import PACKET, ProjectedMessage, paths, strings, timeline

GOAL_SHARE = 5  # each of the two requests may have a fifth of the packet
ARGUMENT_CHARACTERS = 2_000  # of an argument that is read for paths: longer ones are files and scripts


class Bounds(msgspec.Struct, frozen=True):
    """Tokens: of the whole list when it is cut, of what stays, and of the packet."""

    full_tokens: int = 40_000
    recent_tokens: int = 20_000
    packet_tokens: int = 1_500


BOUNDS = Bounds()


def cut(given: PeerList, bounds: Bounds = BOUNDS) -> tuple[ProjectedMessage, ...]:
    """Rule 1."""
    if given.tokens <= bounds.full_tokens:
        return given.messages
    old = tuple(one for one in given.messages if one.index != PACKET)
    before = list(accumulate((given.weigh(one.raw) for one in old), initial=0))
    cuts = timeline.cuts([given.items[one.index] for one in old])
    light = bisect_left(before, before[-1] - bounds.recent_tokens)
    start = next((place for place in cuts if place >= light), cuts[-1] if cuts else 0)
    if start == 0:
        return given.messages
    packet = _packet(given.items[: old[start].index], bounds.packet_tokens)
    return (ProjectedMessage(packet, PACKET, False), *old[start:])


def _packet(gone: Sequence[HostMessage], tokens: int) -> bytes:
    """Rule 2, as a message of the host."""
    room = tokens * CHARACTERS_A_TOKEN
    asked = [text for one in gone if one.role == "user" and (text := pi_host.text_of(one.message).strip())]
    lines = [f"{title}: {text[: room // GOAL_SHARE]}" for title, text in _requests(asked)]
    lines.append("Files:")
    room -= sum(len(line) + 1 for line in lines)
    for path in dict.fromkeys(path for item in reversed(gone) for path in reversed(_named(item))):
        room -= len(path) + 1
        if room < 0:
            break
        lines.append(path)
    content = "\n".join(lines)
    return msgspec.json.encode({"role": "custom", "customType": "sawtooth", "content": content, "display": False})


def _requests(asked: Sequence[str]) -> Iterator[tuple[str, str]]:
    if asked:
        yield "Goal", asked[0]
    if len(asked) > 1:
        yield "Newest request", asked[-1]


def _named(one: HostMessage) -> list[str]:
    """The paths in the short arguments of a message's calls, in their order."""
    texts = (text for call in one.calls for text in strings(call.get("arguments")))
    return [path for text in texts if len(text) <= ARGUMENT_CHARACTERS for path in paths(text)]
