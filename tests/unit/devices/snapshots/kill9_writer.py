"""The one that gets killed: appends numbered events to a session and acknowledges each on stdout.

Usage: kill9_writer.py DIRECTORY SESSION [POINT]. It goes on from what is there, until it is killed. With a
POINT it kills itself in the middle of its first rewrite instead: on entering the named function of `os`.
"""

import os
import signal
import sys
from pathlib import Path

import msgspec

from ctxmgr.devices.snapshots import SnapshotStore

PADDING = "x" * 900  # so that 64 KiB, and with it a rewrite, is reached every 70 events


def base(session_id: str, count: int) -> bytes:
    """The base that stands for the first `count` events."""
    head = {"kind": "base", "version": 1, "sessionId": session_id, "state": {"count": count}}
    return msgspec.json.encode(head)


def event(number: int) -> bytes:
    return msgspec.json.encode({"kind": "event", "number": number, "padding": PADDING})


def counted(lines: tuple[bytes, ...]) -> int:
    """How many events the lines of a snapshot stand for."""
    return int(msgspec.json.decode(lines[0])["state"]["count"]) + len(lines) - 1 if lines else 0


def die_at(point: str) -> None:
    def die(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(os, point, die)


def main(directory: str, session_id: str, point: str = "") -> None:
    opened = SnapshotStore(Path(directory)).open(session_id)
    file = opened.file
    assert file is not None, opened.fault
    if not opened.lines:
        file.append(base(session_id, 0))
    number = counted(opened.lines)
    while True:
        number += 1
        file.append(event(number))
        os.write(1, b"%d\n" % number)
        if file.grown:
            if point:
                die_at(point)
            file.rewrite([base(session_id, number)])


if __name__ == "__main__":
    main(*sys.argv[1:])
