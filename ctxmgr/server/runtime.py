"""Carries out the effects of a connection on the devices, on asyncio. It knows no front end: a front end passes
the host's bytes to `receive`, and gets the bytes for the host through `send`.

Rules:
1. Effects are carried out in the order in which the connection returned them. Saves may overtake answers
   (`together`).
2. Slow work runs in a thread or as a task. Its value comes back through `resume`, on the loop.
3. After `ended` is done, no effect is carried out. `close` then releases everything that is open.
4. The exception of a failed effect is a value too (`outcomes`). Its row says who gets it. A call that waits for
   the effect always does.
"""

import asyncio
import functools
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from ctxmgr import devices
from ctxmgr.devices import Vocabularies
from ctxmgr.model import WeighAll, faults
from ctxmgr.server import effects as do
from ctxmgr.server.config import ConnectionConfig, Setup, now_ms
from ctxmgr.server.connection import Connection
from ctxmgr.server.effects import outcome
from ctxmgr.server.loading import Loading
from ctxmgr.server.model_calls import ModelCalls, embedder
from ctxmgr.server.state_files import StateFiles, free_descriptors, store_of

THREADS = 2  # for counting tokens: it releases the interpreter's lock, and more threads would compete for two cores
DRAIN_SECONDS = 5.0  # at the end, for running work to finish and for the host to read the rest
WATCH_SECONDS = 1.0  # between checks of the host's process
MINUTE_SECONDS = 60.0

Parts = Sequence[bytes | memoryview]
Then = Callable[[Any], Any]


class EffectRow(NamedTuple):
    """How an effect of one kind is carried out, and how its failure is handled."""

    carry: Callable[["Runtime", Any], object]
    failed: Callable[["Runtime", Any, Exception], object]


