"""Floor 5: runs a connection on asyncio, and carries out its effects on the devices."""

import asyncio
import contextlib
import functools
import os
import signal
import stat
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import msgspec

from ctxmgr.devices import stdio
from ctxmgr.model.policy import Endpoint
from ctxmgr.server import effects as do
from ctxmgr.server.connection import Connection, Options

# Devices are imported when the first session needs them: a host waits for the answer to `initialize`.
if TYPE_CHECKING:
    from ctxmgr.devices.archives import Archives
    from ctxmgr.devices.embeddings import Embedder, Missing
    from ctxmgr.devices.endpoint import Chat
    from ctxmgr.devices.snapshots import SnapshotFile, Store

THREADS = 2  # for weighing: it gives up the interpreter's lock, more threads would fight for two cores
SYNC_SECONDS = 2.0  # at most so much is lost when the power fails
DRAIN_SECONDS = 5.0  # for the host to read what is left, at the end
WATCH_SECONDS = 1.0  # between looks at the host's process
FILES = 65_536  # descriptors asked for
SWITCH_SECONDS = 0.001  # the interpreter's lock changes hands so often: the loop waits less for a thread
ESTIMATE = "estimate"  # what weighs text until a vocabulary is there


class Setup(msgspec.Struct, frozen=True):
    """`record`: the transcript's file; `preload`: a vocabulary loaded before the first message is read."""

    state_dir: str | None = None
    record: str | None = None
    preload: str | None = None
    max_message: int = 64 << 20


def serve(setup: Setup) -> int:
    """Serves one host on the standard streams until it ends; the exit code."""
    sys.setswitchinterval(SWITCH_SECONDS)
    _allow_many_files()
    try:
        worker = _Worker(setup)
    except OSError as fault:
        _say(f"the transcript can not be written: {fault}")
        return 2
    return asyncio.run(worker.run())


