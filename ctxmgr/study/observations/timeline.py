"""Turns a recorded session into its course: every message once, the calls on the way, and where a list may be cut.

The ground of what is simulated in the study itself, without ctxmgr (`closed_loop`). Rules:
1. The host never compacts here, and its recorded compactions are left out, as `drive` leaves them out: what stays
   is the simulated policy's own business.
2. A list may be cut before a user's or an assistant's message, but nowhere between a call and its result.
3. A step starts at an assistant's message that may be cut at. All between it and the next is part of it, a host's
   notes and the user's own bash runs too; but what the user said is part of no step.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.observations.observation import Observation, ProjectedMessage
from ctxmgr.study.recordings import HostMessage, Recording, pi_host

CUT_AT = ("user", "assistant")


class TimelineCall(msgspec.Struct, frozen=True, gc=False):
    """One model call. `time_ms` in milliseconds; `end_index`: so many messages stood in the list; the reply is the
    next."""

    time_ms: int | None
    end_index: int


class Timeline(msgspec.Struct, frozen=True):
    """A session. `cuts`: places where it may be cut, ascending; `wholes`: each message as it is shown when kept."""

    name: str
    items: tuple[HostMessage, ...]
    calls: tuple[TimelineCall, ...]
    cuts: tuple[int, ...]
    wholes: tuple[ProjectedMessage, ...]


def of(recording: Recording) -> Timeline:
    """The course of a recording; linear in its entries."""
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
    """The course of these messages with calls at these places."""
    wholes = tuple(ProjectedMessage(item.raw, index, True) for index, item in enumerate(items))
    return Timeline(name, tuple(items), tuple(calls), tuple(cuts(items)), wholes)


def cuts(items: Sequence[HostMessage]) -> list[int]:
    """Rule 2: the places, ascending. An id that comes again belongs to the newest call with it."""
    callers: dict[str, int] = {}
    last = [-1] * len(items)  # by place of the calls: their last result
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
    """At each call all that was said before it: nothing was taken away."""
    return [observation(course, call, course.wholes[: call.end_index], 0) for call in course.calls]


def observation(
    course: Timeline, call: TimelineCall, shown: tuple[ProjectedMessage, ...], epoch: int
) -> Observation:
    """What a simulated policy shows at a call."""
    return Observation(call.time_ms, course.items[: call.end_index], shown, course.items[call.end_index], epoch)
