"""Carries out a connection's effects on the devices, on asyncio. Knows no front: whoever stands before it brings
the bytes of a host by `receive`, and gets those for the host by `send`.

Rules:
1. Effects are carried out in the order in which the connection gave them.
2. What takes long runs in a thread, or as a task; its value comes back by `resume` on the loop.
3. After `ended` is done nothing is carried out any more; `close` then lets go of all that is open.
"""

import asyncio
import functools
import os
import stat
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import msgspec

from ctxmgr.model import ESTIMATE, Weigh, estimate
from ctxmgr.server import effects as do
from ctxmgr.server.connection import Connection, ConnectionOptions
from ctxmgr.server.model_calls import ModelCalls
from ctxmgr.server.state_files import StateFiles

if TYPE_CHECKING:
    from ctxmgr.devices import Embedder, NoEmbeddings

THREADS = 2  # for weighing: it gives up the interpreter's lock, more threads would fight for two cores
DRAIN_SECONDS = 5.0  # for what is under way to end, and for the host to read what is left, at the end
WATCH_SECONDS = 1.0  # between looks at the host's process

Parts = Sequence[bytes | memoryview]


class Setup(msgspec.Struct, frozen=True):
    """`record`: the transcript's file; `preload`: a vocabulary loaded before the first message is read;
    `max_message_bytes` in bytes."""

    state_dir: str | None = None
    record: str | None = None
    preload: str | None = None
    max_message_bytes: int = 64 << 20