class _Worker:
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        weighers: dict[str, Callable[[str], int]] = {ESTIMATE: _estimate}
        fallback, note = ESTIMATE, None
        if setup.preload:
            from ctxmgr.devices.tokens import load

            loaded = load(setup.preload)
            weighers[loaded.weigher.name] = loaded.weigher
            fallback, note = loaded.weigher.name, loaded.note
        options = Options(setup.record is not None, setup.state_dir, setup.max_message)
        self.connection = Connection(options, weighers, fallback, _embedded)
        self.stores: dict[str, Store] = {}
        self.files: dict[str, SnapshotFile] = {}
        self.archives: Archives | None = None  # from the first row on: hosts that declare no `retrieve` pay nothing
        self.live: frozenset[str] = frozenset()  # sessions that are open
        self.dirty: set[str] = set()
        self.faulty: set[str] = set()
        self.transcript = _transcript(setup.record) if setup.record else -1
        self.threads = ThreadPoolExecutor(THREADS, "work")
        self.calls: dict[int, asyncio.Task[None]] = {}  # of an endpoint, by ticket
        self.chats: dict[Endpoint, Chat] = {}
        self.prepared = False
        if note:
            _say(note)

    async def run(self) -> int:
        self.loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[int] = self.loop.create_future()
        source, sink = stdio.claim()
        self.output = stdio.Output(sink)
        with contextlib.suppress(NotImplementedError):  # Windows has no such signals
            for number in (signal.SIGTERM, signal.SIGINT):
                self.loop.add_signal_handler(number, self._end, do.End(128 + number))
        self._carry_out(self.connection.receive(b""))
        stdio.Input(self.loop, source, self._came)
        syncing = self.loop.create_task(self._sync_now_and_then())
        code = await self.ended
        syncing.cancel()
        await self._hang_up()
        self.threads.shutdown(wait=False, cancel_futures=True)
        self._close_all()
        if self.archives is not None:
            self.archives.close()
        self.output.close(DRAIN_SECONDS)
        if self.transcript >= 0:
            os.close(self.transcript)
        return code

    def _came(self, chunk: bytes) -> None:
        self._carry_out(self.connection.receive(chunk) if chunk else self.connection.eof())
        if not self.prepared and self.connection.ready:
            self.prepared = True
            self.loop.call_soon(self._prepare)
        if self.output.lost and not self.ended.done():
            _say("the host reads no more")
            self.ended.set_result(1)

    def _prepare(self) -> None:
        """Loads what the first session will need, while the host reads the answer to `initialize`."""
        import ctxmgr.devices.snapshots
        import ctxmgr.devices.tokens  # noqa: F401

        self.connection.prepare()

    # effects

    def _carry_out(self, effects: list[do.Effect]) -> None:
        for effect in effects:
            self._EFFECTS[type(effect)](self, effect)

    def _send(self, effect: do.Send) -> None:
        self.output.write(effect.parts)

    def _record(self, effect: do.Record) -> None:
        if self.transcript < 0:
            return
        try:
            os.write(self.transcript, effect.line + b"\n")
        except OSError as fault:  # with a line missing it would replay wrongly: it ends here
            os.close(self.transcript)
            self.transcript = -1
            _say(f"the transcript could not be written and ends here: {fault.strerror}")

    def _save(self, effect: do.Save | do.Begin) -> None:
        file = self.files.get(effect.session_id)
        if file is None:
            return
        try:
            if isinstance(effect, do.Begin) and effect.anew:
                _say(f"a snapshot was set aside as {file.set_aside()}")
            if not _appended(file, effect.line) or file.grown:
                file.rewrite([effect.line] if isinstance(effect, do.Begin) else effect.whole())
        except (OSError, ValueError) as fault:
            self._save_failed(effect.session_id, fault)
            return
        self.faulty.discard(effect.session_id)
        self.dirty.add(effect.session_id)

    def _save_failed(self, session_id: str, fault: Exception) -> None:
        """Said once a stretch of failures: the session goes on, and the next save tries again."""
        if session_id not in self.faulty:
            self.faulty.add(session_id)
            text = f"a snapshot could not be written: {fault}"
            self.connection.not_saved(session_id, text)
            _say(text)

    def _open(self, effect: do.Open) -> None:
        from pathlib import Path

        from ctxmgr.devices.snapshots import Store

        if not self.stores:
            self.threads.submit(_keep_large_buffers)
        directory = effect.state_dir or default_state_dir()
        store = self.stores.get(directory)
        if store is None:
            store = self.stores[directory] = Store(Path(directory))
        self._set_live(self.live | {effect.session_id})
        opened = store.open(effect.session_id)
        if opened.file is not None:
            self.files[effect.session_id] = opened.file
        found = do.Found(opened.lines, opened.fault, opened.refused)
        self._carry_out(self.connection.resume(effect.ticket, found))

    def _close(self, effect: do.Close) -> None:
        self._set_live(self.live - {effect.session_id})
        file = self.files.pop(effect.session_id, None)
        self.dirty.discard(effect.session_id)
        if file is not None:
            _closed(file)

    def _close_all(self) -> None:
        for session_id in list(self.files):
            self._close(do.Close(session_id))

    def _set_live(self, live: frozenset[str]) -> None:
        self.live = live
        if self.archives is not None:
            self.archives.live = live

    def _archive(self, effect: do.Archive | do.Retrieve) -> None:
        if self.archives is None:
            from ctxmgr.devices.archives import Archives

            self.archives = Archives(self.live)
        directory, id = effect.state_dir or default_state_dir(), effect.session_id
        if isinstance(effect, do.Archive):
            answer = self.archives.put(directory, id, effect.rows, effect.limits)
        else:
            answer = self.archives.get(directory, id, effect.handle, effect.limits)
        future = asyncio.wrap_future(answer, loop=self.loop)
        future.add_done_callback(lambda done: self._ran(effect.ticket, done))

    def _run(self, effect: do.Run) -> None:
        future = self.loop.run_in_executor(self.threads, effect.work)
        future.add_done_callback(lambda done: self._ran(effect.ticket, done))

    def _ran(self, ticket: int, done: "asyncio.Future[Any]") -> None:
        if done.cancelled() or self.ended.done():
            return
        self._carry_out(self.connection.resume(ticket, done.exception() or done.result()))

    def _wake(self, effect: do.Wake) -> None:
        self.loop.call_later(effect.milliseconds / 1000, self._woke, effect.ticket)

    def _woke(self, ticket: int) -> None:
        if not self.ended.done():
            self._carry_out(self.connection.resume(ticket, None))

    def _complete(self, effect: do.Complete) -> None:
        self.calls[effect.ticket] = self.loop.create_task(self._completed(effect))

    async def _completed(self, effect: do.Complete) -> None:
        from ctxmgr.devices.endpoint import Chat

        chat = self.chats.get(effect.endpoint)
        if chat is None:
            chat = self.chats[effect.endpoint] = Chat(effect.endpoint, os.environ)
        try:
            value: Any = await chat.complete(effect.ask)
        except Exception as fault:  # noqa: BLE001  the errand hears of it
            value = fault
        abandoned = self.calls.pop(effect.ticket, None) is None
        if not abandoned and not self.ended.done():
            self._carry_out(self.connection.resume(effect.ticket, value))

    def _abandon(self, effect: do.Abandon) -> None:
        call = self.calls.pop(effect.ticket, None)
        if call is not None:
            call.cancel()

    async def _hang_up(self) -> None:
        """Calls of an endpoint that nobody waits for any more end with the process."""
        for call in self.calls.values():
            call.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await asyncio.gather(*self.calls.values(), return_exceptions=True)
                for chat in self.chats.values():
                    await chat.close()

    def _load(self, effect: do.LoadWeigher) -> None:
        def load() -> Any:
            from ctxmgr.devices.tokens import load

            return load(effect.name, effect.path)

        future = self.loop.run_in_executor(self.threads, load)
        future.add_done_callback(lambda done: self._loaded(effect.name, done))

    def _loaded(self, name: str, done: "asyncio.Future[Any]") -> None:
        if done.cancelled() or self.ended.done():
            return
        loaded = done.result()
        weigh = loaded.weigher if loaded.weigher.name == name else None
        self._carry_out(self.connection.weigher_loaded(name, weigh, loaded.note))

    def _watch(self, effect: do.Watch) -> None:
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

    def _say_effect(self, effect: do.Say) -> None:
        _say(effect.text)

    def _end(self, effect: do.End) -> None:
        if not self.ended.done():
            self.ended.set_result(effect.code)

    _EFFECTS: dict[type, Callable[["_Worker", Any], None]] = {
        do.Send: _send,
        do.Record: _record,
        do.Save: _save,
        do.Begin: _save,
        do.Open: _open,
        do.Close: _close,
        do.Archive: _archive,
        do.Retrieve: _archive,
        do.Run: _run,
        do.Wake: _wake,
        do.Complete: _complete,
        do.Abandon: _abandon,
        do.LoadWeigher: _load,
        do.Watch: _watch,
        do.Say: _say_effect,
        do.End: _end,
    }

    async def _sync_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            dirty, self.dirty = self.dirty, set()
            for file in [self.files[one] for one in dirty if one in self.files]:
                await self.loop.run_in_executor(self.threads, _synced, file)


