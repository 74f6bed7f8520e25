"""Hands one session from sidecar to sidecar, kills either at random moments, and judges what is in the store.

Each hand-over: the owner works, and is killed, asked to end, or stopped until the next one has taken over, and then
goes on beside it. The next is a sidecar on one of three machines (state directories), which starts the session as
soon as the lease lets it. The machines' wall clocks are an hour apart (`time.time` is shifted in the process), and
leases are short.

Judged, from what each sidecar answered and from the heads alone:
1. What was told durable is there after each hand-over: `seq` never falls below the highest that was told.
2. Epochs and counts in the head only grow; an epoch has one owner.
"""

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

OFFLINE = "the store can not be reached: what is new is kept here, and goes there later"
ROOT = Path(__file__).resolve().parents[2]
LEASE_MS = 400
MODEL = {"id": "m", "contextWindow": 100_000}
SERVE = """
import sys, time
shift, lease = float(sys.argv.pop(1)), int(sys.argv.pop(1))
real = time.time
time.time = lambda: real() + shift
import ctxmgr.store.head as head, ctxmgr.store.store as store
head.LEASE_MS = lease
store.SessionStore.__init__.__defaults__ = (5, lease)
from ctxmgr.cli import main
sys.exit(main(sys.argv[1:]))
"""
ANSWER_SECONDS = 60.0
Fields = dict[str, Any]


class Gone(Exception):
    """The sidecar has ended, or was killed."""


class Sidecar:
    def __init__(self, state_dir: Path, url: str, shift_seconds: float) -> None:
        serve = ["serve", "--state-dir", str(state_dir), "--store", url, "--store-delay-ms", "5"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(shift_seconds), str(LEASE_MS), *serve],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            bufsize=0,
        )
        self._number, self._unread = 0, b""
        self.ask("initialize", protocolVersion="1.1", capabilities={})

    def ask(self, method: str, **params: Any) -> Fields:
        """The whole answer. Gone."""
        id = self.tell(method, **params)
        while True:
            for line in self._lines():
                answer: Fields = json.loads(line)
                if answer.get("id") == id:
                    return answer

    def tell(self, method: str, **params: Any) -> int:
        """Sends it and waits for nothing. Gone."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        except OSError:
            raise Gone from None
        return self._number

    def _lines(self) -> list[bytes]:
        assert self.process.stdout is not None
        out = self.process.stdout.fileno()
        if not select.select([out], [], [], ANSWER_SECONDS)[0]:
            raise TimeoutError("a sidecar does not answer")
        read = os.read(out, 1 << 16)
        if not read:
            raise Gone
        *lines, self._unread = (self._unread + read).split(b"\n")
        return lines

    def wait(self, seconds: float) -> None:
        """For its next answer, or so long."""
        assert self.process.stdout is not None
        select.select([self.process.stdout], [], [], seconds)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


class Judge:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.durable = self.epoch = self.count = 0
        self.owners: dict[int, str] = {}

    def told(self, status: Fields) -> None:
        self.durable = max(self.durable, status.get("durable") or 0)

    def look(self) -> None:
        """Rule 2."""
        heads = [path for path in (self._folder / "heads").glob("*") if not path.name.startswith(".")]
        for path in heads:
            head = json.loads(path.read_bytes())
            assert head["epoch"] >= self.epoch, "an older epoch's head stands"
            assert head["count"] >= self.count, "an older head stands"
            assert self.owners.setdefault(head["epoch"], head["owner"]) == head["owner"], "two owners in an epoch"
            assert head.get("contents", {}).get("seq", 0) >= self.durable, "what was durable is lost"
            self.epoch, self.count = head["epoch"], head["count"]


def hand_over(folder: Path, times: int, seed: int, say: bool = False) -> Judge:
    """So many hand-overs of one session. AssertionError where a promise is broken."""
    chance = random.Random(seed)
    store = folder / "store"
    judge = Judge(store)
    url = store.as_uri()
    former: Sidecar | None = None
    former_place = -1
    for number in range(times):
        place = chance.randrange(3)
        if former is not None and former.process.poll() is None and former_place == place:
            former.kill()  # the lock here would refuse
        sidecar = Sidecar(folder / f"machine-{place}", url, shift_seconds=(place - 1) * 3600.0)
        seq = _started(sidecar)
        if seq is None and former is not None:  # it was stopped while it held the folder's lock
            sidecar.kill()
            former.process.send_signal(signal.SIGCONT)
            sidecar = Sidecar(folder / f"machine-{place}", url, shift_seconds=(place - 1) * 3600.0)
            seq = _started(sidecar)
        assert seq is not None, "the store could not be reached"
        judge.look()
        assert seq >= judge.durable, f"hand-over {number}: {seq} events of {judge.durable} that were durable"
        if former is not None and former.process.poll() is None:
            former.process.send_signal(signal.SIGCONT)
            _works(former, chance, judge, fenced=True)
            former.kill()
        _works(sidecar, chance, judge)
        former, former_place = sidecar, place
        how = chance.random()
        if how < 0.5:
            sidecar.tell("turn_end", **_turn(chance))
            sidecar.wait(chance.random() * 0.03)  # a kill at any moment of what that sets going
            sidecar.kill()
        elif how < 0.75:
            sidecar.ask("session_shutdown", sessionId="s")
            sidecar.kill()
        else:
            sidecar.process.send_signal(signal.SIGSTOP)  # it is away, and comes back as a second owner
        if say and (number + 1) % 50 == 0:
            print(f"{number + 1} hand-overs, epoch {judge.epoch}, {judge.durable} events durable", flush=True)
    if former is not None and former.process.poll() is None:
        former.kill()
    return judge


def _started(sidecar: Sidecar) -> int | None:
    """Its `seq`, once the lease of the one before is over; None where the store did not answer."""
    while True:
        answer = sidecar.ask("session_start", sessionId="s", model=MODEL)
        if "result" in answer:
            status = sidecar.ask("getStatus", sessionId="s", flush=True)["result"]
            return None if OFFLINE in status["notes"] else int(answer["result"]["seq"])


def _works(sidecar: Sidecar, chance: random.Random, judge: Judge, fenced: bool = False) -> None:
    for _ in range(chance.randrange(1, 4)):
        try:
            sidecar.ask("turn_end", **_turn(chance))
            status = sidecar.ask("getStatus", sessionId="s", flush=chance.random() < 0.5)["result"]
        except Gone:
            return
        if not fenced:
            judge.told(status)
    judge.look()


def _turn(chance: random.Random) -> Fields:
    text = f"I decided to use module_{chance.randrange(1000)} for the cache."
    return {"sessionId": "s", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        judged = hand_over(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else 1000, 16, say=True)
        print(
            f"all promises held: epoch {judged.epoch}, {judged.durable} events durable, "
            f"{time.monotonic() - began:.0f} s"
        )
