"""The store: a session's files by its id, whatever the id, read and deleted."""

import json
import os
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.snapshots import SnapshotStore, file_name, read
from tests.unit.devices.snapshots.files import (
    BASE,
    FOREIGN,
    NEWER,
    RECORDS,
    WHOLE,
    begun,
    held,
    named,
    reopened,
    table,
    usable,
)


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
    assert fault.startswith(f"{named(tmp_path, '.broken-1')} was not deleted: ")
    assert os.listdir(tmp_path) == [named(tmp_path, ".broken-1").name]


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


READINGS = [
    ("whole", WHOLE, RECORDS, 0, None),
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
