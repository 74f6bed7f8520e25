"""A process that has loaded the sidecar, and forks one on request: starts take no time, so that many sidecars can
be killed. Each fork is a normal `ctxmgr serve`, with its own process, files and lock.

    python -m scripts.handing.nursery DESCRIPTOR     called by `sidecars.py`; the descriptor is of a socket

A request is a line of JSON (`arguments`, `shift_seconds` of its wall clock, `log`: a file), with two descriptors
for its input and output; the answer is the process id. The log holds each head that a sidecar swapped into a
folder, in the order of the swaps, since it is written under the lock of the swap.
"""

import importlib
import json
import os
import signal
import socket
import sys
import time
from typing import Any

from ctxmgr.cli import main

HEADS = "heads/"  # prefix of their keys in a store
LOADED = (
    *("ctxmgr.server.stdio_server", "ctxmgr.server.connection", "ctxmgr.server.sessions", "ctxmgr.session.methods"),
    *("ctxmgr.devices.snapshots", "ctxmgr.store.store", "ctxmgr.formats.pi_messages", "ctxmgr.known_models"),
)
REQUEST_BYTES = 1 << 16


def serve_requests(channel: socket.socket) -> None:
    for name in LOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
    while True:
        request, descriptors, _, _ = socket.recv_fds(channel, REQUEST_BYTES, 2)
        if not request:
            return
        number = os.fork()
        if number == 0:
            channel.close()
            become(json.loads(request), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        channel.send(b"%d" % number)


def become(request: dict[str, Any], source: int, sink: int) -> None:
    """Runs as a sidecar until it ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor, number in ((source, 0), (sink, 1), (os.open(os.devnull, os.O_WRONLY), 2)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    code = 1
    try:
        shift_clock(request["shift_seconds"])
        log_heads(request["log"])
        code = main(["serve", *request["arguments"]])
    finally:
        os._exit(code)


def shift_clock(seconds: float) -> None:
    real = time.time
    time.time = lambda: real() + seconds


def log_heads(path: str) -> None:
    files: Any = importlib.import_module("ctxmgr.store.objects.file_objects")
    write = files.write_file

    def logged(root: int, key: str, content: bytes) -> None:
        write(root, key, content)
        if key.startswith(HEADS):
            log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.write(log, content + b"\n")
            os.close(log)

    files.write_file = logged


if __name__ == "__main__":
    serve_requests(socket.socket(fileno=int(sys.argv[1])))
