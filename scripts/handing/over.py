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

from scripts.soaking.life import Fields, Life

MODEL = {"id": "m", "contextWindow": 100_000}
POLICY = {"tokenizer": "estimate"}  # avoids a second process that loads a vocabulary
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
    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._log = folder, folder / "heads.log"
        self.judge = Judge(self._log)
        self._chance = random.Random(seed)
        self._former: Life | None = None
        self._former_machine = -1

    def once(self) -> None:
        """The next machine takes over, works, and is ended. Raises AssertionError if a promise is broken."""
        machine, chance, former = self._chance.randrange(MACHINES), self._chance, self._former
        if former is not None and self._former_machine == machine:
            former.end("kill")  # otherwise it would hold the lock
            former = None
        sidecar, seq = self._begun(machine, former)
        self.judge.look()
        assert seq >= self.judge.durable, f"{seq} events of {self.judge.durable} that were durable"
        if former is not None:
            former.process.send_signal(signal.SIGCONT)
            self._works(former, is_fenced=True)
            former.end("kill")
        self._works(sidecar)
        self._former, self._former_machine = None, machine
        how = chance.random()
        if how < 0.5:
            sidecar.ask("turn_end", _turn(chance))
            sidecar.wait(chance.random() * STILL_MS / 1000)  # so that the kill may interrupt any part of the work
            sidecar.end("kill")
        elif how < 0.75:
            sidecar.call("session_shutdown", {"sessionId": "s"})
            sidecar.end("kill")
        else:
            sidecar.process.send_signal(signal.SIGSTOP)  # it is away, and returns as a second owner
            self._former = sidecar

    def end(self) -> None:
        if self._former is not None:
            self._former.end("kill")

    def _begun(self, machine: int, former: Life | None) -> tuple[Life, int]:
        for _ in range(STARTS):
            sidecar = self._sidecar(machine)
            seq = _started(sidecar)
            if seq is not None:
                return sidecar, seq
            sidecar.end("kill")
            if former is not None:  # it was stopped while it held the folder's lock
                former.process.send_signal(signal.SIGCONT)
        raise AssertionError("the store could not be reached")

    def _sidecar(self, machine: int) -> Life:
        program = ["scripts.handing.shifted", str((machine - 1) * 3600.0), str(self._log)]
        state = ["--state-dir", str(self._folder / f"machine-{machine}")]
        store = ["--store", (self._folder / "store").as_uri()]
        times = ["--store-delay-ms", str(DELAY_MS), "--store-lease-ms", str(LEASE_MS)]
        life = Life(*program, *state, *store, *times)
        life.call("initialize", {"protocolVersion": "1.1", "policy": POLICY})
        return life

    def _works(self, sidecar: Life, is_fenced: bool = False) -> None:
        for _ in range(self._chance.randrange(1, 4)):
            flush = self._chance.random() < 0.5
            sidecar.call("turn_end", _turn(self._chance))
            status = _status(sidecar, flush)
            if not is_fenced:
                self.judge.note_status(status)
            elif flush:
                assert status["notes"].count(FENCED) == 1, "it does not say that another went on"
        self.judge.look()


def hand_over(folder: Path, times: int, seed: int, say: bool = False) -> Judge:
    """Hands one session over `times` times. Raises AssertionError if a promise is broken."""
    chaos = HandOver(folder, seed)
    judge = chaos.judge
    for number in range(times):
        chaos.once()
        if say and (number + 1) % 50 == 0:
            progress = f"epoch {judge.epoch}, {judge.heads} heads, {judge.durable} events durable"
            print(f"{number + 1} hand-overs, {progress}", flush=True)
    chaos.end()
    return judge


def _status(sidecar: Life, flush: bool) -> Fields:
    status: Fields = sidecar.call("getStatus", {"sessionId": "s", "flush": flush})["result"]
    return status


def _started(sidecar: Life) -> int | None:
    """The session's `seq` once the previous lease is over. None if the store did not answer and the sidecar
    continued from its own older copy.
    """
    while True:
        answer = sidecar.call("session_start", {"sessionId": "s", "model": MODEL})
        if "result" in answer:
            status = _status(sidecar, flush=True)
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