class Runtime:
    """One connection and its devices. `send` writes one framed message to the host; `say` tells people a line,
    which holds no conversation text. Made outside a loop, used on one. Raises OSError where the transcript can
    not be written."""

    def __init__(self, setup: Setup, send: Callable[[Parts], None], say: Callable[[str], None]) -> None:
        self.say, self._write = say, send
        weighers: dict[str, Weigh] = {ESTIMATE: estimate}
        fallback = ESTIMATE
        if setup.preload:
            from ctxmgr.devices import tokens

            loaded = tokens.load(setup.preload)
            weighers[loaded.weigher.name] = loaded.weigher
            fallback = loaded.weigher.name
            if loaded.note:
                say(loaded.note)
        options = ConnectionOptions(setup.record is not None, setup.state_dir, setup.max_message_bytes)
        self.connection = Connection(options, weighers, fallback, functools.partial(_embedded, say))
        self.state_files = StateFiles(say, self.connection.not_saved)
        self.model_calls = ModelCalls(self._resume)
        self.transcript = _transcript(setup.record) if setup.record else -1
        self.threads = ThreadPoolExecutor(THREADS, "work")
        self.prepared = False
        self._waiting: deque[do.Effect] = deque()
        self._carrying = False

    def start(self) -> None:
        """On the loop that it is to run on."""
        self.loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[int] = self.loop.create_future()
        self._syncing = self.loop.create_task(self.state_files.sync_now_and_then(self.threads))
        self._carry_out(self.connection.receive(b""))

    def receive(self, chunk: bytes) -> None:
        """What the host wrote, in any pieces; b"" at its end."""
        self._carry_out(self.connection.receive(chunk) if chunk else self.connection.eof())
        if not self.prepared and self.connection.ready:
            self.prepared = True
            self.loop.call_soon(self._prepare)

    def end(self, code: int) -> None:
        """The exit code is settled; `ended` is done. The first one stands."""
        if not self.ended.done():
            self.ended.set_result(code)

    async def close(self) -> None:
        """Lets go of threads, tasks and files."""
        self._syncing.cancel()
        await self.model_calls.end(DRAIN_SECONDS)
        self.threads.shutdown(wait=False, cancel_futures=True)
        self.state_files.close_all()

    def close_transcript(self) -> None:
        if self.transcript >= 0:
            os.close(self.transcript)
            self.transcript = -1

    def _prepare(self) -> None:
        """Loads what the first session will need, while the host reads the answer to `initialize`."""
        from ctxmgr.devices import snapshots, tokens  # noqa: F401

        self.connection.prepare()

    # effects

    def _carry_out(self, effects: list[do.Effect]) -> None:
        """In the order in which they were wanted (rule 1): what one brings about comes after those that wait."""
        self._waiting.extend(effects)
        if self._carrying:
            return
        self._carrying = True
        try:
            while self._waiting:
                effect = self._waiting.popleft()
                self._EFFECTS[type(effect)](self, effect)
        finally:
            self._carrying = False

    def _resume(self, ticket: int, value: Any) -> None:
        if not self.ended.done():
            self._carry_out(self.connection.resume(ticket, value))

    def _send(self, effect: do.Send) -> None:
        self._write(effect.parts)

    def _record(self, effect: do.Record) -> None:
        if self.transcript < 0:
            return
        try:
            os.write(self.transcript, effect.line + b"\n")
        except OSError as fault:  # with a line missing it would replay wrongly: it ends here
            os.close(self.transcript)
            self.transcript = -1
            self.say(f"the transcript could not be written and ends here: {fault.strerror}")

    def _save(self, effect: do.Save | do.Begin) -> None:
        self.state_files.save(effect)

    def _open(self, effect: do.Open) -> None:
        if not self.state_files.stores:
            self.threads.submit(_keep_large_buffers)
        self._carry_out(self.connection.resume(effect.ticket, self.state_files.open(effect)))

    def _close(self, effect: do.Close) -> None:
        self.state_files.close(effect.session_id)

    def _archive(self, effect: do.PutRows | do.GetRow) -> None:
        future = asyncio.wrap_future(self.state_files.archive(effect), loop=self.loop)
        future.add_done_callback(lambda done: self._ran(effect.ticket, done))

    def _run(self, effect: do.RunInThread) -> None:
        future = self.loop.run_in_executor(self.threads, effect.work)
        future.add_done_callback(lambda done: self._ran(effect.ticket, done))

    def _ran(self, ticket: int, done: "asyncio.Future[Any]") -> None:
        if not done.cancelled():
            self._resume(ticket, done.exception() or done.result())

    def _wake(self, effect: do.StartTimer) -> None:
        self.loop.call_later(effect.delay_ms / 1000, self._resume, effect.ticket, None)

    def _complete(self, effect: do.Complete) -> None:
        self.model_calls.begin(effect)

    def _abandon(self, effect: do.Abandon) -> None:
        self.model_calls.abandon(effect.ticket)

    def _load(self, effect: do.LoadWeigher) -> None:
        def load() -> Any:
            from ctxmgr.devices import tokens

            return tokens.load(effect.name, effect.path)

        future = self.loop.run_in_executor(self.threads, load)
        future.add_done_callback(lambda done: self._loaded(effect.name, done))

    def _loaded(self, name: str, done: "asyncio.Future[Any]") -> None:
        if done.cancelled() or self.ended.done():
            return
        loaded = done.result()
        weigh = loaded.weigher if loaded.weigher.name == name else None
        self._carry_out(self.connection.weigher_loaded(name, weigh, loaded.note))

    def _watch(self, effect: do.WatchProcess) -> None:
        """End of input tells first as a rule; a host that leaves its pipes to a child is seen only here."""
        if effect.process_id <= 0 or self.ended.done():
            return
        try:
            os.kill(effect.process_id, 0)
        except ProcessLookupError:
            self._carry_out(self.connection.eof())
            return
        except (OSError, OverflowError):
            return  # not ours to look at, or no process id at all
        self.loop.call_later(WATCH_SECONDS, self._watch, effect)

    def _say_effect(self, effect: do.Log) -> None:
        self.say(effect.text)

    def _end(self, effect: do.End) -> None:
        self.end(effect.code)

    _EFFECTS: dict[type, Callable[["Runtime", Any], None]] = {
        do.Send: _send,
        do.Record: _record,
        do.Save: _save,
        do.Begin: _save,
        do.Open: _open,
        do.Close: _close,
        do.PutRows: _archive,
        do.GetRow: _archive,
        do.RunInThread: _run,
        do.StartTimer: _wake,
        do.Complete: _complete,
        do.Abandon: _abandon,
        do.LoadWeigher: _load,
        do.WatchProcess: _watch,
        do.Log: _say_effect,
        do.End: _end,
    }


@functools.cache
def _embedder(say: Callable[[str], None]) -> "Embedder | NoEmbeddings":
    from ctxmgr.devices import embeddings

    found = embeddings.load()
    if isinstance(found, embeddings.NoEmbeddings):
        say(f"no embeddings: {found.reason}")
    return found


def _embedded(say: Callable[[str], None], texts: Sequence[str]) -> list[list[float]] | None:
    """In a thread. None where the embeddings extra is not there; that is said once."""
    from ctxmgr.devices import NoEmbeddings

    embedder = _embedder(say)
    return None if isinstance(embedder, NoEmbeddings) else embedder.embed(texts)


def _keep_large_buffers() -> None:
    """Off the loop: the first long list must not wait for the import of what calls the allocator."""
    from ctxmgr.devices import keep_large_buffers

    keep_large_buffers()


def _transcript(path: str) -> int:
    """It holds conversation: for the user's eyes alone."""
    transcript = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(transcript).st_mode):
        os.fchmod(transcript, 0o600)  # it may have been there
    return transcript
