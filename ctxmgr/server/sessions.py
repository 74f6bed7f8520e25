"""All sessions of a connection: their lanes, their errands, their snapshots, their weighers. Effects out, no IO."""

import itertools
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import Any

import msgspec

from ctxmgr.model import Weigh, invalid_params, policy_keys
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import ModelSpec, State
from ctxmgr.server.config import ConnectionConfig, SessionRequest
from ctxmgr.server.effects import (
    Begin,
    Close,
    Effect,
    Log,
    Record,
    Save,
    SnapshotLoaded,
)
from ctxmgr.server.jobs import Jobs
from ctxmgr.server.parked_calls import ParkedCalls, Snapshot
from ctxmgr.server.peer import Peer, SplicedResult
from ctxmgr.server.session_queue import QueuedCall, SessionQueue, SessionQueues
from ctxmgr.server.weighers import SessionWeighers
from ctxmgr.session import SessionCore, Verb, journal, model_spec, restored
from ctxmgr.session.compaction import compact, job_context
from ctxmgr.session.context import listing
from ctxmgr.session.methods import ERRANDS, ROUTES, archiving, queries
from ctxmgr.wire import METHODS, RpcError, errors, transcript


class Sessions:
    def __init__(self, terms: ConnectionConfig, emit: Callable[[Effect], None], peer: Peer) -> None:
        self.terms, self.emit, self.peer = terms, emit, peer
        tickets = itertools.count(1)
        self._parked = ParkedCalls(terms.state_dir, terms.record, emit)
        self.lanes = SessionQueues(self._parked.park, tickets)
        self._weighers = SessionWeighers(terms, self.lanes, emit)
        self.errands = Jobs(emit, peer, tickets, terms.record)
        self._on_idle: list[Callable[[], None]] = []

    # calls

    def submit(self, request: SessionRequest) -> Any:
        """The value of the call, or a future of it. Raises RpcError."""
        if request.method in ERRANDS:
            return self._submit_errand(request)
        id = request.params.session_id
        if request.method == "session_start":
            if id not in self.lanes.by_session:
                self.lanes.by_session[id] = SessionQueue(id)
            lane = self.lanes.by_session[id]
            start = partial(self._start, lane, request.params)
        else:
            lane = self._lane(id)
            start = partial(self._call, lane, request)
        return self.lanes.submit(lane, QueuedCall(start, partial(self._finish, lane, request), request.method))

    def _lane(self, id: str) -> SessionQueue:
        lane = self.lanes.by_session.get(id)
        if lane is None:
            raise RpcError(errors.UNKNOWN_SESSION, "unknown session: session_start has not named it")
        return lane

    def _submit_errand(self, request: SessionRequest) -> "Future[Any]":
        """It sees its session in its turn, and then leaves the lane. One that names no session sees none."""
        id = request.params.session_id
        future: Future[Any] = Future()
        future.add_done_callback(lambda done: self._changed())
        if id is None:
            begun = ERRANDS[request.method](self._stranger(), request.params)
            self.errands.start(begun, None, future)
            return future
        lane = self._lane(id)

        def start() -> None:
            if future.cancelled():
                return
            try:
                errand = ERRANDS[request.method](_living(lane), request.params)
            except Exception as fault:  # noqa: BLE001  it becomes the error answer
                future.set_exception(fault)
            else:
                self.errands.start(errand, id, future)

        self.lanes.submit(lane, QueuedCall(start, lambda value: value, request.method))
        return future

    def _stranger(self) -> SessionCore:
        """A session that holds nothing, for calls that name none."""
        terms = self.terms
        state = State("", ModelSpec("", job_context.WINDOW))
        reader = self._weighers.reader(policy_keys.tokenizer(policy_keys.policy(terms.keys)).name)
        return SessionCore(state, terms.form, terms.keys, terms.capabilities, reader, terms.embed)

    def resume(self, ticket: int, value: Any) -> None:
        value = self._parked.answered(ticket, value)
        if not self.errands.resume(ticket, value):
            self.lanes.resume(ticket, value)
        self._changed()

    def weigher_loaded(self, name: str, weigh: Weigh | None, note: str | None) -> None:
        """A vocabulary is there, or (`weigh` None) is not to be had, and `note` says why."""
        self._weighers.loaded(name, weigh, note)

    def known_until(self, id: str, body: bytes, start: int) -> tuple[int, int]:
        """Where in `body` the messages this session knows end, from `start` on, and how many they are."""
        lane = self.lanes.by_session.get(id)
        if lane is None or not lane.idle:
            return start, 0
        end = lane.spool.end_in(body, start)
        return (end, len(lane.spool)) if end >= 0 else (start, 0)

    def when_idle(self, action: Callable[[], None]) -> None:
        """Runs the action when no lane has anything left to do."""
        self._on_idle.append(action)
        self._changed()

    def _changed(self) -> None:
        self._weighers.exchange()
        if self._on_idle:
            self.errands.end_waiting()
        if self.lanes.idle and self.errands.idle and self._on_idle:
            actions, self._on_idle = self._on_idle, []
            for action in actions:
                action()

    def _call(self, lane: SessionQueue, request: SessionRequest) -> Any:
        session = _living(lane)
        if request.method == "context":
            return self._context(session, lane, request)
        if request.method == "session_shutdown":
            return self._end(session)
        return ROUTES[request.method](session, request.params)

    def _context(self, session: SessionCore, lane: SessionQueue, request: SessionRequest) -> Verb[SplicedResult]:
        params, known = request.params, request.omitted_count or None
        if (params.messages is None) == (params.append is None):
            raise invalid_params("one of messages and append is needed", "$")
        if known is not None:
            if not params.messages or bytes(params.messages[0]) != lifecycle.KNOWN_MESSAGES:
                raise RpcError(errors.INVALID_REQUEST, "the message list stands at an unexpected place")
            params = msgspec.structs.replace(params, messages=params.messages[1:])
        try:
            parts = yield from listing.context(session, lane.spool, params, known, request.surrogate_count)
        except listing.Stale as stale:
            session.void_base()
            raise RpcError(errors.CONTENT_MODIFIED, f"append does not fit: {stale}; send all") from None
        yield from archiving.archived(session)
        return SplicedResult([b"{", *parts, b"}"])

    def _end(self, session: SessionCore) -> Verb[None]:
        yield from archiving.archived(session, again=True)
        session.end()

    def _finish(self, lane: SessionQueue, request: SessionRequest, value: Any) -> Any:
        """Saves what changed; then the answer may leave."""
        session = lane.session
        assert session is not None
        self._save(lane, session)
        while session.log_lines:
            self.emit(Log(f"{request.method}: {session.log_lines.pop(0)}"))
        if request.method in ("session_start", "setPolicy"):
            self._weighers.want(lane, session)
        if request.method == "turn_end" and compact.ahead_wanted(session):
            self._prepare_ahead(lane, session)
        if request.method == "session_shutdown":
            self._close(lane)
        elif not request.wants_answer and isinstance(value, lifecycle.TurnEndResult):
            for command in value.commands:
                self._request_compaction(lane, command)
        return value

    # the host's answer to a request of ours

    def _request_compaction(self, lane: SessionQueue, command: lifecycle.Command) -> None:
        future = self.peer.request(command.method, command.params)
        assert lane.session is not None
        future.add_done_callback(partial(self._heard, lane, lane.session))

    def _heard(self, lane: SessionQueue, session: SessionCore, future: Any) -> None:
        """The latch hears the answer in the session's own order; an error counts as a refusal."""
        if future.cancelled() or lane.session is not session:
            return  # the session that asked has ended
        result = None if future.exception() else future.result()
        accepted = isinstance(result, dict) and result.get("accepted") is True

        def start() -> None:
            if lane.session is session:
                session.answered(accepted)
                self._save(lane, session)

        self.lanes.submit(lane, QueuedCall(start, lambda value: value, "requestCompaction"))

    def _prepare_ahead(self, lane: SessionQueue, session: SessionCore) -> None:
        """Writes a compaction in the background; the session sees it when it is whole, or never."""
        future: Future[Any] = Future()

        def done(written: "Future[Any]") -> None:
            failed = written.cancelled() or written.exception() is not None
            session.prefetch.arrived(future, None if failed else written.result())
            if self.terms.record and session.prefetch.prepared is not None:
                self.emit(Record(transcript.prepared(lane.session_id)))
            if not written.cancelled():  # cancelled it is in the middle of an event
                self._changed()

        session.prefetch.begun(future)
        future.add_done_callback(done)
        self.errands.start(compact.ahead(session), lane.session_id, future)

    # starting and ending

    def _start(
        self, lane: SessionQueue, params: lifecycle.SessionStartParams
    ) -> Generator[Any, Any, lifecycle.SessionStartResult]:
        known = going = lane.session is not None
        self.lanes.by_session[lane.session_id] = lane  # it may have been queued behind a session_shutdown
        try:
            if not known:
                found: SnapshotLoaded = yield Snapshot()
                if self.terms.record and (found.lines or found.fault):
                    line = transcript.restored(lane.session_id, found.lines, found.fault, found.refused)
                    self.emit(Record(line))
                if found.refused:
                    raise RpcError(errors.REQUEST_FAILED, found.fault or "the session is held by another process")
                known = self._restore(lane, params, found)
            session = lane.session
            assert session is not None
            yield from session.start(params)
        except BaseException:  # cancelled (GeneratorExit), refused or at fault: what was opened is released
            if not going:
                self._close(lane)
            raise
        return lifecycle.SessionStartResult(known, queries.status(session), session.state.seq)

    def _restore(self, lane: SessionQueue, params: lifecycle.SessionStartParams, found: SnapshotLoaded) -> bool:
        """Makes the session from its snapshot, or anew. Whether it was restored."""
        state = State(lane.session_id, model_spec(params.model))
        notes: tuple[str, ...] = ()
        lines = found.lines
        if found.fault:
            notes = (found.fault,)
            self.emit(Log(found.fault))
        if lines:
            try:
                saved, lane.strange = journal.restore(lines)
                state, lane.saved = restored(saved), saved
            except journal.UnreadableJournal as fault:
                lines, lane.unreadable = (), True
                notes = (f"the snapshot could not be read, was set aside and begun anew: {fault}",)
                self.emit(Log(notes[0]))
        terms = self.terms
        reader = self._weighers.reader(terms.fallback)
        lane.session = SessionCore(state, terms.form, terms.keys, terms.capabilities, reader, terms.embed)
        lane.session.warnings = notes
        return bool(lines)

    def _close(self, lane: SessionQueue) -> None:
        """What is queued in the lane finds no session, unless it starts one."""
        self.errands.session_ended(lane.session_id)
        self.lanes.by_session.pop(lane.session_id, None)
        lane.forget()
        self.emit(Close(lane.session_id))

    def close_all(self) -> None:
        for lane in list(self.lanes.by_session.values()):
            self._close(lane)

    # saving

    def _save(self, lane: SessionQueue, session: SessionCore) -> None:
        if lane.saved is None:
            self.emit(Begin(lane.session_id, journal.base(session.state), lane.unreadable))
            lane.saved = session.state
            return
        state, strange = session.state, lane.strange
        line = journal.delta(lane.saved, state)
        if line is not None:
            self.emit(Save(lane.session_id, line, lambda: [journal.base(state), *strange]))
            lane.saved = state

    def note(self, id: str, text: str) -> None:
        """Something the host should see in the session's status."""
        lane = self.lanes.by_session.get(id)
        if lane is not None and lane.session is not None and text not in lane.session.warnings:
            lane.session.warnings = (*lane.session.warnings, text)


def _living(lane: SessionQueue) -> SessionCore:
    if lane.session is None:
        raise RpcError(errors.UNKNOWN_SESSION, "unknown session: it could not be started")
    return lane.session


assert set(ROUTES) <= set(METHODS)
