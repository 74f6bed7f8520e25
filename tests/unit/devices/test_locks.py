"""A lock by a file of its own."""

import os
from pathlib import Path

from ctxmgr.devices import files


def test_a_released_lock_is_free_though_a_process_that_is_being_started_has_a_copy(tmp_path: Path) -> None:
    lock = files.seize(tmp_path / "a.lock")
    copy = os.dup(lock)  # as a fork has it until its program begins
    files.release(lock)
    files.release(files.seize(tmp_path / "a.lock"))
    os.close(copy)
