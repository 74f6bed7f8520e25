"""Which vocabulary each session counts by while no usage is known: the one its policy names, once it is there.

It is asked for with the first turn of which a host reports no usage: one takes 37 MB. After each such turn the
newest messages are weighed by it, off the loop and in the session's turn: its calls come before or after that, and
no clock tells which. No list hangs on when it is there.
"""

from collections.abc import Callable
from functools import partial

from ctxmgr.model import ESTIMATE, Weigh, policy_keys
from ctxmgr.server.config import ConnectionConfig
from ctxmgr.server.effects import Effect, LoadWeigher, Log
from ctxmgr.server.session_queue import QueuedCall, SessionQueue, SessionQueues
from ctxmgr.session import Calibration, SessionCore


class SessionWeighers:
    def __init__(self, terms: ConnectionConfig, queues: SessionQueues, emit: Callable[[Effect], None]) -> None:
        self._queues, self._emit = queues, emit
        self._weighers = dict(terms.weighers)
        self._asked_for: set[str] = set()  # vocabularies: loading, loaded or not to be had
        self._notes: dict[str, str] = {}

    def request(self, queue: SessionQueue, session: SessionCore) -> None:
        """Gives the session its policy's vocabulary if it is there; else, where the session counts by it, asks for
        it once."""
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

    def loaded(self, name: str, weigh: Weigh | None, note: str | None) -> None:
        """A vocabulary is there, or (`weigh` None) is not to be had, and `note` says why."""
        if note:
            self._notes[name] = note
            self._emit(Log(note))
        if weigh is not None:
            self._weighers[name] = weigh
        for queue in self._queues.by_session.values():
            session = queue.session
            if session is None or policy_keys.tokenizer(session.policy).name != name:
                continue
            if note:
                session.warnings = (*session.warnings, note)
            if weigh is not None:
                self._give(queue, session, name, weigh)

    def _give(self, queue: SessionQueue, session: SessionCore, name: str, weigh: Weigh) -> None:
        """It is the session's from now on, and measured by the newest messages before the session's next call."""
        known = session.vocabulary
        if known is None or known.name != name:
            known = session.vocabulary = Calibration(name, weigh)
        if session.counted_by == "vocabulary":
            measure = partial(known.measured, session.projection.messages)
            self._queues.submit(queue, QueuedCall(measure, lambda value: value, "measure"))
