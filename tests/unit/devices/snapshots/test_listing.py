"""What lies in a state directory, by names and sizes."""

import os
from pathlib import Path

from ctxmgr.devices.snapshots import SnapshotStore, file_name, leftovers, saved_files
from ctxmgr.devices.snapshots.store import holder


def test_each_session_has_its_file_the_newest_first(tmp_path: Path) -> None:
    for at, name in enumerate(("a", "b")):
        path = tmp_path / file_name(name)
        path.write_bytes(b"x" * (at + 1))
        os.utime(path, (at + 1, at + 1))
    (tmp_path / "archive.sqlite").write_bytes(b"")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / file_name("a"))
    found = saved_files(tmp_path)
    assert [(Path(one.path).name, one.size_bytes, one.saved_ms, one.holder) for one in found] == [
        (file_name("b"), 2, 2000, None),
        (file_name("a"), 1, 1000, None),
    ]


def test_a_session_that_is_open_has_its_holder(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    opened = store.open("a")
    assert opened.file is not None
    assert [one.holder for one in saved_files(tmp_path)] == [os.getpid()]
    opened.file.close()
    assert [one.holder for one in saved_files(tmp_path)] == [None]


def test_of_a_holder_that_was_killed_the_id_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / file_name("a")
    lock = Path(f"{path}.lock")
    for text in (b"4294967295", b"99999999999999999999", b"", b"x", b"-1"):
        lock.write_bytes(text)
        assert holder(path) is None, text
    lock.unlink()
    lock.symlink_to("/proc/self/stat")
    assert holder(path) is None


def test_what_was_set_aside_or_left_over_is_told_with_its_size(tmp_path: Path) -> None:
    for name in (
        "a.jsonl",
        "a.jsonl.lock",
        "a.jsonl.torn",
        "a.jsonl.tmp",
        "a.jsonl.broken-1",
        "b.txt",
        ".jsonl.torn",
    ):
        (tmp_path / name).write_bytes(b"xyz")
    assert sorted((Path(path).name, size) for path, size in leftovers(tmp_path)) == [
        ("a.jsonl.broken-1", 3),
        ("a.jsonl.tmp", 3),
        ("a.jsonl.torn", 3),
    ]
