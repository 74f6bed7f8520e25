"""A lock by a file of its own."""

import os
from pathlib import Path

from ctxmgr.devices import locks


def test_a_released_lock_is_free_though_a_process_that_is_being_started_has_a_copy(tmp_path: Path) -> None:
    lock = locks.seize(tmp_path / "a.lock")
    copy = os.dup(lock)  # as a fork has it until its program begins
    locks.release(lock)
    locks.release(locks.seize(tmp_path / "a.lock"))
    os.close(copy)
