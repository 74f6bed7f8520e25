"""A sidecar whose disk fails now and then: `python -m scripts.soaking.faulty SEED ARGUMENTS` runs `ctxmgr
ARGUMENTS`.

One in `ONE_IN` calls that write, rename or sync a file raises an error of a full or failing disk, until the process
receives SIGUSR1. Streams and the null device are no disk, and never fail.
"""

import errno
import os
import random
import signal
import stat
import sys
from collections.abc import Callable
from typing import Any

ONE_IN = 40
CALLS = ("write", "open", "replace", "fsync", "fdatasync", "ftruncate")
FAULTS = (errno.ENOSPC, errno.EIO, errno.EMFILE)


def install(seed: str) -> None:
    chance, mended = random.Random(seed), [False]
    signal.signal(signal.SIGUSR1, lambda *_: mended.__setitem__(0, True))

    def faulty(call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*given: Any, **named: Any) -> Any:
            if not mended[0] and _is_of_disk(given[0]) and chance.randrange(ONE_IN) == 0:
                raise OSError(chance.choice(FAULTS), "a planted fault")
            return call(*given, **named)

        return made

    for name in CALLS:
        setattr(os, name, faulty(getattr(os, name)))


def _is_of_disk(named: Any) -> bool:
    """`named`: a descriptor or a path."""
    return stat.S_ISREG(os.fstat(named).st_mode) if isinstance(named, int) else named != os.devnull


if __name__ == "__main__":
    from ctxmgr.cli import main
    from ctxmgr.devices import snapshots, stdio  # noqa: F401  loaded before anything fails

    install(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
