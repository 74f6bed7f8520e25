"""The scripts and programs of protocol/examples do what they show."""

import subprocess
import sys
from pathlib import Path

import pytest

from ctxmgr.study.spawning.client import Framing
from tests.unit.study.hostscript.in_process import play

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "protocol" / "examples"
SCRIPTS = ("a-compaction-in-time", "a-crash", "first-session", "many-turns", "what-goes-wrong")
BOUND = 60  # seconds; only a failing one takes so long


def test_every_example_is_tried_here() -> None:
    assert sorted(path.name for path in EXAMPLES.iterdir()) == sorted(
        ["epochs.py", *(f"{name}.jsonl" for name in SCRIPTS)]
    )


@pytest.mark.parametrize("framing", ["content-length", "ndjson"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_holds(name: str, framing: Framing) -> None:
    assert play((EXAMPLES / f"{name}.jsonl").read_bytes(), framing).matched >= 5


def test_the_program_holds_against_a_real_process() -> None:
    run = [sys.executable, "-W", "error", str(EXAMPLES / "epochs.py")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=BOUND, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "epochs; of" in done.stdout
