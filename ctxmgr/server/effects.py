"""What a connection wants done, and what came of it, as values.

The worker (or a test, or a replay) carries effects out in order. A device may raise anything (no descriptors or
memory left, a name that cannot be encoded, a failed import): whoever waits for the effect gets the exception as
its value, so that nobody waits for ever. This is the one place where an exception becomes a value.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.model import ArchiveRow, policy
from ctxmgr.model.compaction import CompletionRequest
from ctxmgr.model.saved import Stored

FEW, FEWEST = 8, 4  # file descriptors that are free: sessions leave memory so that others can be saved


class Send(msgspec.Struct, frozen=True):
    """Framed messages for the host, in parts: one, or several that follow each other."""

    parts: tuple[bytes | memoryview, ...]


class Record(msgspec.Struct, frozen=True):
    """One line of the transcript, without its newline."""

    line: bytes


class Save(msgspec.Struct, frozen=True):
    """One line for the session's snapshot; it must be written before any later effect. The first one is its base.

    `whole` gives the lines that say the same as the snapshot with this one: a rewrite must not be ahead of it,
    or later lines would be added twice. `anew`: what is there makes up no state; set it aside. `more`: lines that
    follow it, of which `whole` tells, too.
    """

    session_id: str
    line: bytes
    whole: Callable[[], list[bytes]]
    anew: bool = False
    more: tuple[bytes, ...] = ()


class Open(msgspec.Struct, frozen=True):
    """Open the session's snapshot; answer `ticket` with a `SnapshotLoaded`. `wakes`: it had left memory, and the
    call that brings it back waits for no store."""

    ticket: int
    session_id: str
    state_dir: str | None
    wakes: bool = False


class Close(msgspec.Struct, frozen=True):
    """The session ended: sync and release its snapshot."""

    session_id: str


class Rest(msgspec.Struct, frozen=True):
    """The session leaves memory: where its snapshot is whole on the disk, release it; answer `ticket` with whether
    it was. Where it was not, nothing has changed."""

    ticket: int
    session_id: str


class _OfTheArchive(msgspec.Struct, frozen=True):
    """Something of the archive; answer `ticket` with an `ArchiveAnswer`."""

    ticket: int
    session_id: str
    state_dir: str | None
    limits: policy.Archive


class PutRows(_OfTheArchive, frozen=True):
    """Put what left into it. The list with its markers waits."""

    rows: tuple[ArchiveRow, ...]


class GetRow(_OfTheArchive, frozen=True):
    """Look up what the session put there under this handle."""

    handle: str


class FindRows(_OfTheArchive, frozen=True):
    """Look for what the session put there that has the words of this query, and among `unsaved`, which the archive
    did not take."""

    query: str
    limit: int
    unsaved: tuple[ArchiveRow, ...]


ArchiveEffect = PutRows | GetRow | FindRows


class Flush(msgspec.Struct, frozen=True):
    """Answer `ticket` when what the session saved so far is in the store, or cannot be had there now. `leaving`:
    it is let go of there, too."""

    ticket: int
    session_id: str
    leaving: bool = False


class RunInThread(msgspec.Struct, frozen=True):
    """Run this off the loop; answer `ticket` with its value."""

    ticket: int
    work: Callable[[], Any]


class WeighTexts(RunInThread, frozen=True):
    """The same, for work that waits for a vocabulary: in a thread that nothing else waits for."""


class StartTimer(msgspec.Struct, frozen=True):
    """Answer `ticket` with None after so many milliseconds. One that comes too late is harmless."""

    ticket: int
    delay_ms: int


class Complete(msgspec.Struct, frozen=True):
    """Run this model call on the endpoint; answer `ticket` with a `Completion`."""

    ticket: int
    endpoint: policy.Endpoint
    request: CompletionRequest


class Abandon(msgspec.Struct, frozen=True):
    """Nobody waits for this `Complete` any more: end it."""

    ticket: int


class LoadWeigher(msgspec.Struct, frozen=True):
    """Load a vocabulary off the loop; then call `Connection.weigher_loaded`."""

    name: str
    path: str | None


class WatchProcess(msgspec.Struct, frozen=True):
    """End when the process with this id has ended."""

    process_id: int


class Log(msgspec.Struct, frozen=True):
    """One line for people, on stderr. Holds no conversation text."""

    text: str


class End(msgspec.Struct, frozen=True):
    """The process ends with this code, after what was sent has been written."""

    code: int


class SnapshotLoaded(msgspec.Struct, frozen=True):
    """What opening a snapshot gave. `lines` without checksums, base first; `fault` a sentence or None;
    `refused`: another process holds this session. `stored`: how far it is safe in the store, None without one."""

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


SENT_TOGETHER_BYTES = 4_000  # a pipe takes so many at once, and whole (PIPE_BUF is 4,096 on Linux)


def together(effects: list[Effect]) -> list[Effect]:
    """The same, where many calls were answered at once: a session's lines are one write, before the first of their
    answers, and short answers that follow each other are one. Nothing else is passed by."""
    out: list[Effect] = []
    saves: dict[str, int] = {}  # where in `out` a later one of the session may join
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
    """Stands for what is no `Exception`, such as a panic of a binary module; its text is the name of that."""


def outcome(work: Callable[[], Any]) -> Any:
    """What `work` gives, or the exception it raised. Only the end of the program goes through."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001  whoever waits hears of it
        return fault if isinstance(fault, Exception) else Unforeseen(type(fault).__name__)
