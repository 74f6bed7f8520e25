"""The scripts and programs of protocol/examples do what they show."""

import subprocess
import sys
from pathlib import Path

from ctxmgr.study.conformance.golden import reason
from ctxmgr.study.spawning import Framing
from tests.unit.study.conformance.scripts import play
from tests.unit.study.goldens import NAMES, golden, path

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "protocol" / "examples"
SCRIPTS = ("a-compaction-in-time", "a-crash", "first-session", "many-turns", "what-goes-wrong")
BOUND = 60  # seconds; only a failing one takes so long


def test_every_script_holds_in_both_framings() -> None:
    assert {file.name for file in EXAMPLES.iterdir()} == {"epochs.py", *(f"{name}.jsonl" for name in SCRIPTS)}
    framings: tuple[Framing, ...] = ("content-length", "ndjson")
    for name in SCRIPTS:
        for framing in framings:
            assert play((EXAMPLES / f"{name}.jsonl").read_bytes(), framing).matched_count >= 5


def test_the_program_holds_against_a_real_process() -> None:
    run = [sys.executable, "-W", "error", str(EXAMPLES / "epochs.py")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=BOUND, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "epochs; of" in done.stdout


def test_a_transcript_is_a_script_as_it_stands() -> None:
    """One of each area, of those that a host can bring about in another process."""
    followed = {name.split("/")[0]: name for name in NAMES if reason(golden(name), snapshots=False) is None}
    assert len(followed) > 10
    for name in followed.values():
        framing: Framing = "ndjson" if "invalid-request" in name else "content-length"  # a line has no `jsonrpc`
        assert play(path(name).read_bytes(), framing).matched_count >= 1
