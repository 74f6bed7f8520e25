"""One life of a sidecar: pending requests, answers by id, and how it ends. One message a line."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ANSWER_SECONDS = 60.0  # timeout of each request
ERROR_CHARS = 4_000  # of its stderr, before it ended by itself
Fields = dict[str, Any]


class Hung(Exception):
    """A request was not answered, or a process did not end."""


class Life:
    def __init__(self, *program: str) -> None:
        """`program`: the module that Python runs, and its arguments."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  until `end`
        self.process = subprocess.Popen(
            [sys.executable, "-m", *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout
        self.under_way: dict[int, Any] = {}  # what the caller knows of each request, by id
        self._number = 0
        self._unread = b""
        self._answers: list[tuple[Any, Fields]] = []

    def ask(self, method: str, params: Fields, of: Any = None) -> None:
        """Sends a request. Its answer comes from `answers`, with `of`."""
        self._number += 1
        self.under_way[self._number] = of
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode())

    def send(self, line: bytes) -> None:
        """Sends these bytes and a newline."""
        left = line + b"\n"
        while left:
            if not select.select([], [self._in], [], 0)[1]:
                self._read()
                continue
            left = left[os.write(self._in.fileno(), left[:4_096]) :]

    def answers(self, at_most: int) -> list[tuple[Any, Fields]]:
        """The answers received until at most `at_most` requests are pending."""
        while len(self.under_way) > at_most:
            self._read()
        out, self._answers = self._answers, []
        return out

    def call(self, method: str, params: Fields) -> Fields:
        """The answer to one request; `answers` returns whatever else arrives meanwhile."""
        mark = object()
        self.ask(method, params, mark)
        while True:
            for number, (of, answer) in enumerate(self._answers):
                if of is mark:
                    del self._answers[number]
                    return answer
            self._read()

    def _read(self) -> None:
        ready, _, _ = select.select([self._out], [], [], ANSWER_SECONDS)
        if not ready:
            raise Hung(f"{len(self.under_way)} requests are not answered")
        chunk = os.read(self._out.fileno(), 1 << 20)
        if not chunk:
            code = self.process.wait(ANSWER_SECONDS)
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace")[-ERROR_CHARS:]
            raise Hung(f"it ended by itself with {code}: {said}")
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        self._take(lines)

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            message = json.loads(line)
            if "method" not in message and message["id"] in self.under_way:
                self._answers.append((self.under_way.pop(message["id"]), message))

    def memory(self) -> int:
        """Resident memory in bytes (Linux)."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as status:
            return int(status.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def wait(self, seconds: float) -> None:
        """Waits for the next answer, at most `seconds`."""
        select.select([self._out], [], [], seconds)

    def mend(self) -> None:
        """Stops all faults."""
        self.process.send_signal(signal.SIGUSR1)

    def end(self, how: str) -> list[tuple[Any, Fields]]:
        """`how`: `kill`, `term`, `torn` (half a message, then the end of input) or `close`. Returns the answers
        that still came.
        """
        if how == "kill":
            self.process.kill()
        elif how == "term":
            self.process.terminate()
        else:
            if how == "torn":
                os.write(self._in.fileno(), b'{"jsonrpc": "2.0", "id": 1, "method": "turn_e')
            self._in.close()
        begun = monotonic()
        rest = b""
        while True:
            ready, _, _ = select.select([self._out], [], [], ANSWER_SECONDS)
            if not ready or monotonic() - begun > ANSWER_SECONDS:
                raise Hung(f"it did not end by {how}")
            chunk = os.read(self._out.fileno(), 1 << 20)
            if not chunk:
                break
            rest += chunk
        *lines, _ = (self._unread + rest).split(b"\n")
        self._take(lines)
        self.process.wait(ANSWER_SECONDS)
        self._out.close()
        self._errors.close()
        if not self._in.closed:
            self._in.close()
        out, self._answers = self._answers, []
        return out
