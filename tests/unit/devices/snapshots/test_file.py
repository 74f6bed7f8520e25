"""One session's file: opened, appended to, written anew, closed."""

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.snapshots import SnapshotStore, file_name, to_line
from ctxmgr.devices.snapshots.file import from_lines
from tests.unit.devices.snapshots.files import (
    BASE,
    ONE,
    RECORDS,
    THREE,
    TWO,
    WAIT_SECONDS,
    WHOLE,
    begun,
    held,
    named,
    reopened,
    table,
    usable,
)


def test_a_store_makes_its_directory_only_when_a_session_opens(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path / "state")
    assert store.delete("s") is None
    assert not (tmp_path / "state").exists()


def test_what_was_appended_is_there_again_and_unknown_kinds_too(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    odd = b'{"kind":"of a later release","deep":[1.0,{}]}'
    with held(store) as file:
        for body in (BASE, ONE, odd, TWO):
            file.append(body)
    assert reopened(store) == (BASE, ONE, odd, TWO)
    with held(store) as file:
        file.append(THREE)
    assert reopened(store) == (BASE, ONE, odd, TWO, THREE)


def test_a_rewrite_takes_the_place_of_all_and_is_appended_to(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with held(store) as file:
        file.rewrite([BASE, TWO])
        file.append(THREE)
    assert reopened(store) == (BASE, TWO, THREE)
    assert sorted(os.listdir(tmp_path)) == sorted([file_name("s"), file_name("s") + ".lock"])


GROWN = [
    ("a small file never", 10, 250_000, False),
    ("256 KiB over a small base", 10, 263_000, True),
    ("a big base, three times", 100_000, 200_000, False),
    ("a big base, more than four times", 100_000, 301_000, True),
]


@table("base events grown", GROWN)
def test_grown(tmp_path: Path, base: int, events: int, grown: bool) -> None:
    big = BASE[:-1] + b',"text":"%b"}' % (b"x" * base)
    store = SnapshotStore(tmp_path)
    with held(store) as file:
        file.append(big)
        file.append(b'{"kind":"event","text":"%b"}' % (b"x" * events))
        assert file.grown == grown
    with held(store) as file:
        assert file.grown == grown
        file.rewrite([big])
        assert not file.grown


WRONG_BASES = [ONE, b"[]", BASE.replace(b'"s"', b'"t"'), BASE.replace(b"1", b"2")]


@pytest.mark.parametrize("base", WRONG_BASES)
def test_a_file_begins_with_its_base_or_not_at_all(tmp_path: Path, base: bytes) -> None:
    with held(SnapshotStore(tmp_path)) as file:
        with pytest.raises(ValueError, match="no base of"):
            file.append(base)
        file.append(BASE)
        for bodies in ([base], [base, BASE]):
            with pytest.raises(ValueError, match="no base of"):
                file.rewrite(bodies)
        with pytest.raises(ValueError, match="begins with a base"):
            file.rewrite([])
    assert reopened(SnapshotStore(tmp_path)) == (BASE,)


def test_a_closed_file_takes_nothing_more(tmp_path: Path) -> None:
    file = usable(begun(tmp_path).open("s"))
    file.close()
    file.close()
    file.sync()
    with pytest.raises(ValueError, match="is closed"):
        file.append(THREE)
    with pytest.raises(ValueError, match="is closed"):
        file.rewrite([BASE])
    assert reopened(SnapshotStore(tmp_path)) == RECORDS


def test_a_sync_in_another_thread_keeps_its_descriptor_through_a_rewrite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncing, replaced = threading.Event(), threading.Event()
    inodes: list[int] = []
    replace = os.replace

    def slow_sync(descriptor: int) -> None:
        inodes.append(os.fstat(descriptor).st_ino)
        syncing.set()
        assert replaced.wait(WAIT_SECONDS)
        inodes.append(os.fstat(descriptor).st_ino)

    def noted(source: Path, target: Path) -> None:
        replace(source, target)
        replaced.set()

    with held(begun(tmp_path)) as file:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fdatasync", slow_sync)
            patch.setattr(os, "replace", noted)
            beside = threading.Thread(target=file.sync)
            beside.start()
            assert syncing.wait(WAIT_SECONDS)
            file.rewrite([BASE])
            beside.join(WAIT_SECONDS)
        assert inodes[0] == inodes[1] != named(tmp_path).stat().st_ino
        file.append(ONE)
    assert reopened(SnapshotStore(tmp_path)) == (BASE, ONE)


def test_an_old_temporary_file_is_swept_and_those_of_others_are_not(tmp_path: Path) -> None:
    other = tmp_path / (file_name("t") + ".tmp")
    store = begun(tmp_path)
    for path in (named(tmp_path, ".tmp"), other):
        path.write_bytes(b"half a rewrite")
    assert reopened(store) == RECORDS
    assert not named(tmp_path, ".tmp").exists()
    assert other.exists()


def test_a_line_is_checksum_space_json_newline() -> None:
    assert to_line(b'{"kind":"event"}') == b'3d6ce014 {"kind":"event"}\n'
    assert to_line(b'{\n"kind":"event"}').count(b"\n") == 1


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_accounted_for(tail: bytes, begun: bool) -> None:
    content = (WHOLE if begun else b"") + tail
    reading = from_lines(content, "s")
    assert b"".join(map(to_line, reading.bodies)) == content[: len(content) - reading.torn_bytes]
    assert (reading.fault is None) == (begun or not tail)
