"""Turns one observed call into the stretches of its list: what was kept, shortened or removed, and the packet.

1. A stretch is a run of messages that were treated the same way. Each shortened message, and each kept user
   message, is a stretch of its own.
2. The packet precedes the message that follows it in the list that was sent.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Literal

import msgspec

from ctxmgr.study.driving import ReplayResult
from ctxmgr.study.observations import PACKET, SUMMARY, Observation, ProjectedMessage
from ctxmgr.study.recordings import HostMessage, pi_host

Fate = Literal["kept", "shortened", "removed", "packet"]
NAMES = {
    "user": "user message",
    "assistant": "reply",
    "toolResult": "tool result",
    SUMMARY: "summary by the agent",
}
SUBJECTS = ("path", "file_path", "command", "pattern", "query")  # arguments that name the subject of a call


class Stretch(msgspec.Struct, frozen=True):
    """`first` and `last` of its messages, from 1; 0 for the packet. `tokens`: in the agent's list and as sent.
    `sent_text`: what replaces a shortened result; the packet's text.
    """

    fate: Fate
    first: int
    last: int
    what: str
    tokens: int
    sent_tokens: int
    sent_text: str = ""


def pruned_call(outcome: ReplayResult) -> int | None:
    """The index of the call to show: one that begins an epoch and, if possible, has a packet; among these the call
    with the most tokens removed. None if no list was changed.
    """
    sights, calls = outcome.observations, outcome.calls
    begun = [
        number for number in range(1, len(sights)) if sights[number].epoch_number != sights[number - 1].epoch_number
    ]
    with_packet = [
        number for number in begun if any(one.index == PACKET for one in sights[number].projected_messages)
    ]
    return max(with_packet or begun, key=lambda n: calls[n].before_tokens - calls[n].after_tokens, default=None)


def stretches(sight: Observation, tokens: Callable[[bytes], int]) -> list[Stretch]:
    """In the order of the list. `tokens` counts a message by its bytes."""
    sent = {message.index: message for message in sight.projected_messages if message.index != PACKET}
    subjects = _subjects(sight.items)
    made: list[Stretch] = []
    for (fate, _), run in groupby(enumerate(sight.items), key=lambda one: _kind(one[1], one[0], sent)):
        indexes = [index for index, _ in run]
        items = [sight.items[index] for index in indexes]
        made.append(
            Stretch(
                fate,
                indexes[0] + 1,
                indexes[-1] + 1,
                _what(items, subjects),
                sum(tokens(item.raw) for item in items),
                sum(tokens(sent[index].raw) for index in indexes if index in sent),
                pi_host.text_of(json.loads(sent[indexes[0]].raw)) if fate == "shortened" else "",
            )
        )
    for following, message in _packets(sight.projected_messages, len(sight.items)):
        text = pi_host.text_of(json.loads(message.raw))
        packet = Stretch("packet", 0, 0, "what was removed, in short", 0, tokens(message.raw), text)
        place = next((number for number, one in enumerate(made) if one.last > following), len(made))
        made.insert(place, packet)
    return made


def _kind(item: HostMessage, index: int, sent: dict[int, ProjectedMessage]) -> tuple[Fate, int]:
    """What happened to a message, and a number that all messages of a stretch share."""
    message = sent.get(index)
    if message is None:
        return "removed", 0
    if not message.same:
        return "shortened", index
    return "kept", index if item.role == "user" else -1


def _packets(sent: Sequence[ProjectedMessage], count: int) -> Iterator[tuple[int, ProjectedMessage]]:
    """Each packet with the index of the message that follows it, `count` if none does."""
    for place, message in enumerate(sent):
        if message.index == PACKET:
            yield next((later.index for later in sent[place:] if later.index != PACKET), count), message


def _what(items: Sequence[HostMessage], subjects: dict[str, str]) -> str:
    """Describes a single message by its text or subject, and several by the number of messages of each role."""
    if len(items) > 1:
        counts = Counter(NAMES.get(item.role, "other message") for item in items)
        return ", ".join(f"{count} {name if count == 1 else _plural(name)}" for name, count in counts.most_common())
    (item,) = items
    if item.role == "toolResult":
        return (
            f"result of {subjects.get(item.message.get('toolCallId', ''), item.message.get('toolName', 'a tool'))}"
        )
    called = ", ".join(subjects[call["id"]] for call in item.calls)
    says = pi_host.text_of(item.message) or (f"calls {called}" if called else "")
    return _line(f"{NAMES.get(item.role, 'message')}: {says}".removesuffix(": "))


def _line(text: str) -> str:
    return " ".join(text.split())


def _plural(name: str) -> str:
    return {"reply": "replies", NAMES[SUMMARY]: "summaries by the agent"}.get(name, f"{name}s")


def _subjects(items: Sequence[HostMessage]) -> dict[str, str]:
    """By call id: the tool and its subject, such as "read src/a.py"."""
    named = {}
    for item in items:
        for call in item.calls:
            arguments = call.get("arguments") or {}
            about = next((str(arguments[key]) for key in SUBJECTS if arguments.get(key)), "")
            named[call["id"]] = _line(f"{call['name']} {about}")
    return named
