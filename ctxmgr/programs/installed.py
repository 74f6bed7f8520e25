"""Whether a program is on this machine, and which version: it is started for `--version` and nothing else."""

import shutil
import subprocess
from collections.abc import Mapping

import msgspec

from ctxmgr.programs.program import Program

SECONDS = 20.0  # that a large program may take to start once, on a slow disk
MAX_CHARACTERS = 80  # of its answer


class Installed(msgspec.Struct, frozen=True):
    """`version`: the first line that it says of itself; None: it could not be asked."""

    path: str
    version: str | None


def installed(program: Program, environ: Mapping[str, str]) -> Installed | None:
    """None where it is not on PATH."""
    path = shutil.which(program.command, path=environ.get("PATH"))
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, env=dict(environ)
        )
    except (OSError, subprocess.TimeoutExpired):
        return Installed(path, None)
    first = done.stdout.decode("utf-8", "replace").strip().partition("\n")[0]
    return Installed(path, first[:MAX_CHARACTERS] if done.returncode == 0 and first else None)
