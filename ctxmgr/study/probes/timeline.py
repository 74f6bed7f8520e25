"""Turns a recorded session into a timeline: every message once, the calls, and the indices at which a list may be
cut.

1. The host never compacts here, and its recorded compactions are skipped, as `drive` skips them: what is kept is up
   to the simulated policy.
2. A list may be cut before a message of the user or the assistant, but not between a call and its result.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.observations import Observation, ProjectedMessage
from ctxmgr.study.recordings import HostMessage, Recording, pi_host

CUT_AT = ("user", "assistant")


class TimelineCall(msgspec.Struct, frozen=True, gc=False):
    """One model call. `time_ms` in milliseconds. `end_index`: number of messages in the list; the reply is the next
    one.
    """

    time_ms: int | None
    end_index: int


class Timeline(msgspec.Struct, frozen=True):
    """A session. `cuts`: indices at which it may be cut, ascending. `wholes`: each message as it is shown if
    kept.
    """

    name: str
    items: tuple[HostMessage, ...]
    calls: tuple[TimelineCall, ...]
    cuts: tuple[int, ...]
    wholes: tuple[ProjectedMessage, ...]


def of(recording: Recording) -> Timeline:
    """The timeline of a recording; linear in its entries."""
    items: list[HostMessage] = []
    calls: list[TimelineCall] = []
    for entry in recording.entries:
        if entry.kind not in ("message", "branch_summary"):
            continue
        message = pi_host.item(entry.id, entry.message)
        if message.role == "assistant":
            called_ms = message.message.get("timestamp")  # when the model was called; the entry is written later
            calls.append(
                TimelineCall(int(called_ms) if isinstance(called_ms, int | float) else entry.time_ms, len(items))
            )
        items.append(message)
    return made(recording.name, items, calls)


def made(name: str, items: Sequence[HostMessage], calls: Sequence[TimelineCall]) -> Timeline:
    """The timeline of these messages, with calls at these positions."""
    wholes = tuple(ProjectedMessage(item.raw, index, True) for index, item in enumerate(items))
    return Timeline(name, tuple(items), tuple(calls), tuple(cuts(items)), wholes)


def cuts(items: Sequence[HostMessage]) -> list[int]:
    """Rule 2: the indices, ascending. A repeated id belongs to the newest call with it."""
    callers: dict[str, int] = {}
    last = [-1] * len(items)  # by index of a call: its last result
    for index, item in enumerate(items):
        if item.role == "assistant":
            callers.update((str(call.get("id", "")), index) for call in item.calls)
        elif item.role == "toolResult":
            caller = callers.get(str(item.message.get("toolCallId", "")))
            if caller is not None:
                last[caller] = index
    out, reach = [], -1
    for index, item in enumerate(items):
        if index > reach and item.role in CUT_AT:
            out.append(index)
        reach = max(reach, last[index])
    return out


def whole(course: Timeline) -> list[Observation]:
    """At each call the complete conversation so far: nothing was removed."""
    return [observation(course, call, course.wholes[: call.end_index], 0) for call in course.calls]


def observation(
    course: Timeline, call: TimelineCall, shown: tuple[ProjectedMessage, ...], epoch: int
) -> Observation:
    """An observation of what a simulated policy shows at a call."""
    return Observation(call.time_ms, course.items[: call.end_index], shown, course.items[call.end_index], epoch)
