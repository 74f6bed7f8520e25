"""The file of a holdout's calls: JSON lines in the state directory, one for each call, beside the sessions.

1. A row contains counts, names of program and model, and digests of ids, but nothing of a conversation.
2. Proxies share the file: each appends complete lines. Lines that cannot be read, or have impossible counts, are
   skipped.
3. A disk fault stops nothing; the row is lost.
4. A session keeps its arm even if the share changes later, and a conversation continues its number of calls. Both
   are read once, from the newest READ_BYTES; a session with only older calls starts over.
5. When the file reaches ROTATED_BYTES it is renamed to `holdout-calls.1`, replacing the previous one. Both are
   read. The process that renames it holds the file's lock, and has checked that the name still means that file.
6. A session's arm follows from its id: it is the same one on any machine.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec

Arm = Literal["managed", "heldOut"]

FILE, OLDER = "holdout-calls", "holdout-calls.1"  # not the name of a session's snapshot
MODE, FOLDER_MODE = 0o600, 0o700
FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
READ_BYTES = ROTATED_BYTES = 16 << 20  # about 60,000 calls

Count = Annotated[int, msgspec.Meta(ge=0)]
Dollars = Annotated[float, msgspec.Meta(ge=0, le=1e9)]  # larger amounts would make sums infinite
DIGEST_CHARACTERS = 16  # hex, 64 bits: enough to distinguish a user's sessions
RANGE = 16**DIGEST_CHARACTERS


def digest(session_id: str) -> str:
    """The beginning of the id's SHA-256, in hex. Rows of calls contain it instead of the id."""
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]


def arm_of(session_id: str, share: float) -> Arm:
    """`share`: of the sessions that are held out, 0 to 1."""
    return "heldOut" if int(digest(session_id), 16) < share * RANGE else "managed"


class HoldoutCall(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One call, as the provider counted it. `at`: milliseconds since 1970. `session`, `conversation`: digests of
    ids; a sub-agent has a conversation of its own in the session that it works for. `call`: the number of the call
    in its conversation, from
    1. Tokens and dollars are None without a count. `prices_of`: the model that the prices belong to, "" for the
       call's own. `error`: the provider refused the call, or its answer broke off with an error. `compaction`: it
       requested a summary. `rereads` and `corrections` count what came with its list: reads of a file that was read
       before and has not changed since, and tool calls that the user rejected with words.
    """

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
        """The number of successful calls of its conversation up to this one."""
        return self.call - self.error


_decoder = msgspec.json.Decoder(HoldoutCall)


class HoldoutCalls:
    """The calls of one state directory."""

    def __init__(self, state_dir: str | os.PathLike[str]) -> None:
        self.path, self.older_path = Path(state_dir) / FILE, Path(state_dir) / OLDER
        self._arms: dict[str, Arm] | None = None
        self._counts: dict[str, int] = {}

    def arm(self, session_id: str) -> Arm | None:
        """The arm of a session with calls in the file, otherwise None (rule 4)."""
        return self._known().get(digest(session_id))

    def assigned(self, session_id: str, share: float) -> Arm:
        """The arm of any session, which it keeps from now on."""
        return self._known().setdefault(digest(session_id), arm_of(session_id, share))

    def count(self, conversation: str) -> int:
        """The number of successful calls of the conversation with this digest."""
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
        with contextlib.suppress(ImportError):  # Windows has no such locks
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file), os.stat(self.path)):
            os.replace(self.path, self.older_path)

    def read(self, newest_bytes: int | None = None) -> Iterator[HoldoutCall]:
        """The calls in order, from the newest `newest_bytes` of them; none if there is no file. Raises OSError."""
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
        """Reads arms and counts in advance (rule 4). The time is proportional to the file's size."""
        self._known()

    def _known(self) -> dict[str, Arm]:
        if self._arms is None:
            self._arms = {}
            with contextlib.suppress(OSError):
                for call in self.read(READ_BYTES):
                    self._arms[call.session] = call.arm
                    self._counts[call.conversation] = call.count
        return self._arms
