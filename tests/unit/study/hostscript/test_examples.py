"""The scripts and programs of protocol/examples do what they show."""

import subprocess
import sys
from pathlib import Path

import pytest

from ctxmgr.study.conformance.following import reason
from ctxmgr.study.conformance.golden import read
from ctxmgr.study.spawning.client import Framing
from tests.unit.study.hostscript.inprocess import play

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "protocol" / "examples"
SCRIPTS = ("a-compaction-in-time", "a-crash", "first-session", "many-turns", "what-goes-wrong")
TRANSCRIPTS = ROOT / "protocol" / "transcripts"
BOUND = 60  # seconds; only a failing one takes so long


def test_every_example_is_tried_here() -> None:
    assert sorted(path.name for path in EXAMPLES.iterdir()) == sorted(
        ["epochs.py", *(f"{name}.jsonl" for name in SCRIPTS)]
    )


@pytest.mark.parametrize("framing", ["content-length", "ndjson"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_holds(name: str, framing: Framing) -> None:
    assert play((EXAMPLES / f"{name}.jsonl").read_bytes(), framing).matched_count >= 5


def test_the_program_holds_against_a_real_process() -> None:
    run = [sys.executable, "-W", "error", str(EXAMPLES / "epochs.py")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=BOUND, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "epochs; of" in done.stdout


def followed() -> list[Path]:
    """The transcripts that a host can bring about in another process."""
    paths = sorted(TRANSCRIPTS.rglob("*.jsonl"))
    return [path for path in paths if reason(read(path.stem, path.read_bytes()), False, False) is None]


@pytest.mark.parametrize("path", followed(), ids=lambda path: path.relative_to(TRANSCRIPTS).as_posix())
def test_a_transcript_is_a_script_as_it_stands(path: Path) -> None:
    framing: Framing = "ndjson" if path.stem == "invalid-request" else "content-length"  # no `jsonrpc` in one line
    assert play(path.read_bytes(), framing).matched_count >= 1


def test_transcripts_that_can_be_followed_are_most() -> None:
    assert len(followed()) > 100
