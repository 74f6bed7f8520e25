"""Turns a session's course into what the control policy would have shown: the plain rule that a policy must beat.

It knows neither prices nor worth, no model and no ctxmgr:
1. The list grows at its end until it would be heavier than `Bounds.grown`. Then the newest messages of at most
   `Bounds.kept` stay, cut where a step or a user's message starts; the newest of these places where one step alone
   is heavier.
2. In front of them stands a packet: the first and the newest thing the user asked, and the paths that calls named,
   newest first, one a line, each once; as much as `Bounds.packet` allows.
3. Both stay the same bytes until the next cut. What was cut does not come back.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import msgspec

from ctxmgr.model import CHARACTERS_A_TOKEN
from ctxmgr.study.hosts import HostMessage, pi_host
from ctxmgr.study.metrics import Observation, ProjectedMessage, Timeline, mentions, timeline

GOAL_SHARE = 5  # each of the two requests may have a fifth of the packet
ARGUMENT_CHARACTERS = 2_000  # of an argument that is read for paths: longer ones are files and scripts


class Bounds(msgspec.Struct, frozen=True):
    """Tokens: of the whole list when it is cut, of what stays, and of the packet. The defaults are
    those of the control that the project's goals were measured beside."""

    full_tokens: int = 40_000
    recent_tokens: int = 20_000
    packet_tokens: int = 1_500


BOUNDS = Bounds()


def sights(found: Timeline, weigh: Callable[[bytes], int], bounds: Bounds = BOUNDS) -> list[Observation]:
    """What the model is shown at each call; `epoch` counts the cuts. `weigh`: bytes of a message to tokens."""
    items = found.items
    before = list(accumulate((weigh(one.raw) for one in items), initial=0))
    named = [_named(one) for one in items]
    packet: tuple[ProjectedMessage, ...] = ()
    start = epoch = heavy = 0
    out = []
    for asked in found.asked:
        if heavy + before[asked.end_index] - before[start] > bounds.full_tokens:
            cut = _cut(found.cuts, before, asked.end_index, bounds.recent_tokens)
            if cut > start:
                raw = _packet(items[:cut], named[:cut], bounds.packet_tokens)
                packet, heavy = (ProjectedMessage(raw, -1, False),), weigh(raw)
                start, epoch = cut, epoch + 1
        out.append(timeline.observation(found, asked, packet + found.wholes[start : asked.end_index], epoch))
    return out


def _cut(cuts: Sequence[int], before: Sequence[int], end: int, kept: int) -> int:
    """Rule 1: the first place from which on no more than `kept` stands before `end`."""
    light = bisect_left(before, before[end] - kept)
    there = bisect_right(cuts, end - 1)  # places before the end
    first = bisect_left(cuts, light, 0, there)
    return cuts[min(first, there - 1)] if there else 0


def _packet(gone: Sequence[HostMessage], named: Sequence[Sequence[str]], tokens: int) -> bytes:
    """Rule 2, as a message of the host."""
    room = tokens * CHARACTERS_A_TOKEN
    asked = [text for one in gone if one.role == "user" and (text := pi_host.text_of(one.message).strip())]
    lines = [f"{title}: {text[: room // GOAL_SHARE]}" for title, text in _requests(asked)]
    lines.append("Files:")
    room -= sum(len(line) + 1 for line in lines)
    for path in dict.fromkeys(path for some in reversed(named) for path in reversed(some)):
        room -= len(path) + 1
        if room < 0:
            break
        lines.append(path)
    content = "\n".join(lines)
    return msgspec.json.encode({"role": "custom", "customType": "control", "content": content, "display": False})


def _requests(asked: Sequence[str]) -> Iterator[tuple[str, str]]:
    if asked:
        yield "Goal", asked[0]
    if len(asked) > 1:
        yield "Newest request", asked[-1]


def _named(one: HostMessage) -> list[str]:
    """The paths in the short arguments of a message's calls, in their order."""
    return [path for call in one.calls for text in _texts(call.get("arguments")) for path in mentions.paths(text)]


def _texts(value: object) -> Iterator[str]:
    """The strings in a value, however deep: Codex's commands are lists."""
    waiting = [value]
    while waiting:
        now = waiting.pop()
        if isinstance(now, str):
            if len(now) <= ARGUMENT_CHARACTERS:
                yield now
        elif isinstance(now, dict):
            waiting += reversed(now.values())
        elif isinstance(now, list):
            waiting += reversed(now)
