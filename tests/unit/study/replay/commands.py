"""What the commands are run on."""

from pathlib import Path

ROOT = Path(__file__).parents[4]
GREENHOUSE = ROOT / "tests" / "sessions" / "greenhouse.jsonl"


def begun(folder: Path, messages: int) -> Path:
    """The greenhouse session, left after so many messages."""
    path = folder / f"begun-{messages}.jsonl"
    path.write_bytes(b"".join(GREENHOUSE.read_bytes().splitlines(keepends=True)[: 3 + messages]))
    return path


USER = {"role": "user", "content": "Goal: mend the \x1b[31mreport", "timestamp": 1_772_442_000_000}
