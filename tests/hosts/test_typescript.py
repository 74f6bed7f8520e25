"""The TypeScript client's own tests pass, against this interpreter's sidecar and against processes that fail."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from tests.stdio.sidecar import ROOT

CLIENT = ROOT / "protocol" / "hosts" / "typescript"
STEP_SECONDS = 240.0  # to install, to build, to run; only a failing one takes so long
COMMAND = [sys.executable, "-m", "ctxmgr"]
SUMMARY = ("# fail 0", "# cancelled 0", "# skipped 0")


@pytest.mark.real
def test_client(tmp_path: Path) -> None:
    npm = _installed()
    built = _run(npm, "run", "build")
    assert built.returncode == 0, built.stdout[-3000:]
    environment = {"CTXMGR_COMMAND": json.dumps(COMMAND), "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    ran = _run(npm, "test", environment=environment)
    assert ran.returncode == 0, ran.stdout[-6000:]
    assert all(line in ran.stdout.splitlines() for line in SUMMARY), ran.stdout[-1000:]
    assert list(tmp_path.iterdir()) == []


def _installed() -> str:
    """npm's path, with the packages beside the client. Skips, or fails where skips are not allowed."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        _without("node and npm are not both installed")
    if _major(node) < 20:
        _without("Node is older than 20")
    lock, there = CLIENT / "package-lock.json", CLIENT / "node_modules" / ".package-lock.json"
    if not there.exists() or there.stat().st_mtime < lock.stat().st_mtime:
        done = _run(npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
        if done.returncode:
            _without(f"npm ci failed: {done.stdout.strip()[-300:]}")
    return npm


def _major(node: str) -> int:
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.removeprefix("v").split(".")[0])


def _run(*command: str, environment: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=CLIENT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=STEP_SECONDS,
    )


def _without(reason: str) -> NoReturn:
    if os.environ.get("CTXMGR_NO_SKIPS") == "1":
        pytest.fail(f"the TypeScript client could not be tested: {reason}")
    pytest.skip(f"the TypeScript client is not tested: {reason}")
