"""Which weigher each session uses: the one its policy names, as soon as it is there, and till then the fallback.

Between events only: a call under way goes on with the weigher it began with.
"""

from collections.abc import Callable

from ctxmgr.model import Weigh, policy_keys
from ctxmgr.server.config import ConnectionConfig
from ctxmgr.server.effects import Effect, LoadWeigher, Log
from ctxmgr.server.session_queue import SessionQueue, SessionQueues
from ctxmgr.session import Reader, SessionCore


class SessionWeighers:
    def __init__(self, terms: ConnectionConfig, queues: SessionQueues, emit: Callable[[Effect], None]) -> None:
        self._form, self._fallback, self._queues, self._emit = terms.form, terms.fallback, queues, emit
        self._weighers = dict(terms.weighers)
        self._asked_for: set[str] = set()  # vocabularies: loading, loaded or not to be had
        self._notes: dict[str, str] = {}

    def reader(self, name: str) -> Reader:
        """One that weighs by `name` if that is there, else by the fallback."""
        name = name if name in self._weighers else self._fallback
        return Reader(self._form, self._weighers[name], name)

    def request(self, queue: SessionQueue, session: SessionCore) -> None:
        """Uses the policy's weigher if it is there, and asks for it once if it is not."""
        wanted = policy_keys.tokenizer(session.policy)
        if wanted.name in self._weighers:
            self._use(queue, session, wanted.name)
        elif wanted.name not in self._asked_for:
            self._asked_for.add(wanted.name)
            self._emit(LoadWeigher(wanted.name, wanted.path))
        elif wanted.name in self._notes and self._notes[wanted.name] not in session.warnings:
            session.warnings = (*session.warnings, self._notes[wanted.name])

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
                self._use(queue, session, name)

    def exchange(self) -> None:
        """Gives each session that is between two events the reader that waits for it."""
        for queue in self._queues.by_session.values():
            if queue.next_reader is not None and queue.busy is None and queue.session is not None:
                queue.session.use(queue.next_reader)
                queue.next_reader = None

    def _use(self, queue: SessionQueue, session: SessionCore, name: str) -> None:
        if session.reader.name == name:
            return
        if queue.busy is None:
            session.use(self.reader(name))
        else:
            queue.next_reader = self.reader(name)
