"""The store of snapshots: what survives damage, a kill, a full disk, another process and odd session ids."""

import errno
import json
import os
import re
import select
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxmgr.devices.snapshots import (
    OpenedSnapshot,
    SnapshotFile,
    SnapshotFull,
    SnapshotStore,
    file_name,
    read,
    to_line,
)

ROOT = Path(__file__).parents[3]
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


def failing(monkeypatch: pytest.MonkeyPatch, name: str, code: int = errno.ENOSPC) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, name, fail)


# What is written comes back


def test_a_new_session_has_no_lines_and_no_fault(tmp_path: Path) -> None:
    opened = SnapshotStore(tmp_path / "deep" / "state").open("s")
    usable(opened).close()
    assert (opened.lines, opened.fault, opened.refused, opened.torn_bytes) == ((), None, False, 0)


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


def test_an_append_is_in_the_file_on_return(tmp_path: Path) -> None:
    with held(SnapshotStore(tmp_path)) as file:
        file.append(BASE)
        assert read(named(tmp_path)).bodies == (BASE,)
        file.rewrite([BASE, ONE])
        file.append(TWO)
        assert read(named(tmp_path)).bodies == RECORDS


GROWN = [
    ("a small file never", 10, 60_000, False),
    ("64 KiB over a small base", 10, 66_000, True),
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


# Damage: nothing wrong is read, nothing is lost

NEWER = to_line(BASE.replace(b'"version":1', b'"version":2')) + to_line(ONE)
FOREIGN = to_line(BASE.replace(b'"s"', b'"t"')) + to_line(ONE)
SET_ASIDE = [
    ("broken", b"x" + WHOLE, "its first line is broken"),
    ("torn in the base", WHOLE[:20], "its first line is broken"),
    ("zeros", bytes(4096), "its first line is broken"),
    ("newer", NEWER, "written by a newer ctxmgr (snapshot version 2, known is 1)"),
    ("foreign", FOREIGN, "it belongs to another session"),
]


@table("content fault", SET_ASIDE)
def test_a_file_of_no_use_is_set_aside_and_said(tmp_path: Path, content: bytes, fault: str) -> None:
    store = begun(tmp_path, content)
    named(tmp_path, ".broken-1").write_bytes(b"of an earlier time")
    named(tmp_path, ".broken-2").symlink_to("nowhere")
    opened = store.open("s")
    file = usable(opened)
    file.append(BASE)
    file.close()
    assert (opened.lines, opened.refused) == ((), False)
    said = f"{named(tmp_path)} was set aside as {file_name('s')}.broken-3 and a new one begun: "
    assert (opened.fault or "").startswith(said)
    assert fault in (opened.fault or "")
    assert named(tmp_path, ".broken-1").read_bytes() == b"of an earlier time"
    assert named(tmp_path, ".broken-2").is_symlink()
    assert named(tmp_path, ".broken-3").read_bytes() == content
    assert reopened(store) == (BASE,)


def make_link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.write_bytes(WHOLE)
    path.symlink_to(target)


IRREGULAR: list[tuple[str, Callable[[Path], None], Callable[[int], bool]]] = [
    ("a link", make_link, stat.S_ISLNK),
    ("a link to nothing", lambda path: path.symlink_to("nowhere"), stat.S_ISLNK),
    ("a directory", lambda path: (path / "inner").mkdir(parents=True), stat.S_ISDIR),
    ("a pipe", lambda path: os.mkfifo(path), stat.S_ISFIFO),
]


@table("make kind", IRREGULAR)
def test_what_is_no_file_is_set_aside(
    tmp_path: Path, make: Callable[[Path], None], kind: Callable[[int], bool]
) -> None:
    make(named(tmp_path))
    opened = SnapshotStore(tmp_path).open("s")
    file = usable(opened)
    file.append(BASE)
    file.close()
    assert "no regular file" in (opened.fault or "")
    assert opened.lines == ()
    assert kind(named(tmp_path, ".broken-1").lstat().st_mode)
    assert stat.S_ISREG(named(tmp_path).lstat().st_mode)
    assert not (tmp_path / "nowhere").exists()
    assert not (tmp_path / "elsewhere").exists() or (tmp_path / "elsewhere").read_bytes() == WHOLE


def test_links_at_the_side_files_are_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    for side, content in ((".lock", WHOLE), (".torn", WHOLE + b"torn"), (".tmp", WHOLE)):
        directory = tmp_path / side[1:]
        store = begun(directory, content)
        named(directory, side).symlink_to(victim)
        opened = store.open("s")
        if opened.file is None:
            assert opened.fault is not None
            assert opened.lines == RECORDS
            assert named(directory).read_bytes() == content
        else:
            opened.file.rewrite([BASE])
            opened.file.close()
        assert victim.read_bytes() == b"precious"


def test_a_torn_tail_is_kept_said_and_cut_off(tmp_path: Path) -> None:
    for number, tail in enumerate((b"first", b"se", bytes(5)), start=1):
        store = begun(tmp_path, WHOLE + tail)
        opened = store.open("s")
        file = usable(opened)
        file.append(THREE)
        file.close()
        assert (opened.lines, opened.torn_bytes) == (RECORDS, len(tail))
        assert f"had {len(tail)} unreadable bytes" in (opened.fault or "")
        assert reopened(store) == (*RECORDS, THREE), number
    assert named(tmp_path, ".torn").read_bytes() == b"firstse" + bytes(5)


def check_damaged(content: bytes) -> None:
    """Whatever became of a file: what is read is a beginning of what was written, and every byte is kept."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        store = begun(directory, content)
        opened = store.open("s")
        usable(opened).close()
        assert opened.lines == RECORDS[: len(opened.lines)]
        aside, torn = named(directory, ".broken-1"), named(directory, ".torn")
        kept = torn.read_bytes() if torn.exists() else b""
        assert len(kept) == opened.torn_bytes
        assert (aside.read_bytes() if aside.exists() else named(directory).read_bytes() + kept) == content
        assert (opened.fault is None) == (content == b"".join(map(to_line, opened.lines)))
        assert reopened(store) == opened.lines


def test_every_truncation_gives_a_beginning_and_loses_nothing() -> None:
    for length in range(len(WHOLE)):
        check_damaged(WHOLE[:length])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sets(st.integers(0, len(WHOLE) * 8 - 1), min_size=1, max_size=3), st.integers(0, len(WHOLE)))
def test_flipped_bits_give_a_beginning_and_lose_nothing(bits: set[int], length: int) -> None:
    damaged = bytearray(WHOLE)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8
    check_damaged(bytes(damaged[:length]))


# kill -9


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
            assert child.stdout is not None
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


# A full or failing disk


def test_a_short_write_is_cut_off_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, write = begun(tmp_path), os.write
    with held(store) as file:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:7]))
            with pytest.raises(SnapshotFull) as full:
                file.append(THREE)
        assert full.value.errno == errno.ENOSPC
        assert f"{named(tmp_path)} did not reach the disk: No space left" in str(full.value)
        assert named(tmp_path).read_bytes() == WHOLE
        lacking = file.grown
        file.rewrite([BASE, THREE])
        assert (lacking, file.grown) == (True, False)
    assert reopened(store) == (BASE, THREE)


@pytest.mark.parametrize("rewritten", [False, True])
def test_a_tail_that_could_not_be_cut_off_is_cut_off_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rewritten: bool
) -> None:
    store, write = begun(tmp_path), os.write
    with held(store) as file:
        if rewritten:
            file.rewrite(RECORDS)
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:7]))
            failing(patch, "ftruncate", errno.EIO)
            for _ in range(2):
                with pytest.raises(SnapshotFull):
                    file.append(THREE)
        assert named(tmp_path).read_bytes() == WHOLE + to_line(THREE)[:7]
        file.append(THREE)
        assert named(tmp_path).read_bytes() == WHOLE + to_line(THREE)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_write_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    with held(begun(tmp_path)) as file:
        with monkeypatch.context() as patch:
            failing(patch, "write", code)
            with pytest.raises(SnapshotFull) as full:
                file.append(THREE)
            with pytest.raises(SnapshotFull):
                file.rewrite([BASE])
        assert full.value.errno == code
        assert named(tmp_path).read_bytes() == WHOLE
        assert not named(tmp_path, ".tmp").exists()
    assert reopened(SnapshotStore(tmp_path)) == RECORDS


@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_a_rewrite_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    before = descriptors()
    store = begun(tmp_path)
    with held(store) as file:
        with monkeypatch.context() as patch:
            failing(patch, point, errno.EIO)
            with pytest.raises(SnapshotFull):
                file.rewrite([BASE])
        assert named(tmp_path).read_bytes() == WHOLE
        assert not named(tmp_path, ".tmp").exists()
        file.append(THREE)
    assert reopened(store) == (*RECORDS, THREE)
    assert descriptors() == before


def test_a_rewrite_whose_name_is_not_on_the_disk_yet_goes_on_in_the_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, fsync = begun(tmp_path), os.fsync

    def fail_on_directories(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(descriptor)

    with held(store) as file:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail_on_directories)
            with pytest.raises(SnapshotFull):
                file.rewrite([BASE, TWO])
        file.append(THREE)
    assert reopened(store) == (BASE, TWO, THREE)


def test_an_old_temporary_file_is_swept_and_those_of_others_are_not(tmp_path: Path) -> None:
    other = tmp_path / (file_name("t") + ".tmp")
    store = begun(tmp_path)
    for path in (named(tmp_path, ".tmp"), other):
        path.write_bytes(b"half a rewrite")
    assert reopened(store) == RECORDS
    assert not named(tmp_path, ".tmp").exists()
    assert other.exists()


def test_where_no_directory_can_be_the_session_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    opened = SnapshotStore(tmp_path / "file" / "state").open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, (), False)
    assert "the session is not saved: Not a directory" in (opened.fault or "")


def test_on_a_read_only_disk_the_state_is_given_and_nothing_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, plain = begun(tmp_path), os.open

    def read_only(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return plain(path, flags, mode)

    monkeypatch.setattr(os, "open", read_only)
    opened = store.open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, RECORDS, False)
    assert (opened.fault or "").endswith("the session is not saved: Read-only file system")


@pytest.mark.parametrize("point", ["write", "fsync"])
def test_a_torn_tail_that_can_not_be_kept_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    store = begun(tmp_path, WHOLE + b"torn")
    with monkeypatch.context() as patch:
        failing(patch, point)
        opened = store.open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, RECORDS, False)
    assert named(tmp_path).read_bytes() == WHOLE + b"torn"
    usable(store.open("s")).close()  # the lock was released
    assert named(tmp_path, ".torn").read_bytes() == b"torn"


def test_a_file_that_can_not_be_set_aside_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = begun(tmp_path, NEWER)
    with monkeypatch.context() as patch:
        failing(patch, "rename", errno.EACCES)
        opened = store.open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, (), False)
    assert named(tmp_path).read_bytes() == NEWER


# Sync


def test_the_lock_is_released_even_when_the_last_sync_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = begun(tmp_path)
    file = usable(store.open("s"))
    with monkeypatch.context() as patch:
        failing(patch, "fdatasync", errno.EIO)
        with pytest.raises(OSError, match="Input/output"):
            file.close()
    assert reopened(store) == RECORDS


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


# One holder


def test_a_second_open_in_this_process_is_refused(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with held(store) as file:
        for other in (store, SnapshotStore(tmp_path)):
            opened = other.open("s")
            assert (opened.file, opened.lines, opened.refused) == (None, (), True)
            assert f"locked by pid {os.getpid()}" in (opened.fault or "")
        file.rewrite([BASE])
        assert store.open("s").refused, "a rewrite swaps the inode"
        with held(store, "another session"):
            pass
    assert reopened(store) == (BASE,)


def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    with writer(tmp_path) as child:
        acknowledged(child, 1)
        opened = store.open("s")
        deleted = store.delete("s")
        child.kill()
        assert child.stdout is not None
        child.stdout.read()
        child.wait(WAIT_SECONDS)
    assert opened.refused
    for fault in (opened.fault, deleted):
        assert f"{named(tmp_path)} is locked by pid {child.pid}" in (fault or "")
    usable(store.open("s")).close()


def test_a_lock_file_deleted_under_a_waiting_opener_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening the lock file and locking it, the session is deleted and opened anew by another."""
    store, plain = begun(tmp_path), os.open
    meanwhile: list[SnapshotFile] = []

    def interrupted(path: Path, flags: int, mode: int = 0o777) -> int:
        descriptor = plain(path, flags, mode)
        if str(path).endswith(".lock") and not meanwhile:
            monkeypatch.setattr(os, "open", plain)
            assert store.delete("s") is None
            meanwhile.append(usable(store.open("s")))
        return descriptor

    monkeypatch.setattr(os, "open", interrupted)
    assert store.open("s").refused
    meanwhile[0].close()
    assert reopened(store) == ()


def test_delete_removes_all_files_of_one_session_only(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with held(store, "t") as file:
        file.append(BASE.replace(b'"s"', b'"t"'))
    left = sorted(os.listdir(tmp_path))
    for side in ("", ".torn", ".tmp", ".broken-1", ".broken-2", ".lock"):
        named(tmp_path, side).write_bytes(b"")
    left.remove(file_name("s"))
    with held(store):
        assert "nothing was deleted" in (store.delete("s") or "")
    assert store.delete("s") is None
    assert sorted(os.listdir(tmp_path)) == left
    assert store.delete("s") is None
    assert reopened(store) == ()


def test_delete_says_what_it_could_not_remove_and_removes_the_rest(tmp_path: Path) -> None:
    store = begun(tmp_path)
    named(tmp_path, ".broken-1").mkdir()
    named(tmp_path, ".torn").write_bytes(b"")
    fault = store.delete("s")
    assert fault is not None
    assert fault.startswith(f"{named(tmp_path, '.broken-1')} was not deleted: ")
    assert os.listdir(tmp_path) == [named(tmp_path, ".broken-1").name]


# Rights and names


@pytest.fixture
def _open_umask() -> Iterator[None]:
    """The umask under which a careless mode shows."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_open_umask")
@pytest.mark.parametrize("rewritten", [False, True])
def test_only_the_owner_may_read(tmp_path: Path, rewritten: bool) -> None:
    directory = tmp_path / "state"
    store = SnapshotStore(directory)
    with held(store) as file:
        file.append(BASE)
        if rewritten:
            file.rewrite([BASE])
    with named(directory).open("ab") as tail:
        tail.write(b"torn")
    with held(store):
        pass
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    assert modes == {file_name("s") + side: 0o600 for side in ("", ".lock", ".torn")}


def descriptors() -> set[int]:
    """Those of this very process that are open."""
    return {int(name) for name in os.listdir("/dev/fd") if os.path.exists(f"/dev/fd/{name}")}


def test_no_descriptor_is_inherited_or_left_open(tmp_path: Path) -> None:
    before = descriptors()
    with held(begun(tmp_path)) as file:
        file.rewrite([BASE])
        opened = descriptors() - before
        assert len(opened) == 2, "the snapshot and its lock"
        assert not any(map(os.get_inheritable, opened))
        assert SnapshotStore(tmp_path).open("s").refused
        SnapshotStore(tmp_path).delete("s")
    assert descriptors() == before


IDS = [
    "",
    ".",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "nul\0nul",
    "C:\\x",
    "CON",
    "-rf",
    "--",
    "___",
    " ",
    "\n",
    "a",
    "A",
    "a.jsonl",
    "a-b",
    "a_b",
    "é",
    "e\u0301",
    "😀",
    "\ud83d",
    "\ud83e",
    "x" * 40,
    "x" * 41,
    "x" * 10_000_000,
    "x" * 9_999_999 + "y",
]


def test_any_id_is_a_session_of_its_own(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    for session_id in IDS:
        head = {"kind": "base", "version": 1, "sessionId": session_id}
        with held(store, session_id) as file:
            file.append(json.dumps(head).encode())
    for session_id in IDS:
        opened = store.open(session_id)
        usable(opened).close()
        assert opened.fault is None
        assert json.loads(opened.lines[0])["sessionId"] == session_id
    assert len([name for name in os.listdir(tmp_path) if name.endswith(".jsonl")]) == len(IDS)


def test_a_name_is_readable() -> None:
    assert re.fullmatch(r"my-session_7-[0-9a-f]{32}\.jsonl", file_name("my session_7"))
    assert re.fullmatch(r"session-[0-9a-f]{32}\.jsonl", file_name("../.."))
    assert file_name("\ud83d\ude00") != file_name("\U0001f600"), "two halves are not the whole"


@given(st.text(st.characters()), st.text(st.characters()))
def test_names_are_safe_and_tell_ids_apart(one: str, other: str) -> None:
    for session_id in (one, other, one + other):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.jsonl", file_name(session_id))
        assert len(file_name(session_id)) <= 40 + 1 + 32 + 6
    assert (file_name(one).lower() == file_name(other).lower()) == (one == other)
    assert (file_name(one).lower() == file_name(one.swapcase()).lower()) == (one == one.swapcase())


# Reading without a session


READINGS = [
    ("whole", WHOLE, RECORDS, 0, None),
    ("torn", WHOLE + b"torn", RECORDS, 4, None),
    ("empty", b"", (), 0, None),
    ("broken", b"x", (), 1, "its first line is broken"),
    ("newer", NEWER, None, 0, "newer ctxmgr"),
    ("anyone's", FOREIGN, None, 0, None),
]


@table("content bodies torn fault", READINGS)
def test_read_looks_and_touches_nothing(
    tmp_path: Path, content: bytes, bodies: tuple[bytes, ...] | None, torn: int, fault: str | None
) -> None:
    path = tmp_path / "any name"
    path.write_bytes(content)
    (tmp_path / "link").symlink_to(path)
    for name in (path, tmp_path / "link"):
        reading = read(name)
        assert len(reading.bodies) == 2 if bodies is None else reading.bodies == bodies
        assert reading.torn_bytes == torn
        assert reading.fault is None if fault is None else fault in (reading.fault or "")
    assert path.read_bytes() == content
    assert sorted(os.listdir(tmp_path)) == ["any name", "link"]


def test_read_says_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("absent", "pipe", ".", "circle"):
        assert read(tmp_path / name).fault is not None, name


def test_read_works_beside_a_writer(tmp_path: Path) -> None:
    with held(begun(tmp_path)):
        assert read(named(tmp_path)).bodies == RECORDS


def test_lines_that_make_up_no_state_are_set_aside(tmp_path: Path) -> None:
    """The store can not know; who restores from the lines can, and asks."""
    store = SnapshotStore(tmp_path)
    base = b'{"kind":"base","version":1,"sessionId":"s","state":{"odd":true}}'
    first = store.open("s").file
    assert first is not None
    first.append(base)
    name = first.set_aside()
    fresh = b'{"kind":"base","version":1,"sessionId":"s","state":{}}'
    first.append(fresh)
    first.close()
    assert (tmp_path / name).read_bytes().endswith(base + b"\n")
    again = store.open("s")
    assert again.lines == (fresh,)
    assert again.file is not None
    again.file.close()