class Runtime:
    """One connection and its devices. `send` writes framed messages to the host. `say` writes a line for people,
    without conversation text. It is created outside an event loop and used on one. Raises OSError if the
    transcript cannot be written."""

    def __init__(self, setup: Setup, send: Callable[[Parts], None], say: Callable[[str], None]) -> None:
        self.say, self._write = say, send
        weighers: dict[str, WeighAll] = {}
        self.vocabularies = Vocabularies()
        if setup.preload:
            loaded = self.vocabularies.load(setup.preload)
            if loaded.weigh is not None:
                weighers[setup.preload] = loaded.weigh
            if loaded.note:
                say(loaded.note)
        is_recorded, size = setup.record is not None, setup.max_message_bytes
        terms = ConnectionConfig(is_recorded, setup.state_dir, size, setup.models, bool(setup.store), now_ms)
        self.connection = Connection(terms, weighers, embedder(say))
        self.state_files = StateFiles(say, self.connection.not_saved, store_of(setup, self._stored), self._spare)
        self.model_calls = ModelCalls(self._resume)
        self.transcript = -1
        if setup.record:
            from ctxmgr.devices import private_file

            self.transcript = private_file(setup.record)  # contains conversation
        self.threads = ThreadPoolExecutor(THREADS, "work")
        self.loading: Loading | None = None
        self._waiting: deque[do.Effect] = deque()
        self._carrying = False

    def start(self) -> None:
        """Call this on the event loop that it runs on."""
        self.loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[int] = self.loop.create_future()
        self._syncing = self.loop.create_task(self.state_files.sync_now_and_then(self.threads))
        self.loop.call_later(MINUTE_SECONDS, self.minute)
        self._decide(self.connection.receive, b"")

    def receive(self, chunk: bytes) -> None:
        """Gets what the host wrote, in any pieces; b"" at its end."""
        if chunk:
            self._decide(self.connection.receive, chunk)
        else:
            self._decide(self.connection.eof)
        if self.loading is not None:
            self.loading.heard()
        elif self.connection.phase == "ready":
            self.loading = Loading(self.loop, bool(self.connection.terms.capabilities.retrieve))
            self.loop.call_soon(outcome, self.connection.prepare)  # while the host reads the answer

    def leave(self, code: int) -> None:
        """Ignores further input, and ends with this code when everything that arrived is answered and saved."""
        self._decide(self.connection.leave, code)

    def end(self, code: int) -> None:
        """Sets the exit code, and completes `ended`. The first code counts."""
        if not self.ended.done():
            self.ended.set_result(code)

    async def close(self) -> None:
        """Releases threads, tasks and files."""
        self._syncing.cancel()
        await self.model_calls.end(DRAIN_SECONDS)
        self.threads.shutdown(wait=False, cancel_futures=True)
        outcome(self.vocabularies.end)
        self.state_files.close_all()

    def close_transcript(self) -> None:
        transcript, self.transcript = self.transcript, -1
        if transcript >= 0:
            os.close(transcript)

    def minute(self) -> None:
        self.loop.call_later(MINUTE_SECONDS, self.minute)
        self._decide(self.connection.minute)

    # effects

    def _decide(self, decide: Callable[..., list[do.Effect]], *given: Any) -> None:
        """Carries out the effects that the connection requests now. After an exception the connection is in an
        unknown state, so the process ends; its successor continues from what was saved.
        """
        if self.ended.done():
            return
        effects = outcome(functools.partial(decide, *given))
        if isinstance(effects, Exception):
            self.say(f"ctxmgr exits after an internal fault: {faults.where(effects)}")
            self.end(1)
        else:
            self._carry_out(effects)

    def _carry_out(self, effects: list[do.Effect]) -> None:
        """Carries out effects in the order in which they were requested (rule 1). Effects that result from one come
        after those that are waiting.
        """
        self._waiting.extend(do.together(effects) if len(effects) > 2 else effects)
        if self._carrying:
            return
        self._carrying = True
        try:
            while self._waiting and not self.ended.done():
                effect = self._waiting.popleft()
                row = self._EFFECTS[type(effect)]
                failure = outcome(functools.partial(row.carry, self, effect))
                if isinstance(failure, Exception):
                    row.failed(self, effect, failure)
        finally:
            self._carrying = False

    def _resume(self, ticket: int, value: Any) -> None:
        self._decide(self.connection.resume, ticket, value)

    def _record(self, effect: do.Record) -> None:
        if self.transcript >= 0:
            os.write(self.transcript, effect.line + b"\n")

    def _open(self, effect: do.Open) -> None:
        if self.loading is not None and self.state_files.sessions:
            self.loading.finish()
        if not self.state_files.stores:
            # all of them now: a thread that starts while much memory is in use would keep it
            for _ in range(THREADS):
                outcome(lambda: self.threads.submit(lambda: devices.keep_large_buffers()))  # imported off the loop
        loaded = self.state_files.open(effect)
        begun = None if loaded.refused else self.state_files.begin_stored(effect)
        self._answer(effect.ticket, begun, functools.partial(self.state_files.begun_stored, effect, loaded))

    def _spare(self) -> None:
        """Called when few file descriptors are left."""
        self.loop.call_soon(lambda: self._decide(self.connection.spare, free_descriptors()))

    def _stored(self, *arguments: Any) -> None:
        """Called in the store's thread."""
        self.loop.call_soon_threadsafe(self._decide, self.connection.stored, *arguments)

    def _close(self, effect: do.Close) -> None:
        self.state_files.close(effect.session_id)
        self._spare_memory()

    def _rest(self, effect: do.Rest) -> None:
        self._resume(effect.ticket, self.state_files.rest(effect.session_id))
        self._spare_memory()

    def _spare_memory(self) -> None:
        """Returns freed memory to the system once no session is left."""
        if not self.state_files.sessions:
            from ctxmgr.devices import give_back

            self.loop.call_soon(outcome, give_back)

    def _ask_archive(self, effect: do.ArchiveEffect) -> None:
        self._answer(effect.ticket, self.state_files.archive(effect))

    def _answer(self, ticket: int, coming: Future[Any] | None, then: Then = lambda value: value) -> None:
        """Resumes the call with the result of a device's thread (None: nothing to wait for), after `then` on the
        event loop.
        """
        if coming is None:
            self._resume(ticket, outcome(functools.partial(then, None)))
            return
        future = asyncio.wrap_future(coming, loop=self.loop)
        future.add_done_callback(lambda done: self._ran(ticket, done, then))

    def _run(self, effect: do.RunInThread) -> None:
        threads = self.vocabularies.threads if isinstance(effect, do.WeighTexts) else self.threads
        future = self.loop.run_in_executor(threads, outcome, effect.work)
        future.add_done_callback(lambda done: self._ran(effect.ticket, done))

    def _ran(self, ticket: int, done: "asyncio.Future[Any]", then: Then = lambda value: value) -> None:
        if not done.cancelled():
            self._resume(ticket, outcome(functools.partial(then, done.exception() or done.result())))

    def _load(self, effect: do.LoadWeigher) -> None:
        load = functools.partial(self.vocabularies.load, effect.name, effect.path)
        future = self.loop.run_in_executor(self.vocabularies.threads, outcome, load)
        future.add_done_callback(lambda done: None if done.cancelled() else self._loaded(effect, done.result()))

    def _loaded(self, effect: do.LoadWeigher, loaded: Any) -> None:
        if isinstance(loaded, Exception):
            self._not_loaded(effect, loaded)
        else:
            self._decide(self.connection.weigher_loaded, effect.name, loaded.weigh, loaded.note)

    def _watch(self, effect: do.WatchProcess) -> None:
        """Watches the host's process. Usually the end of input comes first; a host whose pipes are held open by a
        child is noticed only here.
        """
        if effect.process_id <= 0:
            return
        try:
            os.kill(effect.process_id, 0)
        except ProcessLookupError:
            self._decide(self.connection.eof)
            return
        except (PermissionError, OverflowError):
            return  # another user's process, or not a valid process id
        self.loop.call_later(WATCH_SECONDS, lambda: self._carry_out([effect]))

    # effects that failed (rule 4)

    def _not_sent(self, effect: do.Send, fault: Exception) -> None:
        """Ends the process, because otherwise a call of the host would wait forever."""
        self._unheard(effect, fault)
        self.end(1)

    def _not_recorded(self, effect: do.Record, fault: Exception) -> None:
        """Ends the transcript, because with a missing line it could not be replayed."""
        outcome(self.close_transcript)
        self.say(f"the transcript cannot be written any more: {faults.cause(fault)}")

    def _not_opened(self, effect: do.Open, fault: Exception) -> None:
        self.state_files.not_opened(effect)
        self._not_done(effect, fault)

    def _not_run(self, effect: do.RunInThread, fault: Exception) -> None:
        """Runs the work here, because no thread is available. Other calls wait meanwhile."""
        self._resume(effect.ticket, outcome(effect.work))

    def _not_done(self, effect: Any, fault: Exception) -> None:
        """Gives the fault to the call that waits for this ticket."""
        self._resume(effect.ticket, fault)

    def _not_loaded(self, effect: do.LoadWeigher, fault: Exception) -> None:
        note = f"token counts are estimated: {effect.name} could not be loaded: {faults.cause(fault)}"
        self._decide(self.connection.weigher_loaded, effect.name, None, note)

    def _unheard(self, effect: do.Effect, fault: Exception) -> None:
        """Reports the fault to people, because no call waits for the effect."""
        self.say(f"{type(effect).__name__} failed: {faults.cause(fault)}")

    _EFFECTS: dict[type, EffectRow] = {
        do.Send: EffectRow(lambda self, effect: self._write(effect.parts), _not_sent),
        do.Record: EffectRow(_record, _not_recorded),
        do.Save: EffectRow(
            lambda self, effect: self.state_files.save(effect),
            lambda self, effect, fault: self.state_files.failed(effect.session_id, fault),
        ),
        do.Open: EffectRow(_open, _not_opened),
        do.Close: EffectRow(_close, _unheard),
        do.Rest: EffectRow(_rest, _not_done),
        do.PutRows: EffectRow(_ask_archive, _not_done),
        do.GetRow: EffectRow(_ask_archive, _not_done),
        do.FindRows: EffectRow(_ask_archive, _not_done),
        do.Flush: EffectRow(
            lambda self, effect: self._answer(
                effect.ticket, self.state_files.flush(effect), self.state_files.flushed
            ),
            lambda self, effect, fault: self._resume(effect.ticket, self.state_files.flushed(fault)),
        ),
        do.RunInThread: EffectRow(_run, _not_run),
        do.WeighTexts: EffectRow(_run, _not_done),
        do.StartTimer: EffectRow(
            lambda self, effect: self.loop.call_later(effect.delay_ms / 1000, self._resume, effect.ticket, None),
            _not_done,
        ),
        do.Complete: EffectRow(lambda self, effect: self.model_calls.begin(effect), _not_done),
        do.Abandon: EffectRow(lambda self, effect: self.model_calls.abandon(effect.ticket), _unheard),
        do.LoadWeigher: EffectRow(_load, _not_loaded),
        do.WatchProcess: EffectRow(_watch, _unheard),
        do.Log: EffectRow(lambda self, effect: self.say(effect.text), _unheard),
        do.End: EffectRow(
            lambda self, effect: self.end(effect.code), lambda self, effect, fault: self.end(effect.code)
        ),
    }
