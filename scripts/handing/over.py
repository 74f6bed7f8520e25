"""Hands one session from sidecar to sidecar, kills either at random moments, and checks what is in the store.

In each hand-over the owner works, and is then killed, asked to end, or stopped until the next sidecar has taken
over, after which it continues beside it. The next sidecar runs on one of three machines (state directories), and
starts the session as soon as the lease allows. The machines' wall clocks differ by an hour, and leases are short.

It checks what each sidecar answered, and every head that was ever swapped in, in order:
1. What was reported as durable exists after each hand-over: `seq` never falls below the highest reported.
2. Epochs and counts of the heads only increase, an epoch has one owner, and no head loses an event of an earlier
   one.
3. A sidecar that was stopped while another took over says so with its next batch.
"""

import json
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from scripts.handing.sidecars import MODEL, Fields, Gone, Nursery, Sidecar, nursery

FENCED = "another machine has gone on with this session: nothing more of it is saved in the store from here"
OFFLINE = "nothing goes to the store for now"
LEASE_MS = 200
DELAY_MS = 5
MACHINES = 3
STARTS = 5  # of a sidecar, before the store counts as lost
STILL_MS = 30.0  # the longest time between sending a turn and the kill


class Judge:
    """`log`: of the heads."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._read_bytes = 0
        self.durable = self.seq = self.epoch = self.count = self.heads = 0
        self.owners: dict[int, str] = {}

    def note_status(self, status: Fields) -> None:
        self.durable = max(self.durable, status.get("durable") or 0)

    def look(self) -> None:
        """Checks rule 2 for the heads since the last call."""
        with self._log.open("rb") as log:
            log.seek(self._read_bytes)
            new = log.read()
        self._read_bytes += len(new)
        for line in new.splitlines():
            self._judge(json.loads(line))
        assert self.seq >= self.durable, "what was durable is lost"

    def _judge(self, head: Fields) -> None:
        seq = head.get("contents", {}).get("seq", 0)
        assert head["epoch"] >= self.epoch, "an older epoch's head was swapped in"
        assert head["count"] > self.count, "an older head was swapped in"
        assert self.owners.setdefault(head["epoch"], head["owner"]) == head["owner"], "two owners in an epoch"
        assert seq >= self.seq, "a head took back what another had"
        self.heads += 1
        self.epoch, self.count, self.seq = head["epoch"], head["count"], seq


class HandOver:
    def __init__(self, folder: Path, nursery: Nursery, judge: Judge, seed: int) -> None:
        self._folder, self._nursery, self.judge = folder, nursery, judge
        self._chance = random.Random(seed)
        self._former: Sidecar | None = None
        self._former_machine = -1

    def once(self) -> None:
        """The next machine takes over, works, and is ended. Raises AssertionError if a promise is broken."""
        machine, chance, former = self._chance.randrange(MACHINES), self._chance, self._former
        if former is not None and former.lives and self._former_machine == machine:
            former.kill()  # otherwise it would hold the lock
        sidecar, seq = self._begun(machine, former)
        self.judge.look()
        assert seq >= self.judge.durable, f"{seq} events of {self.judge.durable} that were durable"
        if former is not None and former.lives:
            former.send_signal(signal.SIGCONT)
            self._works(former, is_fenced=True)
            former.kill()
        self._works(sidecar)
        self._former, self._former_machine = sidecar, machine
        how = chance.random()
        if how < 0.5:
            sidecar.tell("turn_end", **_turn(chance))
            sidecar.wait(chance.random() * STILL_MS / 1000)  # so that the kill may interrupt any part of the work
            sidecar.kill()
        elif how < 0.75:
            sidecar.ask("session_shutdown", sessionId="s")
            sidecar.kill()
        else:
            sidecar.send_signal(signal.SIGSTOP)  # it is away, and returns as a second owner

    def _begun(self, machine: int, former: Sidecar | None) -> tuple[Sidecar, int]:
        for _ in range(STARTS):
            sidecar = self._sidecar(machine)
            seq = _started(sidecar)
            if seq is not None:
                return sidecar, seq
            sidecar.kill()
            if former is not None:  # it was stopped while it held the folder's lock
                former.send_signal(signal.SIGCONT)
        raise AssertionError("the store could not be reached")

    def _sidecar(self, machine: int) -> Sidecar:
        state = ["--state-dir", str(self._folder / f"machine-{machine}")]
        store = ["--store", (self._folder / "store").as_uri()]
        times = ["--store-delay-ms", str(DELAY_MS), "--store-lease-ms", str(LEASE_MS)]
        return self._nursery.sidecar(*state, *store, *times, shift_seconds=(machine - 1) * 3600.0)

    def _works(self, sidecar: Sidecar, is_fenced: bool = False) -> None:
        for _ in range(self._chance.randrange(1, 4)):
            flush = self._chance.random() < 0.5
            try:
                sidecar.ask("turn_end", **_turn(self._chance))
                status = sidecar.ask("getStatus", sessionId="s", flush=flush)["result"]
            except Gone:
                return
            if not is_fenced:
                self.judge.note_status(status)
            elif flush:
                assert status["notes"].count(FENCED) == 1, "it does not say that another went on"
        self.judge.look()


def hand_over(folder: Path, times: int, seed: int, say: bool = False) -> Judge:
    """Hands one session over `times` times. Raises AssertionError if a promise is broken."""
    log = folder / "heads.log"
    with nursery(log) as children:
        chaos = HandOver(folder, children, Judge(log), seed)
        for number in range(times):
            chaos.once()
            if say and (number + 1) % 50 == 0:
                judge = chaos.judge
                progress = f"epoch {judge.epoch}, {judge.heads} heads, {judge.durable} events durable"
                print(f"{number + 1} hand-overs, {progress}", flush=True)
    return chaos.judge


def _started(sidecar: Sidecar) -> int | None:
    """The session's `seq` once the previous lease is over. None if the store did not answer and the sidecar
    continued from its own older copy.
    """
    while True:
        answer = sidecar.ask("session_start", sessionId="s", model=MODEL)
        if "result" in answer:
            status = sidecar.ask("getStatus", sessionId="s", flush=True)["result"]
            went_on_alone = FENCED in status["notes"] or any(note.startswith(OFFLINE) for note in status["notes"])
            return None if went_on_alone else int(answer["result"]["seq"])


def _turn(chance: random.Random) -> dict[str, Any]:
    text = f"I decided to use module_{chance.randrange(1000)} for the cache."
    return {"sessionId": "s", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
        seed = int(sys.argv[2]) if len(sys.argv) > 2 else 16
        judged = hand_over(Path(folder), count, seed, say=True)
        print(
            f"all promises held: epoch {judged.epoch}, {judged.heads} heads, {judged.durable} events durable, "
            f"{time.monotonic() - began:.0f} s"
        )
