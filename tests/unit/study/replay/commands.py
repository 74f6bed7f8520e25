"""What the commands are run on."""

from pathlib import Path

ROOT = Path(__file__).parents[4]
GREENHOUSE = ROOT / "tests" / "sessions" / "greenhouse.jsonl"
USER = {"role": "user", "content": "Goal: mend the \x1b[31mreport", "timestamp": 1_772_442_000_000}
