"""What is put comes back, by its session and handle, and to its owner alone."""

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxmgr.devices.archive.file import NAME
from ctxmgr.model.policy import Archive as Limits
from tests.unit.devices.archive.rows import DAY, held, row, texts


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}


def test_any_id_and_any_text(tmp_path: Path) -> None:
    texts = ["a\0b", "half \ud83d of one", "\N{OWL}\r\n" * 3, "x" * 200_000]
    with held(tmp_path) as archive:
        for session_id in ("", "../../x", "a\0b", "\ud83d", "x" * 5_000):
            for text in texts:
                archive.put(session_id, [row("a", text)])
                assert archive.get(session_id, "ha") == row("a", text), session_id[:9]
            assert archive.get(session_id + "!", "ha") is None


def test_the_same_rows_put_again_change_nothing(tmp_path: Path) -> None:
    now = [1_000.0]
    with held(tmp_path, lambda: now[0]) as archive:
        archive.put("s", [row("a"), row("b")])
        now[0] += 40 * DAY
        archive.put("s", [row("a"), row("b")])
        assert archive.tidy(Limits(), ()) == 2, "they are as old as they were"


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("st"), st.lists(st.tuples(st.sampled_from("abcd"), st.text(max_size=9)))),
        max_size=8,
    )
)
def test_it_holds_what_a_dict_would(tmp_path_factory: pytest.TempPathFactory, puts: Any) -> None:
    directory = tmp_path_factory.mktemp("archive")
    held_of: dict[tuple[str, str], str] = {}
    with held(directory) as archive:
        for session, pairs in puts:
            archive.put(session, [row(name, text) for name, text in pairs])
            held_of |= {(session, name): text for name, text in pairs}
        for session in "st":
            assert texts(archive, "abcd", session) == [held_of.get((session, name)) for name in "abcd"]


def test_nothing_is_made_before_something_is_asked(tmp_path: Path) -> None:
    directory = tmp_path / "state"
    with held(directory) as archive:
        assert archive.forget("s") == 0
        assert not archive.due
        assert not directory.exists()
        assert archive.get("s", "ha") is None
        assert directory.exists()


def test_files_are_for_their_owner_alone_from_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at before SQLite opens the file as well: a moment is enough for another to open it."""
    directory, before = tmp_path / "deep" / "state", os.umask(0)
    seen: list[dict[str, int]] = []
    real = sqlite3.connect

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        seen.append(modes(directory))
        return real(*given, **more)

    monkeypatch.setattr(sqlite3, "connect", connect)
    monkeypatch.setattr(os, "fchmod", lambda *given: None)  # mending it afterwards would be too late
    try:
        with held(directory) as archive:
            archive.put("s", [row("a")])
            seen.append(modes(directory))
    finally:
        os.umask(before)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert set(seen[0]) == {NAME, f"{NAME}.lock"}
    assert set(seen[1]) == {NAME, f"{NAME}-wal", f"{NAME}-shm", f"{NAME}.lock"}
    assert {mode for one in seen for mode in one.values()} == {0o600}


def test_a_file_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a")])
    (tmp_path / NAME).chmod(0o644)
    with held(tmp_path) as archive:
        assert archive.get("s", "ha") == row("a")
        assert set(modes(tmp_path).values()) == {0o600}


def test_two_keys_that_meet_in_a_handle_are_both_kept_and_neither_is_served(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a", handle="meet"), row("b", handle="meet")])
        assert archive.get("s", "meet") is None
        archive.put("t", [row("a", handle="meet")])
        assert archive.get("t", "meet") == row("a", handle="meet")
