"""Programs that a test needs and a machine may not have.

Where one is missing the test is skipped with the reason, or fails where CTXMGR_NO_SKIPS=1. What several workers of
a run use is made by one of them, while the others wait.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

STEP_SECONDS = 240.0  # `npm ci` on a slow disk


def missing(reason: str) -> NoReturn:
    if os.environ.get("CTXMGR_NO_SKIPS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def program(name: str) -> str:
    return shutil.which(name) or missing(f"{name} is not installed")


def node(major: int = 20) -> str:
    path = program("node")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").split(".")[0]) < major:
        missing(f"Node {major} or newer is needed, here is {version.strip()}")
    return path


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def npm_packages(folder: Path) -> Path:
    """Installs what the folder's lock file names, if that has changed since. Returns `node_modules`."""
    npm, lock, modules = program("npm"), folder / "package-lock.json", folder / "node_modules"
    with locked(folder):
        installed = modules / ".package-lock.json"
        if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
            command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=STEP_SECONDS)
            if done.returncode:
                missing(f"npm ci failed in {folder}: {(done.stdout + done.stderr).strip()[-300:]}")
    return modules


def compiled(folder: Path) -> Path:
    """`dist` of a TypeScript project, made once a run: what an earlier run made may be of other sources."""
    run, made = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid())), folder / "dist"
    stamp, compiler = made / ".made-by", npm_packages(folder) / "typescript" / "bin" / "tsc"
    with locked(folder):
        if not stamp.exists() or stamp.read_text() != run:
            shutil.rmtree(made, ignore_errors=True)
            command = [node(), str(compiler)]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=STEP_SECONDS)
            assert done.returncode == 0, done.stdout[-3000:]
            stamp.write_text(run)
    return made
