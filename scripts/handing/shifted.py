"""A sidecar on a machine whose wall clock is wrong: a normal `ctxmgr serve` that logs its heads.

    python -m scripts.handing.shifted SECONDS LOG ARGUMENT...     the arguments are those of `serve`

The log holds each head that a sidecar swapped into a folder, in the order of the swaps, since it is written under
the lock of the swap.
"""

import importlib
import os
import sys
import time
from typing import Any

from ctxmgr.cli import main
from ctxmgr.store.objects import HEADS


def shift_clock(seconds: float) -> None:
    real = time.time
    time.time = lambda: real() + seconds


def log_heads(path: str) -> None:
    files: Any = importlib.import_module("ctxmgr.store.objects.file_objects")
    write = files.write_file

    def logged(root: int, key: str, content: bytes) -> None:
        write(root, key, content)
        if key.startswith(HEADS):
            log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.write(log, content + b"\n")
            os.close(log)

    files.write_file = logged


if __name__ == "__main__":
    shift_clock(float(sys.argv[1]))
    log_heads(sys.argv[2])
    sys.exit(main(["serve", *sys.argv[3:]]))
