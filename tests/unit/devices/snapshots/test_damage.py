"""What is broken, torn or no file at all is set aside, said, and costs nothing more."""

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.snapshots import SnapshotStore, file_name, to_line
from tests.unit.devices.snapshots.files import (
    BASE,
    FOREIGN,
    NEWER,
    RECORDS,
    THREE,
    WHOLE,
    begun,
    named,
    reopened,
    table,
    usable,
)

SET_ASIDE = [
    ("broken", b"x" + WHOLE, "its first line is damaged"),
    ("torn in the base", WHOLE[:20], "its first line is damaged"),
    ("zeros", bytes(4096), "its first line is damaged"),
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
    assert "not a regular file" in (opened.fault or "")
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


def test_a_truncation_gives_a_beginning_and_loses_nothing() -> None:
    """Around each line's end, and at every fifth byte."""
    ends = [at for at, byte in enumerate(WHOLE) if byte == ord("\n")]
    for length in sorted({*range(0, len(WHOLE), 5), *(end + beside for end in ends for beside in (0, 1, 2))}):
        check_damaged(WHOLE[:length])


@given(st.sets(st.integers(0, len(WHOLE) * 8 - 1), min_size=1, max_size=3), st.integers(0, len(WHOLE)))
def test_flipped_bits_give_a_beginning_and_lose_nothing(bits: set[int], length: int) -> None:
    damaged = bytearray(WHOLE)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8
    check_damaged(bytes(damaged[:length]))


def test_lines_that_make_up_no_state_are_set_aside(tmp_path: Path) -> None:
    """The store cannot know; who restores from the lines can, and asks."""
    store = SnapshotStore(tmp_path)
    base = b'{"kind":"base","version":1,"sessionId":"s","state":{"odd":true}}'
    first = store.open("s").file
    first.append(base)
    name = first.set_aside()
    fresh = b'{"kind":"base","version":1,"sessionId":"s","state":{}}'
    first.append(fresh)
    first.close()
    assert (tmp_path / name).read_bytes().endswith(base + b"\n")
    again = store.open("s")
    assert again.lines == (fresh,)
    again.file.close()
