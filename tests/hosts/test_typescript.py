"""The TypeScript client's own tests pass, against this interpreter's sidecar and against processes that fail."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from tests.stdio.sidecar import ROOT

CLIENT = ROOT / "protocol" / "hosts" / "typescript"
TEST_SECONDS = 240.0  # only a failing run takes so long
COMMAND = [sys.executable, "-m", "ctxmgr"]
SUMMARY = ("# fail 0", "# cancelled 0", "# skipped 0")


@pytest.mark.real
def test_client(tmp_path: Path) -> None:
    needs.compiled(CLIENT)
    environment = {"CTXMGR_COMMAND": json.dumps(COMMAND), "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    ran = subprocess.run(
        [needs.program("npm"), "test"],
        cwd=CLIENT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=TEST_SECONDS,
    )
    assert ran.returncode == 0, ran.stdout[-6000:]
    assert all(line in ran.stdout.splitlines() for line in SUMMARY), ran.stdout[-1000:]
    assert list(tmp_path.iterdir()) == []
