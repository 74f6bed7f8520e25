"""A connection without a process: drives `Connection` synchronously, for golden transcripts, replay and tests.

Work that would go to a thread runs when it is asked for; snapshots and archive are kept in memory; no vocabulary is
loaded unless `use_weigher` brings one. So the same calls give the same bytes.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ctxmgr.devices import at_rest, hits_among
from ctxmgr.known_models import Registry
from ctxmgr.model import ArchiveAnswer, ArchiveRow, Weigh, of_all
from ctxmgr.model.compaction import Completion
from ctxmgr.model.saved import Stored
from ctxmgr.server import Connection, ConnectionOptions, SnapshotLoaded
from ctxmgr.server import effects as do
from ctxmgr.study.spawning.client import Framing
from ctxmgr.study.spawning.streams import TimedOut
from ctxmgr.wire import Framer, FramingFault, frame

KILLED = -9  # the exit code of a process that was killed, as `subprocess` has it


class Driver:
    """Bytes in, bodies out; carries out the effects of one connection.

    `sent`: all bodies the server wrote. `recorded`: the lines of the transcript. `saved`: the lines of each
    session's snapshot, `whole` those a rewrite of it would hold after the last save. `logged`: lines for people.
    `archived`: rows by session and key, those given and those put; `archive` answers from them.
    `exit_code` once it ended. With `hold`, work waits for `work()`. `wakes`: deadlines asked for, `completions`
    calls of an endpoint by ticket; `wake` and `complete` bring them about. `models`: what is known of them, where
    it is not what is shipped.
    """

    def __init__(
        self,
        *,
        framing: Framing = "content-length",
        weighers: Mapping[str, Weigh] | None = None,
        found: Mapping[str, SnapshotLoaded] | None = None,
        archived: Mapping[str, Mapping[str, ArchiveRow]] | None = None,
        hold: bool = False,
        models: Registry | None = None,
        record: bool = True,
    ) -> None:
        self.connection = Connection(
            ConnectionOptions(record=record, models=models),
            {name: of_all(weigh) for name, weigh in (weighers or {}).items()},
        )
        self.framing, self.hold = framing, hold
        self.sent: list[bytes] = []
        self.recorded: list[bytes] = []
        self.saved: dict[str, list[bytes]] = {}
        self.whole: dict[str, list[bytes]] = {}
        self.snapshots: dict[str, SnapshotLoaded] = dict(found or {})
        self.archived = {session: dict(rows) for session, rows in (archived or {}).items()}
        self.logged: list[str] = []
        self.closed: list[str] = []
        self.vocabularies: list[do.LoadWeigher] = []
        self.exit_code: int | None = None
        self._waiting: list[tuple[int, Callable[[], Any]]] = []  # ticket and work
        self.wakes: list[do.StartTimer] = []
        self.completions: dict[int, do.Complete] = {}
        self.abandoned: list[int] = []
        self._framer = Framer()
        self._carry_out(self.connection.receive(b""))

    def receive(self, body: bytes) -> list[bytes]:
        """One message of the host; the bodies that were written because of it."""
        return self.feed(b"".join(frame(self.framing, [body])))

    def feed(self, chunk: bytes) -> list[bytes]:
        """Bytes of the host as they are."""
        before = len(self.sent)
        self._carry_out(self.connection.receive(chunk))
        return self.sent[before:]

    def eof(self) -> list[bytes]:
        before = len(self.sent)
        self._carry_out(self.connection.eof())
        return self.sent[before:]

    def use_weigher(self, name: str, weigh: Weigh | None, note: str | None = None) -> None:
        """A vocabulary is there, or (None) is not to be had or lost."""
        self._carry_out(self.connection.weigher_loaded(name, weigh and of_all(weigh), note))

    def stored(self, session_id: str, stored: Stored) -> None:
        """A session is so far safe in a store."""
        self._carry_out(self.connection.stored(session_id, stored))

    def work(self) -> bool:
        """Runs the oldest work that is held; whether there was any."""
        if not self._waiting:
            return False
        self._finish(*self._waiting.pop(0))
        return True

    def wake(self, ticket: int) -> list[bytes]:
        """A deadline passes; the bodies that were written because of it."""
        before = len(self.sent)
        self._carry_out(self.connection.resume(ticket, None))
        return self.sent[before:]

    def complete(self, ticket: int, completion: Completion) -> list[bytes]:
        """The endpoint answers; the bodies that were written because of it."""
        before = len(self.sent)
        del self.completions[ticket]
        self._carry_out(self.connection.resume(ticket, completion))
        return self.sent[before:]

    def open(self, session_id: str) -> SnapshotLoaded:
        """What a starting session is restored from: what was saved here, else what was given."""
        if lines := self.saved.get(session_id):
            return SnapshotLoaded(tuple(lines))
        return self.snapshots.get(session_id, SnapshotLoaded())

    def archive(self, effect: do.ArchiveEffect) -> ArchiveAnswer:
        """As `ctxmgr.devices.archive`: rows are kept by key, and two under one handle are none."""
        rows = self.archived.setdefault(effect.session_id, {})
        if isinstance(effect, do.PutRows):
            rows |= {row.key: row for row in at_rest(effect.rows, effect.limits)}
            return ArchiveAnswer()
        if isinstance(effect, do.FindRows):
            among = (*rows.values(), *effect.unsaved)
            return ArchiveAnswer(hits=hits_among(among, effect.query, effect.limit))
        found = [row for row in rows.values() if row.handle == effect.handle]
        return ArchiveAnswer(found[0] if len(found) == 1 else None)

    # effects

    def _carry_out(self, effects: list[do.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, do.Send):
                self._write(effect)
            elif isinstance(effect, do.Record):
                self.recorded.append(effect.line)
            elif isinstance(effect, do.Save | do.Begin):
                self._save(effect)
            elif isinstance(effect, do.Open):
                self._open(effect)
            elif isinstance(effect, do.ArchiveEffect):
                self._work(effect.ticket, partial(self.archive, effect))
            elif isinstance(effect, do.Flush):
                self._work(effect.ticket, lambda: None)
            elif isinstance(effect, do.RunInThread):
                self._work(effect.ticket, effect.work)
            elif isinstance(effect, do.StartTimer):
                self.wakes.append(effect)
            elif isinstance(effect, do.Complete):
                self.completions[effect.ticket] = effect
            elif isinstance(effect, do.Abandon):
                self.completions.pop(effect.ticket)
                self.abandoned.append(effect.ticket)
            elif isinstance(effect, do.Close):
                self.closed.append(effect.session_id)
            elif isinstance(effect, do.Log):
                self.logged.append(effect.text)
            elif isinstance(effect, do.End):
                self.exit_code = effect.code
            elif isinstance(effect, do.LoadWeigher):
                self.vocabularies.append(effect)

    def _save(self, effect: do.Save | do.Begin) -> None:
        self.saved.setdefault(effect.session_id, []).append(effect.line)
        self.whole[effect.session_id] = effect.whole() if isinstance(effect, do.Save) else [effect.line]

    def _write(self, effect: do.Send) -> None:
        for item in self._framer.feed(b"".join(effect.parts)):
            assert not isinstance(item, FramingFault), item.message
            self.sent.append(item)

    def _open(self, effect: do.Open) -> None:
        found = self.open(effect.session_id)
        if found.lines:
            self.saved[effect.session_id] = list(found.lines)
        self._carry_out(self.connection.resume(effect.ticket, found))

    def _work(self, ticket: int, work: Callable[[], Any]) -> None:
        if self.hold:
            self._waiting.append((ticket, work))
        else:
            self._finish(ticket, work)

    def _finish(self, ticket: int, work: Callable[[], Any]) -> None:
        try:
            value: Any = work()
        except Exception as fault:  # noqa: BLE001  as the worker: the session hears of it
            value = fault
        self._carry_out(self.connection.resume(ticket, value))


class InProcessDriver(Driver):
    """A connection in the place of a spawned process: byte for byte the same answers, but nothing outlives it.

    A wait for a device (a model's server, a deadline, another vocabulary) is TimedOut at once.
    """

    def __init__(self, weighers: Mapping[str, Weigh] | None = None, models: Registry | None = None) -> None:
        self._chunks: list[bytes] = []
        super().__init__(weighers=weighers, models=models, record=False)

    def write(self, chunk: bytes) -> None:
        self._carry_out(self.connection.receive(chunk))

    def end_input(self) -> None:
        self._carry_out(self.connection.eof())

    def read(self, seconds: float) -> bytes:
        """The next bytes, b"" at the end. Raises TimedOut where there are none yet."""
        if self.vocabularies:
            raise TimedOut(f"the vocabulary {self.vocabularies[0].name} needs a spawned sidecar")
        if self._chunks:
            return self._chunks.pop(0)
        if self.exit_code is None:
            raise TimedOut("the answer waits for a device")
        return b""

    def wait(self, seconds: float) -> int:
        self.kill()
        return self.exit_code or 0

    def kill(self) -> None:
        """Nothing is asked of it any more."""
        self.exit_code = KILLED if self.exit_code is None else self.exit_code

    def stderr(self) -> str:
        """What a spawned one would have written to stderr."""
        return "\n".join(f"ctxmgr: {text}" for text in self.logged)

    def _save(self, effect: do.Save | do.Begin) -> None:
        pass

    def _write(self, effect: do.Send) -> None:
        self._chunks.append(b"".join(effect.parts))
