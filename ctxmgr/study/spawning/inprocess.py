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
from ctxmgr.server import Connection, ConnectionConfig, SnapshotLoaded
from ctxmgr.server import effects as do
from ctxmgr.study.spawning.client import Framing, TimedOut
from ctxmgr.wire import Framer, frame

KILLED = -9  # the exit code of a process that was killed, as `subprocess` has it


class Driver:
    """Bytes in, bodies out; carries out the effects of one connection. It can stand in the place of a spawned
    process (`SidecarProcess`): then what is read is taken out of `sent`.

    `sent`: bodies the server wrote. `recorded`: the lines of the transcript. `saved`: the lines of each session's
    snapshot, `whole` those a rewrite of it would hold after the last save. `logged`: lines for people. `archived`:
    rows by session and key, those given and those put; `archive` answers from them. `exit_code` once it ended. With
    `hold`, work waits for `work()`. `wakes`: deadlines asked for, `completions` calls of an endpoint by ticket;
    `wake` and `complete` bring them about. `models`: what is known of them, where it is not what is shipped.
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
        """One message of the host; the bodies that were written because of it."""
        return self.feed(b"".join(frame(self.framing, [body])))

    def feed(self, chunk: bytes) -> list[bytes]:
        """Bytes of the host as they are."""
        return self._written(self.connection.receive(chunk))

    def eof(self) -> list[bytes]:
        return self._written(self.connection.eof())

    def _written(self, effects: list[do.Effect]) -> list[bytes]:
        before = len(self.sent)
        self._carry_out(effects)
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
        ticket, work = self._waiting.pop(0)
        try:
            value: Any = work()
        except Exception as fault:  # noqa: BLE001  as the worker: the session hears of it
            value = fault
        self._carry_out(self.connection.resume(ticket, value))
        return True

    def wake(self, ticket: int) -> list[bytes]:
        """A deadline passes; the bodies that were written because of it."""
        return self._written(self.connection.resume(ticket, None))

    def complete(self, ticket: int, completion: Completion) -> list[bytes]:
        """The endpoint answers; the bodies that were written because of it."""
        del self.completions[ticket]
        return self._written(self.connection.resume(ticket, completion))

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
        rows_of_handle = [row for row in rows.values() if row.handle == effect.handle]
        return ArchiveAnswer(rows_of_handle[0] if len(rows_of_handle) == 1 else None)

    # in the place of a process

    def write(self, chunk: bytes) -> None:
        self.feed(chunk)

    def end_input(self) -> None:
        self.eof()

    def read(self, seconds: float) -> bytes:
        """The next bytes, b"" at the end; held work is done where nothing else is there. Raises TimedOut where an
        answer waits for a device (a model's server, a deadline): nothing comes later by itself."""
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
        """Nothing is asked of it any more."""
        self.exit_code = KILLED if self.exit_code is None else self.exit_code

    def stderr(self) -> str:
        """What a spawned one would have written to stderr."""
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
    """A connection in the place of a spawned process: byte for byte the same answers, but nothing outlives it."""

    def __init__(self, weighers: Mapping[str, Weigh] | None = None, models: Registry | None = None) -> None:
        super().__init__(weighers=weighers, models=models, record=False)

    def read(self, seconds: float) -> bytes:
        """Raises TimedOut where another vocabulary is asked for, too."""
        if self.vocabularies:
            raise TimedOut(f"the vocabulary {self.vocabularies[0].name} needs a spawned sidecar")
        return super().read(seconds)

    def _save(self, effect: do.Save) -> None:
        pass