def _appended(file: "SnapshotFile", line: bytes) -> bool:
    """False where the disk did not take it, or did not take the base before; a rewrite may fit by now."""
    try:
        file.append(line)
    except (OSError, ValueError):
        return False
    return True


def _synced(file: "SnapshotFile") -> None:
    try:
        file.sync()
    except OSError as fault:
        _say(f"a snapshot could not be synced: {fault}")


def _closed(file: "SnapshotFile") -> None:
    try:
        file.close()
    except OSError as fault:
        _say(f"a snapshot could not be synced: {fault}")


def _allow_many_files() -> None:
    """Each session holds two descriptors: without more of them, the 500th would go on unsaved."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows; what the system refuses
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _estimate(text: str) -> int:
    from ctxmgr.devices.tokens import estimate

    return estimate(text)


@functools.cache
def _embedder() -> "Embedder | Missing":
    from ctxmgr.devices import embeddings

    found = embeddings.load()
    if isinstance(found, embeddings.Missing):
        _say(f"no embeddings: {found.reason}")
    return found


def _embedded(texts: Sequence[str]) -> list[list[float]] | None:
    """In a thread. None where the embeddings extra is not there; that is said once."""
    from ctxmgr.devices.embeddings import Missing

    embedder = _embedder()
    return None if isinstance(embedder, Missing) else embedder.embed(texts)


def _keep_large_buffers() -> None:
    """Off the loop: the first long list must not wait for the import of what calls the allocator."""
    from ctxmgr.devices.allocator import keep_large_buffers

    keep_large_buffers()


def _transcript(path: str) -> int:
    """It holds conversation: for the user's eyes alone."""
    transcript = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(transcript).st_mode):
        os.fchmod(transcript, 0o600)  # it may have been there
    return transcript


def default_state_dir() -> str:
    """Where snapshots and archive lie when nobody names a place."""
    from platformdirs import user_state_dir

    return user_state_dir("ctxmgr", appauthor=False)


def _say(text: str) -> None:
    """One line on stderr. A closed stderr is no reason to end, and a full one that nobody reads none to wait."""
    line = f"ctxmgr: {text}".encode("utf-8", "replace")[: stdio.DIRECT_BYTES] + b"\n"
    try:
        if stdio.writable(2):
            os.write(2, line)
    except OSError:
        return
