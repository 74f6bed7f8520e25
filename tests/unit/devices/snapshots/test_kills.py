"""What was acknowledged survives `kill -9`, whenever it comes."""

import json
import sys
from pathlib import Path

import pytest

from ctxmgr.devices.snapshots import SnapshotStore
from tests.unit.devices.snapshots.files import WAIT_SECONDS, acknowledged, held, named, reopened, usable, writer


def counted(lines: tuple[bytes, ...]) -> int:
    """How many events the lines stand for; none may be missing or doubled."""
    base, *events = (json.loads(line) for line in lines)
    numbers = [event["number"] for event in events]
    first = int(base["state"]["count"])
    assert numbers == list(range(first + 1, first + 1 + len(numbers)))
    return first + len(numbers)


@pytest.mark.kill
def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    total = 0
    for enough in (1, 2, 3, 5, 7, 11, 30, 50, 68, 69, 70, 71, 72, 73, 90, 139, 150, 210, 333, 500):
        with writer(tmp_path) as child:
            said = acknowledged(child, enough)
            child.kill()
            said += child.stdout.read()
            child.wait(WAIT_SECONDS)
        last = int(said[: said.rindex(b"\n")].rpartition(b"\n")[2])
        opened = SnapshotStore(tmp_path).open("s")
        usable(opened).close()
        assert not opened.refused
        assert not named(tmp_path, ".broken-1").exists()
        assert total < last <= counted(opened.lines) <= last + 1
        total = counted(opened.lines)


@pytest.mark.kill
@pytest.mark.parametrize("point", ["open", "write", "fsync", "replace"])
def test_a_kill_inside_a_rewrite_leaves_the_old_file(tmp_path: Path, point: str) -> None:
    with writer(tmp_path, point) as child:
        last = len(acknowledged(child, sys.maxsize).splitlines())
        assert child.wait(WAIT_SECONDS) == -9
    left = named(tmp_path, ".tmp").exists()
    assert left == (point != "open")
    with held(SnapshotStore(tmp_path)) as file:
        assert not named(tmp_path, ".tmp").exists()
        assert file.grown
    assert counted(reopened(SnapshotStore(tmp_path))) == last > 60
