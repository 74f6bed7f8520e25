"""A recording: what a session's host sent to its model, in order, with the times.

`Recording` is a session as a list of entries, from which the lists a model saw follow; `Stream` is the events of a
live host as they came. Content is kept as raw JSON.
"""

from typing import Any, Literal

import msgspec

DEFAULT_WINDOW = 200_000  # tokens; session files do not name it, and most recorded models have this one


class UnreadableRecording(Exception):
    """The file is unknown or broken; the text says where, followed by what is there (`quoted`). `unquoted`: the
    text without that.
    """

    def __init__(self, text: str, quoted: str = "") -> None:
        super().__init__(f"{text}: {quoted!r}" if quoted else text)
        self.unquoted = text


class NoConversation(UnreadableRecording):
    """The file is readable, but no model was called in it."""


class RecordedEntry(msgspec.Struct, frozen=True):
    """One step of a session. `message`: what a model's list holds of it, as raw JSON; empty for a model change.

    `time_ms` in milliseconds since the epoch, None if unknown. `first_kept`: of a compaction, the id of the entry
    from which the list continues; "": none of them. `model`: of a model change, its id. `pruned_ms`: when the host
    itself removed this result's content from its list, in milliseconds.
    """

    kind: Literal["message", "compaction", "branch_summary", "model"]
    id: str
    time_ms: int | None
    message: bytes = b""
    role: str = ""
    summary: str = ""
    first_kept: str = ""
    model: str = ""
    pruned_ms: int | None = None


class Recording(msgspec.Struct, frozen=True):
    """A session's active branch, oldest entry first. `window` in tokens. `says_window`: from the recording, else
    the default. `host`: the program that recorded it.

    `notes`: what of the file is not among the entries and why, with counts, and anything odd in it.
    `system_prompt`: the first that was sent beside the list; "" if the recording has none.
    """

    name: str
    session_id: str
    model: str
    entries: tuple[RecordedEntry, ...]
    format: str = "pi"
    cwd: str = ""
    window: int = DEFAULT_WINDOW
    host: str = "pi"
    notes: tuple[str, ...] = ()
    says_window: bool = False
    system_prompt: str = ""


class HostEvent(msgspec.Struct, frozen=True):
    """One event of a live host. `time_ms` in milliseconds. `payload` by member, as raw JSON. `line_number` in its
    file.
    """

    name: str
    time_ms: int | None
    payload: dict[str, msgspec.Raw]
    context: dict[str, Any]
    line_number: int


class Stream(msgspec.Struct, frozen=True):
    """The events of one live session."""

    name: str
    session_id: str
    model: str
    events: tuple[HostEvent, ...]
    format: str = "pi"
    cwd: str = ""
    window: int = DEFAULT_WINDOW
    says_window: bool = False
