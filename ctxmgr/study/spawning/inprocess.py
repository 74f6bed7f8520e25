"""A connection without a process: drives `Connection` synchronously, for golden transcripts, replay and tests.

Work for a thread runs when it is requested, snapshots and archive stay in memory, and no vocabulary is loaded
except by `use_weigher`. So the same calls give the same bytes.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ctxmgr.devices import at_rest, hits_among
from ctxmgr.known_models import Registry
from ctxmgr.model import ArchiveAnswer, ArchiveRow, Weigh, of_all
from ctxmgr.model.compaction import Completion
from ctxmgr.model.saved import Stored
from ctxmgr.server import Connection, ConnectionConfig, SnapshotLoaded
from ctxmgr.server import effects as do
from ctxmgr.study.spawning.client import Framing, TimedOut
from ctxmgr.wire import Framer, frame

KILLED = -9  # the exit code of a killed process, as in `subprocess`


class Driver:
    """Takes bytes, returns bodies, and carries out the effects of one connection. It can replace a spawned process
    (`SidecarProcess`); reading then removes bodies from `sent`.

    `sent`: bodies the server wrote. `recorded`: lines of the transcript. `saved`: lines of each session's snapshot;
    `whole`: the lines that a rewrite would hold after the last save. `logged`: log lines. `archived`: rows by
    session and key, given ones and stored ones; `archive` answers from them. `exit_code`: set at the end. With
    `hold`, work waits for `work()`. `wakes`: requested timers; `completions`: calls of an endpoint by ticket;
    `wake` and `complete` answer them. `models`: facts about models, instead of the shipped ones.
    """

    def __init__(
        self,
        *,
        framing: Framing = "content-length",
        weighers: Mapping[str, Weigh] | None = None,
        snapshots: Mapping[str, SnapshotLoaded] | None = None,
        archived: Mapping[str, Mapping[str, ArchiveRow]] | None = None,
        hold: bool = False,
        models: Registry | None = None,
        record: bool = True,
    ) -> None:
        self.connection = Connection(
            ConnectionConfig(record=record, models=models),
            {name: of_all(weigh) for name, weigh in (weighers or {}).items()},
        )
        self.framing, self.hold = framing, hold
        self.sent: list[bytes] = []
        self.recorded: list[bytes] = []
        self.saved: dict[str, list[bytes]] = {}
        self.whole: dict[str, list[bytes]] = {}
        self.snapshots: dict[str, SnapshotLoaded] = dict(snapshots or {})
        self.archived = {session: dict(rows) for session, rows in (archived or {}).items()}
        self.logged: list[str] = []
        self.vocabularies: list[do.LoadWeigher] = []
        self.exit_code: int | None = None
        self.wakes: list[do.StartTimer] = []
        self.completions: dict[int, do.Complete] = {}
        self._waiting: list[tuple[int, Callable[[], Any]]] = []  # ticket and work
        self._framer = Framer()
        self._carry_out(self.connection.receive(b""))

    def receive(self, body: bytes) -> list[bytes]:
        """Receives one message of the host; returns the bodies written in response."""
        return self.feed(b"".join(frame(self.framing, [body])))

    def feed(self, chunk: bytes) -> list[bytes]:
        """Receives raw bytes of the host; returns the bodies written in response."""
        return self._written(self.connection.receive(chunk))

    def eof(self) -> list[bytes]:
        return self._written(self.connection.eof())

    def _written(self, effects: list[do.Effect]) -> list[bytes]:
        before = len(self.sent)
        self._carry_out(effects)
        return self.sent[before:]

    def use_weigher(self, name: str, weigh: Weigh | None, note: str | None = None) -> None:
        """Reports that a vocabulary is loaded, or (None) that it is unavailable or lost."""
        self._carry_out(self.connection.weigher_loaded(name, weigh and of_all(weigh), note))

    def stored(self, session_id: str, stored: Stored) -> None:
        """Reports how far a session is safe in a store."""
        self._carry_out(self.connection.stored(session_id, stored))

    def work(self) -> bool:
        """Runs the oldest held work. Returns whether there was any."""
        if not self._waiting:
            return False
        ticket, work = self._waiting.pop(0)
        try:
            value: Any = work()
        except Exception as fault:  # noqa: BLE001  as in the worker, the session receives it
            value = fault
        self._carry_out(self.connection.resume(ticket, value))
        return True

    def wake(self, ticket: int) -> list[bytes]:
        """Expires a timer; returns the bodies written in response."""
        return self._written(self.connection.resume(ticket, None))

    def complete(self, ticket: int, completion: Completion) -> list[bytes]:
        """Answers for the endpoint; returns the bodies written in response."""
        del self.completions[ticket]
        return self._written(self.connection.resume(ticket, completion))

    def open(self, session_id: str) -> SnapshotLoaded:
        """What a starting session is restored from: what was saved here, otherwise what was given."""
        if lines := self.saved.get(session_id):
            return SnapshotLoaded(tuple(lines))
        return self.snapshots.get(session_id, SnapshotLoaded())

    def archive(self, effect: do.ArchiveEffect) -> ArchiveAnswer:
        """Works like `ctxmgr.devices.archive`: stores rows by key; a handle with two rows finds none."""
        rows = self.archived.setdefault(effect.session_id, {})
        if isinstance(effect, do.PutRows):
            rows |= {row.key: row for row in at_rest(effect.rows, effect.limits)}
            return ArchiveAnswer()
        if isinstance(effect, do.FindRows):
            among = (*rows.values(), *effect.unsaved)
            return ArchiveAnswer(hits=hits_among(among, effect.query, effect.limit))
        rows_of_handle = [row for row in rows.values() if row.handle == effect.handle]
        return ArchiveAnswer(rows_of_handle[0] if len(rows_of_handle) == 1 else None)

    # as a process

    def write(self, chunk: bytes) -> None:
        self.feed(chunk)

    def end_input(self) -> None:
        self.eof()

    def read(self, seconds: float) -> bytes:
        """The next bytes, b"" at the end. Runs held work if nothing else is there. Raises TimedOut if an answer
        needs a device (a model's server, a timer), since nothing would arrive by itself.
        """
        while not self.sent and self.work():
            pass
        bodies, self.sent = self.sent, []
        if not bodies and self.exit_code is None:
            raise TimedOut("the answer waits for a device")
        return b"".join(part for body in bodies for part in frame(self._framer.mode, [body]))

    def wait(self, seconds: float) -> int:
        self.kill()
        return self.exit_code or 0

    def kill(self) -> None:
        """Stops it; it takes no more requests."""
        self.exit_code = KILLED if self.exit_code is None else self.exit_code

    def stderr(self) -> str:
        """What a spawned process would have written to stderr."""
        return "\n".join(f"ctxmgr: {text}" for text in self.logged)

    # effects

    def _carry_out(self, effects: list[do.Effect]) -> None:
        for effect in effects:
            match effect:
                case do.Send():
                    self.sent += (
                        item for item in self._framer.feed(b"".join(effect.parts)) if isinstance(item, bytes)
                    )
                case do.Record():
                    self.recorded.append(effect.line)
                case do.Save():
                    self._save(effect)
                case do.Open():
                    self._open(effect)
                case do.PutRows() | do.GetRow() | do.FindRows():
                    self._work(effect.ticket, partial(self.archive, effect))
                case do.Flush():
                    self._work(effect.ticket, lambda: None)
                case do.RunInThread():
                    self._work(effect.ticket, effect.work)
                case do.StartTimer():
                    self.wakes.append(effect)
                case do.Complete():
                    self.completions[effect.ticket] = effect
                case do.Abandon():
                    self.completions.pop(effect.ticket)
                case do.Log():
                    self.logged.append(effect.text)
                case do.End():
                    self.exit_code = effect.code
                case do.LoadWeigher():
                    self.vocabularies.append(effect)

    def _save(self, effect: do.Save) -> None:
        self.saved.setdefault(effect.session_id, []).append(effect.line)
        self.whole[effect.session_id] = effect.whole()

    def _open(self, effect: do.Open) -> None:
        loaded = self.open(effect.session_id)
        if loaded.lines:
            self.saved[effect.session_id] = list(loaded.lines)
        self._carry_out(self.connection.resume(effect.ticket, loaded))

    def _work(self, ticket: int, work: Callable[[], Any]) -> None:
        self._waiting.append((ticket, work))
        if not self.hold:
            self.work()


class InProcessDriver(Driver):
    """A connection instead of a spawned process: the same answers byte for byte, but nothing outlives it."""

    def __init__(self, weighers: Mapping[str, Weigh] | None = None, models: Registry | None = None) -> None:
        super().__init__(weighers=weighers, models=models, record=False)

    def read(self, seconds: float) -> bytes:
        """Also raises TimedOut if another vocabulary is requested."""
        if self.vocabularies:
            raise TimedOut(f"the vocabulary {self.vocabularies[0].name} needs a spawned sidecar")
        return super().read(seconds)

    def _save(self, effect: do.Save) -> None:
        pass
