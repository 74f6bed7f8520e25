"""Turns each scenario of the manifest into its transcript: the goldens of `protocol/transcripts`."""

from tests.contract import scenarios  # noqa: F401  fills the manifest
from tests.contract.behaviours import MANIFEST

FOLDER = "transcripts"


def files() -> dict[str, str]:
    """The text of each transcript by its path below `protocol/`."""
    return {
        f"{FOLDER}/{name}.jsonl": b"".join(line + b"\n" for line in one.scenario().lines).decode()
        for name, one in sorted(MANIFEST.items())
    }
