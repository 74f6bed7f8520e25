"""The file of a holdout's calls: JSON lines in the state directory, one a call, beside the sessions.

1. A row has counts, names of program and model, and digests of ids. It has nothing of a conversation.
2. Proxies share the file: each adds whole lines at its end. A line that cannot be read, or has counts
   that cannot be, is skipped.
3. A disk at fault stops nothing: the row is lost.
4. A session that was begun keeps its arm, whatever share is held out later; a conversation goes on with its number
   of calls. Both are read from the newest READ_BYTES, once; a session that is farther back starts over.
5. A file that has grown to ROTATED_BYTES is renamed to `holdout-calls.1`, in place of the one before. Both are
   read. Whoever renames it holds its lock, and has seen that the name still means that file.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from ctxmgr.holdout.assignment import Arm, arm_of, digest

FILE, OLDER = "holdout-calls", "holdout-calls.1"  # not named as a session's snapshot is
MODE, FOLDER_MODE = 0o600, 0o700
FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
READ_BYTES = ROTATED_BYTES = 16 << 20  # some 60,000 calls

Count = Annotated[int, msgspec.Meta(ge=0)]
Dollars = Annotated[float, msgspec.Meta(ge=0, le=1e9)]  # more, and sums of them end beyond all numbers


class HoldoutCall(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One call, as the provider counted it. `at`: milliseconds since 1970. `session`, `conversation`: digests of
    ids; a sub-agent has a conversation of its own in the session that it works for. `call`: which of its
    conversation's calls it is, from 1. Tokens and dollars are None where there was no count; `prices_of`: the
    model whose prices these are, "" where they are its own. `error`: the provider refused the call, or its answer
    broke off with an error. `compaction`: it asked for a summary. What came with its list: `rereads`, reads of a
    file that was read before and not changed since; `corrections`, calls of tools that the user turned down with
    words."""

    at: Count
    arm: Arm
    session: str
    conversation: str
    agent: str
    model: str
    call: Count
    input: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    output: Count | None = None
    dollars: Dollars | None = None
    prices_of: str = ""
    error: bool = False
    compaction: bool = False
    rereads: Count = 0
    corrections: Count = 0

    @property
    def count(self) -> int:
        """So many calls of its conversation have come through with it, without those that failed."""
        return self.call - self.error


_decoder = msgspec.json.Decoder(HoldoutCall)


class HoldoutCalls:
    """Those of one state directory."""

    def __init__(self, state_dir: str | os.PathLike[str]) -> None:
        self.path, self.older_path = Path(state_dir) / FILE, Path(state_dir) / OLDER
        self._arms: dict[str, Arm] | None = None
        self._counts: dict[str, int] = {}

    def arm(self, session_id: str) -> Arm | None:
        """That of a session which has calls here (rule 4)."""
        return self._known().get(digest(session_id))

    def assigned(self, session_id: str, share: float) -> Arm:
        """That of any session, which it keeps from now on."""
        return self._known().setdefault(digest(session_id), arm_of(session_id, share))

    def count(self, conversation: str) -> int:
        """So many calls of the conversation with this digest have come through, without those that failed."""
        self._known()
        return self._counts.get(conversation, 0)

    def note(self, call: HoldoutCall) -> None:
        """Adds a row."""
        self._counts[call.conversation] = call.count
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            file = os.open(self.path, FLAGS, MODE)
            try:
                os.write(file, msgspec.json.encode(call) + b"\n")
                if os.fstat(file).st_size >= ROTATED_BYTES:
                    self._rotate(file)
            finally:
                os.close(file)

    def _rotate(self, file: int) -> None:
        """Rule 5. Raises OSError, also if another process is renaming it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file), os.stat(self.path)):
            os.replace(self.path, self.older_path)

    def read(self, newest_bytes: int | None = None) -> Iterator[HoldoutCall]:
        """In the order in which they came, the newest so many bytes of them; none if there is no file. Raises
        OSError.
        """
        sizes = [(path, path.stat().st_size) for path in (self.older_path, self.path) if path.exists()]
        skipped = 0 if newest_bytes is None else max(0, sum(size for _, size in sizes) - newest_bytes)
        for path, size in sizes:
            with path.open("rb") as file:
                file.seek(min(skipped, size))
                skipped -= min(skipped, size)
                for line in file:
                    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                        yield _decoder.decode(line)

    def load(self) -> None:
        """Reads what later calls go by (rule 4). It takes as long as the file is large."""
        self._known()

    def _known(self) -> dict[str, Arm]:
        if self._arms is None:
            self._arms = {}
            with contextlib.suppress(OSError):
                for call in self.read(READ_BYTES):
                    self._arms[call.session] = call.arm
                    self._counts[call.conversation] = call.count
        return self._arms
