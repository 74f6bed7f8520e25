"""All sessions of a connection: their queues, jobs, snapshots and vocabularies. Effects out, no IO."""

import itertools
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import Any

import msgspec

from ctxmgr.model import WeighAll, invalid_params
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import ModelSpec, State, Stored
from ctxmgr.server.config import ConnectionConfig, SessionRequest
from ctxmgr.server.effects import Close, Effect, Log, Record, Save
from ctxmgr.server.jobs import Jobs
from ctxmgr.server.memory import FREE_BYTES, IdleSessions, ListMemory, Room
from ctxmgr.server.parked_calls import ParkedCalls, SessionLoader
from ctxmgr.server.peer import Peer, SplicedResult
from ctxmgr.server.session_queue import SessionQueue, SessionQueues
from ctxmgr.server.telemetry import Telling
from ctxmgr.server.weighers import SessionWeighers
from ctxmgr.session import Reader, SessionCore, StoreFlush, Verb, compaction, journal, model_spec
from ctxmgr.session.context import listing
from ctxmgr.session.methods import JOBS, ROUTES, archiving, queries
from ctxmgr.wire import METHODS, RpcError, errors, transcript


class Sessions:
    def __init__(self, terms: ConnectionConfig, emit: Callable[[Effect], None], peer: Peer) -> None:
        self.terms, self.emit, self.peer = terms, emit, peer
        tickets = itertools.count(1)
        self._parked = ParkedCalls(terms.state_dir, terms.record, emit)
        self.queues = SessionQueues(self._parked.park, tickets)
        self._weighers = SessionWeighers(terms, self.queues, emit)
        self._loader = SessionLoader(terms, self._weighers, emit)
        self.jobs = Jobs(emit, peer, tickets, terms.record)
        self._list_memory = ListMemory(self.queues.by_session)
        self._idle = IdleSessions(self.queues, self.jobs.concern, self._list_memory.ended)
        self._on_idle: list[Callable[[], None]] = []
        self.telling = Telling(terms, peer, lambda text: emit(Log(text)))

    # calls

    def submit(self, request: SessionRequest) -> Any:
        """The value of the call, or a future of it. Raises RpcError."""
        if request.method in JOBS:
            return self._submit_job(request)
        id = request.params.session_id
        if request.method == "session_start":
            if id not in self.queues.by_session:
                self.queues.by_session[id] = SessionQueue(id)
            queue = self.queues.by_session[id]
            start = partial(self._start, queue, request.params)
        else:
            queue = self._queue(id)
            start = partial(self._call, queue, request)
        self._idle.used(queue)
        finish = partial(self._finish, queue, request, self.telling.now_ms())
        return self.queues.submit(queue, start, finish)

    def _queue(self, id: str) -> SessionQueue:
        if (queue := self.queues.by_session.get(id)) is None:
            raise RpcError(errors.UNKNOWN_SESSION, "unknown session: start it with session_start")
        return queue

    def _submit_job(self, request: SessionRequest) -> "Future[Any]":
        """Starts a job, which sees its session in its turn, and then leaves the queue. Without a session id it sees
        no session.
        """
        id, began_ms = request.params.session_id, self.telling.now_ms()
        future: Future[Any] = Future()
        future.add_done_callback(lambda done: self.telling.job(self._living_or_none(id), request, done, began_ms))
        future.add_done_callback(lambda done: self._changed())
        if id is None:
            begun = JOBS[request.method](self._stranger(), request.params)
            self.jobs.start(begun, None, future)
            return future
        queue = self._queue(id)

        def start() -> Generator[Any, Any, None]:
            try:
                yield from self._loader.awake(queue)
                if not future.cancelled():
                    self.jobs.start(JOBS[request.method](_living(queue), request.params), id, future)
            except Exception as fault:  # noqa: BLE001  it becomes the error answer
                if not future.done():
                    future.set_exception(fault)

        self._idle.used(queue)
        self.queues.submit(queue, start)
        return future

    def _living_or_none(self, id: str | None) -> SessionCore | None:
        return queue.session if (queue := self.queues.by_session.get(id or "")) is not None else None

    def _stranger(self) -> SessionCore:
        """An empty session, for calls without a session id."""
        terms = self.terms
        state = State("", ModelSpec("", compaction.job_context.WINDOW), tools=terms.tools)
        reader = Reader(terms.fmt, tools=terms.tools)
        return SessionCore(state, terms.fmt, terms.keys, terms.capabilities, reader, terms.embed)

    def resume(self, ticket: int, value: Any) -> None:
        value = self._parked.answered(ticket, value)
        if not self.jobs.resume(ticket, value):
            self.queues.resume(ticket, value)
        self._changed()

    def weigher_loaded(self, name: str, weigh: WeighAll | None, note: str | None) -> None:
        """Reports that a vocabulary is loaded. If `weigh` is None it is unavailable or lost, and `note` says
        why.
        """
        self._weighers.loaded(name, weigh, note)

    def prefix_end(self, id: str, body: bytes, start: int) -> tuple[int, int]:
        """The offset in `body` where known messages of this session's last list end, searched from `start`, and
        their number.
        """
        queue = self.queues.by_session.get(id)
        if queue is None or not queue.idle:
            return start, 0
        return queue.raw_messages.head_in(body, start)

    def minute(self) -> None:
        """Call this once per minute. With a transcript, sessions stay in memory, because a transcript does not
        record time.
        """
        if not self.terms.record:
            self._idle.minute()

    def spare(self, free: int) -> None:
        """Makes the least recently used sessions leave memory, because only `free` file descriptors are left."""
        if not self.terms.record:
            self._idle.spare(free)

    def when_idle(self, action: Callable[[], None]) -> None:
        """Runs the action when no queue has anything left to do."""
        self._on_idle.append(action)
        self._changed()

    def _changed(self) -> None:
        while (ticket := self._parked.gate.next()) is not None:
            self.queues.resume(ticket, None)
        if self._on_idle:
            self.jobs.end_waiting()
        if self.queues.idle and self.jobs.idle and self._on_idle:
            actions, self._on_idle = self._on_idle, []
            for action in actions:
                action()

    def _call(self, queue: SessionQueue, request: SessionRequest) -> Any:
        if queue.resting is not None:
            return self._woken(queue, request)
        session = _living(queue)
        if request.method == "context":
            return self._gated(session, queue, request)
        if request.method == "session_shutdown":
            return self._end(queue, session)
        return ROUTES[request.method](session, request.params)

    def _woken(self, queue: SessionQueue, request: SessionRequest) -> Verb[Any]:
        yield from self._loader.awake(queue)
        value = self._call(queue, request)
        return (yield from value) if isinstance(value, Generator) else value

    def _gated(
        self, session: SessionCore, queue: SessionQueue, request: SessionRequest
    ) -> Generator[Any, Any, SplicedResult]:
        """Makes a long list wait until there is room to read it."""
        params, gate = request.params, self._parked.gate
        size = sum(map(len, (params.append.messages if params.append else params.messages) or ()))
        if size <= FREE_BYTES:
            return (yield from self._context(session, queue, request))
        try:
            if not gate.enters(size):
                yield Room(size)
            return (yield from self._context(session, queue, request))
        finally:
            gate.left(size)

    def _context(self, session: SessionCore, queue: SessionQueue, request: SessionRequest) -> Verb[SplicedResult]:
        params, known = request.params, request.omitted_count or None
        if (params.messages is None) == (params.append is None):
            raise invalid_params("messages or append is needed, and not both", "$")
        if known is not None:
            if not params.messages or bytes(params.messages[0]) != lifecycle.KNOWN_MESSAGES:
                raise RpcError(errors.INVALID_REQUEST, "a message list is at an unexpected place in the params")
            params = msgspec.structs.replace(params, messages=params.messages[1:])
        try:
            parts = yield from listing.context(session, queue.raw_messages, params, known, request.surrogate_count)
        except listing.Stale as stale:
            session.void_base()
            raise RpcError(
                errors.CONTENT_MODIFIED, f"append does not continue the last list: {stale}; send the whole list"
            ) from None
        yield from archiving.archived(session)
        return SplicedResult([b"{", *parts, b"}"])

    def _end(self, queue: SessionQueue, session: SessionCore) -> Verb[None]:
        yield from archiving.archived(session, again=True)
        session.end()
        if self.terms.stores:
            self._save(queue, session)
            yield StoreFlush(leaving=True)

    def _finish(self, queue: SessionQueue, request: SessionRequest, began_ms: float | None, value: Any) -> Any:
        """Saves what changed, before the answer is sent."""
        session, before = queue.session, queue.saved
        assert session is not None
        self._save(queue, session)
        self.telling.call(session, request, before, value, began_ms)
        if request.method == "context":
            self._list_memory.used(queue)
        while session.log_lines:
            self.emit(Log(f"{request.method}: {session.log_lines.pop(0)}"))
        counts = request.method == "turn_end" and session.by_estimate
        if counts or request.method in ("session_start", "setPolicy"):
            self._weighers.request(queue, session)
        if request.method == "turn_end" and session.may_prepare_ahead():
            self._prepare_ahead(queue, session)
        if request.method == "session_shutdown":
            self._close(queue)
        elif not request.wants_answer and isinstance(value, lifecycle.TurnEndResult):
            for command in value.commands:
                self._request_compaction(queue, command)
        return value

    # the host's answer to a request of ours

    def _request_compaction(self, queue: SessionQueue, command: lifecycle.Command) -> None:
        queue.asking += 1
        future = self.peer.request(command.method, command.params)
        assert queue.session is not None
        future.add_done_callback(partial(self._heard, queue, queue.session))

    def _heard(self, queue: SessionQueue, session: SessionCore, future: Any) -> None:
        """Passes the host's answer to the latch, in the session's own order; an error counts as a refusal."""
        queue.asking -= 1
        if future.cancelled() or queue.session is not session:
            return  # the session that asked has ended
        result = None if future.exception() else future.result()
        accepted = isinstance(result, dict) and result.get("accepted") is True

        def start() -> None:
            if queue.session is session:
                session.answered(accepted)
                self._save(queue, session)

        self.queues.submit(queue, start)

    def _prepare_ahead(self, queue: SessionQueue, session: SessionCore) -> None:
        """Writes a compaction in the background. The session sees it when it is complete, or never."""
        future: Future[Any] = Future()

        def done(written: "Future[Any]") -> None:
            failed = written.cancelled() or written.exception() is not None
            session.prefetch.arrived(future, None if failed else written.result())
            if self.terms.record and session.prefetch.prepared is not None:
                self.emit(Record(transcript.prepared(queue.session_id)))
            if not written.cancelled():  # a cancellation comes in the middle of an event
                self._changed()

        try:
            job = compaction.compact.ahead(session)
        except (ImportError, OSError):  # it cannot be loaded now: the end of the next turn tries again
            return
        session.prefetch.begun(future)
        future.add_done_callback(done)
        self.jobs.start(job, queue.session_id, future)

    # starting and ending

    def _start(
        self, queue: SessionQueue, params: lifecycle.SessionStartParams
    ) -> Generator[Any, Any, lifecycle.SessionStartResult]:
        known = going = queue.session is not None
        self.queues.by_session[queue.session_id] = queue  # it may have been queued after a session_shutdown
        try:
            if not known:
                known = yield from self._loader.load(queue, model_spec(params.model))
            session = queue.session
            assert session is not None
            yield from session.start(params)
        except BaseException:  # cancelled (GeneratorExit), refused or failed: releases what was opened
            if not going:
                self._close(queue)
            raise
        return lifecycle.SessionStartResult(known, queries.status(session), session.state.seq)

    def _close(self, queue: SessionQueue) -> None:
        """Closes the session. Calls in its queue find no session, unless they start one."""
        self.jobs.session_ended(queue.session_id)
        self.queues.by_session.pop(queue.session_id, None)
        self._list_memory.ended(queue.session_id)
        queue.forget()
        self.emit(Close(queue.session_id))

    def close_all(self) -> None:
        for queue in list(self.queues.by_session.values()):
            self._close(queue)

    # saving

    def _save(self, queue: SessionQueue, session: SessionCore) -> None:
        if queue.saved is None:
            base = journal.base(session.state)
            self.emit(Save(queue.session_id, base, lambda: [base], queue.unreadable))
            queue.saved = session.state
            return
        state, strange = session.state, queue.strange
        if (line := journal.delta(queue.saved, state)) is not None:
            self.emit(Save(queue.session_id, line, lambda: [journal.base(state), *strange]))
            queue.saved = state

    def note(self, id: str, text: str) -> None:
        """Adds a text for the host to the session's status."""
        session = self._living_or_none(id)
        if session is not None and text not in session.warnings:
            session.warnings = (*session.warnings, text)

    def stored(self, id: str, stored: Stored) -> None:
        """Records how far a session is saved in the store. A new problem with that is reported once."""
        if (session := self._living_or_none(id)) is not None:
            if stored.note and stored.note != session.stored.note:
                self.emit(Log(stored.note))
            session.stored = stored
            if self.terms.record:
                self.emit(Record(transcript.stored(id, stored)))


def _living(queue: SessionQueue) -> SessionCore:
    if queue.session is None:
        raise RpcError(errors.UNKNOWN_SESSION, "unknown session: it could not be started")
    return queue.session


assert set(ROUTES) <= set(METHODS)
