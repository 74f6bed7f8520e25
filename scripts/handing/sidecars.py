"""Sidecars to be killed: spawned as a program does, or forked by a `nursery` that has loaded it (Linux)."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MODEL = {"id": "m", "contextWindow": 100_000}
POLICY = {"tokenizer": "estimate"}  # avoids a second process that loads a vocabulary
ANSWER_SECONDS = 60.0
Fields = dict[str, Any]


class Gone(Exception):
    """The sidecar has ended, or was killed."""


class Sidecar:
    """`process`: a descriptor of it, which becomes readable when it has ended. `child`: the process, if it is a
    child of this one.
    """

    def __init__(
        self, process: int, source: int, sink: int, child: "subprocess.Popen[bytes] | None" = None
    ) -> None:
        self._process, self._in, self._out, self._child = process, source, sink, child
        self._number, self._unread = 0, b""
        self._closed = False
        self.ask("initialize", protocolVersion="1.1", policy=POLICY)

    @property
    def lives(self) -> bool:
        return not self._closed and not select.select([self._process], [], [], 0)[0]

    def ask(self, method: str, **params: Any) -> Fields:
        """Returns the whole answer. Raises Gone."""
        id = self.tell(method, **params)
        while True:
            for line in self._lines():
                answer: Fields = json.loads(line)
                if answer.get("id") == id:
                    return answer

    def tell(self, method: str, **params: Any) -> int:
        """Sends it without waiting. Raises Gone."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        view = memoryview(json.dumps(message).encode() + b"\n")
        try:
            while view:
                view = view[os.write(self._in, view) :]
        except OSError:
            raise Gone from None
        return self._number

    def _lines(self) -> list[bytes]:
        if not select.select([self._out], [], [], ANSWER_SECONDS)[0]:
            raise TimeoutError("a sidecar does not answer")
        read = os.read(self._out, 1 << 16)
        if not read:
            raise Gone
        *lines, self._unread = (self._unread + read).split(b"\n")
        return lines

    def wait(self, seconds: float) -> None:
        """Waits for its next answer, at most `seconds`."""
        select.select([self._out], [], [], seconds)

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, number)

    def kill(self) -> None:
        """Kills it and waits for its end."""
        if self._closed:
            return
        self.send_signal(signal.SIGKILL)
        select.select([self._process], [], [])
        if self._child is not None:
            self._child.wait()
        self._closed = True
        for descriptor in (self._process, self._in, self._out):
            os.close(descriptor)


class Nursery:
    """`log`: the file that receives each swapped head, in order."""

    def __init__(self, channel: socket.socket, log: Path) -> None:
        self._channel, self._log = channel, log
        self._living: list[Sidecar] = []

    def sidecar(self, *arguments: str, shift_seconds: float) -> Sidecar:
        """A sidecar that serves, with its wall clock shifted by `shift_seconds`."""
        its_in, our_in = os.pipe()
        our_out, its_out = os.pipe()
        request = {"arguments": arguments, "shift_seconds": shift_seconds, "log": str(self._log)}
        socket.send_fds(self._channel, [json.dumps(request).encode()], [its_in, its_out])
        process = os.pidfd_open(int(self._channel.recv(32)))
        os.close(its_in)
        os.close(its_out)
        self._living = [child for child in self._living if child.lives]
        self._living.append(Sidecar(process, our_in, our_out))
        return self._living[-1]

    def end(self) -> None:
        for child in self._living:
            child.kill()


@contextlib.contextmanager
def nursery(log: Path) -> Iterator[Nursery]:
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "scripts.handing.nursery", str(its.fileno())]
    with ours, subprocess.Popen(command, cwd=ROOT, pass_fds=[its.fileno()]) as process:
        its.close()
        children = Nursery(ours, log)
        try:
            yield children
        finally:
            children.end()
            process.kill()


def spawned(*arguments: str) -> Sidecar:
    """A sidecar started as programs do."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ctxmgr", "serve", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        bufsize=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    streams = os.dup(process.stdin.fileno()), os.dup(process.stdout.fileno())
    process.stdin.close()
    process.stdout.close()
    return Sidecar(os.pidfd_open(process.pid), *streams, child=process)
