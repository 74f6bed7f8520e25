"""The effects that a connection requests, and their results, as values.

A worker, a test or a replay carries out the effects in order. A device may raise anything: no descriptors or memory
left, a name that cannot be encoded, a failed import. The exception becomes the value of the effect, so that nothing
waits forever. This is the only place where an exception becomes a value.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.model import ArchiveRow, policy
from ctxmgr.model.compaction import CompletionRequest
from ctxmgr.model.saved import Stored

FEW, FEWEST = 8, 4  # free file descriptors: below these, sessions leave memory so that others can be saved


class Send(msgspec.Struct, frozen=True):
    """Framed messages for the host, in parts: one, or several in a row."""

    parts: tuple[bytes | memoryview, ...]


class Record(msgspec.Struct, frozen=True):
    """One line of the transcript, without its newline."""

    line: bytes


class Save(msgspec.Struct, frozen=True):
    """One line of the session's snapshot. It must be written before any later effect. The first line is its base.

    `whole` returns the lines of a complete snapshot that includes this line. A rewrite must not be newer than that,
    or later lines would be added twice. `anew`: the existing file is not a valid state and is set aside. `more`:
    further lines, which `whole` includes too.
    """

    session_id: str
    line: bytes
    whole: Callable[[], list[bytes]]
    anew: bool = False
    more: tuple[bytes, ...] = ()


class Open(msgspec.Struct, frozen=True):
    """Open the session's snapshot. The value of `ticket` is a `SnapshotLoaded`. `wakes`: the session was in memory
    before, and the call that brings it back does not wait for the store."""

    ticket: int
    session_id: str
    state_dir: str | None
    wakes: bool = False


class Close(msgspec.Struct, frozen=True):
    """The session ended: sync and release its snapshot."""

    session_id: str


class Rest(msgspec.Struct, frozen=True):
    """The session leaves memory. If its snapshot is complete on disk, release it; otherwise change nothing. The
    value of `ticket` says whether it was complete."""

    ticket: int
    session_id: str


class _OfTheArchive(msgspec.Struct, frozen=True):
    """A request to the archive. The value of `ticket` is an `ArchiveAnswer`."""

    ticket: int
    session_id: str
    state_dir: str | None
    limits: policy.Archive


class PutRows(_OfTheArchive, frozen=True):
    """Store what was removed. The list with its markers waits for this."""

    rows: tuple[ArchiveRow, ...]


class GetRow(_OfTheArchive, frozen=True):
    """Look up what the session stored under this handle."""

    handle: str


class FindRows(_OfTheArchive, frozen=True):
    """Search what the session stored for the words of this query, and `unsaved`, which the archive refused."""

    query: str
    limit: int
    unsaved: tuple[ArchiveRow, ...]


ArchiveEffect = PutRows | GetRow | FindRows


class Flush(msgspec.Struct, frozen=True):
    """The value of `ticket` comes when everything that the session saved is in the store, or cannot be stored now.
    `leaving`: release its lease in the store too."""

    ticket: int
    session_id: str
    leaving: bool = False


class RunInThread(msgspec.Struct, frozen=True):
    """Run this off the loop. The value of `ticket` is its result."""

    ticket: int
    work: Callable[[], Any]


class WeighTexts(RunInThread, frozen=True):
    """Like `RunInThread`, for work that needs a vocabulary: in a thread that nothing else uses."""


class StartTimer(msgspec.Struct, frozen=True):
    """The value of `ticket` is None after this many milliseconds. A late one is harmless."""

    ticket: int
    delay_ms: int


class Complete(msgspec.Struct, frozen=True):
    """Run this model call on the endpoint. The value of `ticket` is a `Completion`."""

    ticket: int
    endpoint: policy.Endpoint
    request: CompletionRequest


class Abandon(msgspec.Struct, frozen=True):
    """Cancel this `Complete`: nothing waits for it any more."""

    ticket: int


class LoadWeigher(msgspec.Struct, frozen=True):
    """Load a vocabulary off the loop, then call `Connection.weigher_loaded`."""

    name: str
    path: str | None


class WatchProcess(msgspec.Struct, frozen=True):
    """Exit when the process with this id has ended."""

    process_id: int


class Log(msgspec.Struct, frozen=True):
    """One line for people, on stderr, without conversation text."""

    text: str


class End(msgspec.Struct, frozen=True):
    """Exit with this code after everything that was sent is written."""

    code: int


class SnapshotLoaded(msgspec.Struct, frozen=True):
    """The result of opening a snapshot. `lines`: without checksums, the base first. `fault`: a sentence or None.
    `refused`: another process has the session open. `stored`: how far it is saved in the store; None without a
    store.
    """

    lines: tuple[bytes, ...] = ()
    fault: str | None = None
    refused: bool = False
    stored: Stored | None = None


Effect = (
    Send
    | Record
    | Save
    | Open
    | Close
    | Rest
    | PutRows
    | GetRow
    | FindRows
    | Flush
    | RunInThread
    | WeighTexts
    | StartTimer
    | Complete
    | Abandon
    | LoadWeigher
    | WatchProcess
    | Log
    | End
)


SENT_TOGETHER_BYTES = 4_000  # size that a pipe takes at once and whole (PIPE_BUF is 4,096 on Linux)


def together(effects: list[Effect]) -> list[Effect]:
    """Merges the effects of many answers: the lines of a session become one write, before the first of their
    answers, and consecutive short answers become one. The order does not change otherwise."""
    out: list[Effect] = []
    saves: dict[str, int] = {}  # index in `out` of a save that a later one of the session may join
    size = SENT_TOGETHER_BYTES  # of the answers at the end of `out`
    for effect in effects:
        if isinstance(effect, Send):
            size += sum(map(len, effect.parts))
            if size <= SENT_TOGETHER_BYTES and isinstance(last := out[-1], Send):
                out[-1] = Send(last.parts + effect.parts)
            else:
                size = sum(map(len, effect.parts))
                out.append(effect)
            continue
        if isinstance(effect, Save):
            place = saves.setdefault(effect.session_id, len(out))
            if place < len(out) and isinstance(first := out[place], Save):
                more = (*first.more, effect.line, *effect.more)
                out[place] = Save(first.session_id, first.line, effect.whole, first.anew or effect.anew, more)
                continue
        elif not isinstance(effect, Record):
            saves.clear()
        size = SENT_TOGETHER_BYTES
        out.append(effect)
    return out


class Unforeseen(Exception):
    """Represents an exception that is not an `Exception`, such as a panic of a binary module, by its name."""


def outcome(work: Callable[[], Any]) -> Any:
    """The result of `work`, or the exception that it raised. Only exceptions that end the program pass through."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001  whoever waits hears of it
        return fault if isinstance(fault, Exception) else Unforeseen(type(fault).__name__)
