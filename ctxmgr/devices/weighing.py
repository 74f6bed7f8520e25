"""Counts tokens in a separate process: both ends of the pipe between it and the server.

1. A child process rather than a thread: tiktoken holds the interpreter's lock for 140 ms while it loads a
   vocabulary, and every session would wait. It takes 70 MB and lives as long as its parent. Loading it again would
   take half a second, during which pressure would rest on the estimate.
2. The pipes carry msgpack, each message after its length (4 bytes, big endian): first what to load and the result,
   then texts and their total number of tokens. No text goes into arguments, files or stderr.
3. The child ends when its input closes, so it never outlives its parent, however that ends.
4. A child that cannot be started, ends, answers anything else or does not answer in time is killed, and every later
   call raises `WeighingFault`.
"""

import contextlib
import errno
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Annotated, Any, TypeVar

import msgspec

from ctxmgr import isolation
from ctxmgr.model import WeighAll, faults

COMMAND = isolation.command(module="ctxmgr.devices.weighing")
LOAD_SECONDS = 30.0  # nobody waits for it
WEIGH_SECONDS = 5.0  # a session's next call waits for it; 50,000 characters take some milliseconds
LENGTH_BYTES = 4
ANSWER_BYTES = 1 << 16  # largest answer
TEXT_BYTES = 1 << 28  # largest request

_encode = msgspec.msgpack.encode
Answer = TypeVar("Answer")
Count = Annotated[int, msgspec.Meta(ge=0)]


class Wanted(msgspec.Struct, frozen=True):
    """The vocabulary to load; `path` is the policy's file."""

    name: str
    path: str | None


class Loaded(msgspec.Struct, frozen=True):
    """The result: whether it is loaded, and in one line what a user should know."""

    there: bool
    note: str | None


class LoadedVocabulary(msgspec.Struct, frozen=True):
    """A counter, or None if the vocabulary is not available; and in one line what a user should know."""

    weigh: WeighAll | None
    note: str | None = None


class WeighingFault(OSError):
    """The child is unusable; `strerror` says why."""


class WeighingChild:
    """A vocabulary in a separate process. Thread-safe; calls wait for each other."""

    def __init__(self, name: str, path: str | None = None) -> None:
        """Starts nothing. `path` is the policy's vocabulary file."""
        self._wanted = Wanted(name, path)
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = self._late = False

    def load(self) -> LoadedVocabulary:
        """Starts the process and loads the vocabulary. Blocks for about half a second, so call it in a thread.
        Never raises: any obstacle leads to a note.
        """
        name = self._wanted.name
        try:
            loaded = self._started()
        except Exception as fault:  # noqa: BLE001 - whatever the system refuses costs no more than exactness
            return LoadedVocabulary(
                None, f"token counts are estimated: {name} could not be loaded: {faults.cause(fault)}"
            )
        if loaded.there:
            return LoadedVocabulary(self.weigh, loaded.note)
        self.end()
        return LoadedVocabulary(None, loaded.note)

    def _started(self) -> Loaded:
        with self._lock:
            self._process = process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the parent, which ends it
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            if self._ended:
                process.kill()
            return self._answer(self._wanted, Loaded, LOAD_SECONDS)

    def weigh(self, texts: Sequence[str]) -> int:
        """The total number of tokens of these texts. Raises WeighingFault."""
        return self._answer([text.encode("utf-8", "surrogatepass") for text in texts], Count, WEIGH_SECONDS)

    def end(self) -> None:
        """Kills it; waiting callers get a fault."""
        self._ended = True
        if self._process is not None:
            self._process.kill()
        with self._lock:
            process, self._process = self._process, None
            if process is not None:
                _let_go(process)

    def _answer(self, what: Any, answer: type[Answer], seconds: float) -> Answer:
        with self._lock:
            if self._process is None:
                raise _fault("has ended")
            timer = threading.Timer(seconds, self._too_late)
            timer.daemon = True
            try:
                timer.start()
                _send(self._process.stdin, what)
                reply: Answer = _received(self._process.stdout, answer)
                return reply
            except BaseException as fault:
                self.end()
                if isinstance(fault, msgspec.MsgspecError):
                    raise _fault("answered something else") from None
                if isinstance(fault, OSError | EOFError):
                    raise _fault("did not answer in time" if self._late else "has ended") from None
                raise
            finally:
                timer.cancel()

    def _too_late(self) -> None:
        self._late = True
        if (process := self._process) is not None:
            process.kill()


def _fault(what: str) -> WeighingFault:
    return WeighingFault(errno.EPIPE, f"the process that counts tokens {what}")


def _let_go(process: "subprocess.Popen[bytes]") -> None:
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # what was not written yet can be dropped
            pipe.close()  # type: ignore[union-attr]
    process.wait()


def _send(pipe: IO[bytes] | None, value: Any) -> None:
    assert pipe is not None
    body = _encode(value)
    pipe.write(len(body).to_bytes(LENGTH_BYTES, "big") + body)
    pipe.flush()


def _received(pipe: IO[bytes] | None, kind: Any, most: int = ANSWER_BYTES) -> Any:
    """Raises EOFError if the pipe has closed, MsgspecError for anything unexpected."""
    assert pipe is not None
    size = int.from_bytes(_whole(pipe, LENGTH_BYTES), "big")
    if size > most:
        raise msgspec.DecodeError
    return msgspec.msgpack.decode(_whole(pipe, size), type=kind)


def _whole(pipe: IO[bytes], size: int) -> bytes:
    content = pipe.read(size)
    if len(content) < size:
        raise EOFError
    return content


def main() -> None:
    """The child's end."""
    from ctxmgr.devices import tokens

    source, sink = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError, OSError):
        wanted = _received(source, Wanted, TEXT_BYTES)
        loaded = tokens.load(wanted.name, wanted.path)
        _send(sink, Loaded(loaded.weigher.name == wanted.name, loaded.note))
        while True:
            texts = _received(source, list[bytes], TEXT_BYTES)
            _send(sink, sum(loaded.weigher(text.decode("utf-8", "surrogatepass")) for text in texts))
