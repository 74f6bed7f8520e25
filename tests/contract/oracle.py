"""Turns the recorded pi sessions, and what pi itself prepared of them, into rows for tests; they may not be there.

They lie outside of the repository (../shared/recordings/pi): a test that needs them skips aloud without them.
"""

import json
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[3] / "shared" / "recordings" / "pi"


def recorded(name: str) -> list[bytes]:
    """The entries of a recorded session, each as it stands in its file."""
    text = (RECORDINGS / name).read_text(encoding="utf-8")
    if name.endswith(".json"):
        return [json.dumps(one).encode() for one in json.loads(text)["entries"]]
    decoder, found = json.JSONDecoder(), []
    for line in text.split("\n"):
        at = 0
        while line[at:].strip():  # some lines hold two entries
            at += len(line[at:]) - len(line[at:].lstrip())
            _, end = decoder.raw_decode(line, at)
            found.append(line[at:end].encode())
            at = end
    return found


def rows() -> list[dict[str, Any]]:
    """What pi 0.87.1 prepares of each recording's first entries; none where they are not there."""
    path = RECORDINGS / "oracle.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
