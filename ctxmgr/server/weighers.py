"""Chooses the vocabulary with which each session counts tokens while its usage is unknown: the one that its policy
names, once it is loaded.

The first turn without usage requests it, and a process of its own loads it. After each such turn it counts the
newest messages, off the event loop and in the session's turn, so the order of calls does not depend on a clock. No
list depends on when it is loaded. If loading fails, the estimate is used, and that is reported.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from ctxmgr.model import ESTIMATE, WeighAll, faults, policy_keys
from ctxmgr.server.config import ConnectionConfig
from ctxmgr.server.effects import Effect, LoadWeigher, Log, Record
from ctxmgr.server.session_queue import SessionQueue, SessionQueues
from ctxmgr.session import Calibration, SessionCore
from ctxmgr.wire import transcript


class SessionWeighers:
    def __init__(self, terms: ConnectionConfig, queues: SessionQueues, emit: Callable[[Effect], None]) -> None:
        self._queues, self._emit, self._record = queues, emit, terms.record
        self._weighers = dict(terms.weighers)
        self._asked_for: set[str] = set()  # vocabularies: loading, loaded or unavailable
        self._notes: dict[str, str] = {}

    def request(self, queue: SessionQueue, session: SessionCore) -> None:
        """Gives the session its policy's vocabulary if it is loaded; otherwise requests it once, if the session
        counts with it.
        """
        wanted = policy_keys.tokenizer(session.policy)
        weigh, note = self._weighers.get(wanted.name), self._notes.get(wanted.name)
        if weigh is not None:
            self._give(queue, session, wanted.name, weigh)
            return
        session.vocabulary = None
        if wanted.name == ESTIMATE:
            return
        if note is not None:
            if note not in session.warnings:
                session.warnings = (*session.warnings, note)
        elif session.by_estimate and wanted.name not in self._asked_for:
            self._asked_for.add(wanted.name)
            self._emit(LoadWeigher(wanted.name, wanted.path))

    def loaded(self, name: str, weigh: WeighAll | None, note: str | None) -> None:
        """Reports that a vocabulary is loaded. If `weigh` is None it is unavailable or lost, and `note` says
        why.
        """
        if note:
            self._notes[name] = note
            self._emit(Log(note))
        if weigh is not None:
            self._weighers[name] = weigh
        elif self._weighers.pop(name, None) is not None and self._record:
            self._emit(Record(transcript.weigher_lost(name, note or "")))
        for queue in self._queues.by_session.values():
            session = queue.session
            if session is None or policy_keys.tokenizer(session.policy).name != name:
                continue
            if note:
                session.warnings = (*session.warnings, note)
            if weigh is not None:
                self._give(queue, session, name, weigh)
            else:
                session.vocabulary = None

    def _give(self, queue: SessionQueue, session: SessionCore, name: str, weigh: WeighAll) -> None:
        """Gives the session its vocabulary, calibrated with the newest messages before the session's next call."""
        known = session.vocabulary
        if known is None or known.name != name:
            known = session.vocabulary = Calibration(name, weigh)
        if session.counted_by == "vocabulary":
            done = self._queues.submit(queue, partial(known.measured, session.projection.messages))
            if isinstance(done, Future):
                done.add_done_callback(partial(self._measured, name))

    def _measured(self, name: str, done: "Future[Any]") -> None:
        fault = None if done.cancelled() else done.exception()
        if fault is not None and name in self._weighers:
            self.loaded(name, None, f"token counts are estimated: {name} stopped working: {faults.cause(fault)}")
