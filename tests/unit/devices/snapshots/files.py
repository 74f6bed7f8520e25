"""Snapshot files for tests: their lines, stores that are opened and reopened, calls of the system that fail."""

import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.devices.snapshots import SnapshotFile, SnapshotStore, file_name, to_line
from ctxmgr.devices.snapshots.store import OpenedSnapshot

ROOT = Path(__file__).parents[4]
WRITER = Path(__file__).with_name("kill9_writer.py")
WAIT_SECONDS = 60  # for a child that should answer in milliseconds; only a failure waits so long

BASE = b'{"kind":"base","version":1,"sessionId":"s","state":{}}'
ONE, TWO, THREE = (b'{"kind":"event","number":%d}' % number for number in (1, 2, 3))
RECORDS = (BASE, ONE, TWO)
WHOLE = b"".join(map(to_line, RECORDS))


def table(names: str, rows: Sequence[tuple[Any, ...]]) -> pytest.MarkDecorator:
    """One case a row: its title, then the named values."""
    return pytest.mark.parametrize(names.split(), [pytest.param(*row[1:], id=row[0]) for row in rows])


def named(directory: Path, side: str = "") -> Path:
    """The path of session "s", or of what lies beside it."""
    return directory / (file_name("s") + side)


def begun(directory: Path, content: bytes = WHOLE) -> SnapshotStore:
    """A store in which session "s" has a file with this content."""
    directory.mkdir(exist_ok=True)
    named(directory).write_bytes(content)
    return SnapshotStore(directory)


def usable(opened: OpenedSnapshot) -> SnapshotFile:
    assert opened.file is not None, opened.fault
    return opened.file


@contextmanager
def held(store: SnapshotStore, session_id: str = "s") -> Iterator[SnapshotFile]:
    file = usable(store.open(session_id))
    try:
        yield file
    finally:
        file.close()


def reopened(store: SnapshotStore) -> tuple[bytes, ...]:
    """The records a later open finds, which must be without fault."""
    opened = store.open("s")
    assert opened.fault is None
    usable(opened).close()
    return opened.lines


NEWER = to_line(BASE.replace(b'"version":1', b'"version":2')) + to_line(ONE)
FOREIGN = to_line(BASE.replace(b'"s"', b'"t"')) + to_line(ONE)


def writer(directory: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """A child that appends and acknowledges, ended by the `with` at the latest."""
    command = [sys.executable, str(WRITER), str(directory), "s", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})


def acknowledged(child: subprocess.Popen[bytes], enough: int) -> bytes:
    """What the child has acknowledged, read until there are `enough` lines or it has ended."""
    assert child.stdout is not None
    said = b""
    while said.count(b"\n") < enough:
        ready, _, _ = select.select([child.stdout], [], [], WAIT_SECONDS)
        assert ready, "the writer does not answer"
        part = os.read(child.stdout.fileno(), 65_536)
        if not part:
            break
        said += part
    return said


def descriptors() -> set[int]:
    """Those of this very process that are open."""
    return {int(name) for name in os.listdir("/dev/fd") if os.path.exists(f"/dev/fd/{name}")}
