"""pi 0.87.1's own preparations of the recorded sessions: each of them equalled, to the last unit.

The sessions lie outside of the repository (../shared/recordings/pi); without them the test says so.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.render import conversation, utf16_units
from ctxmgr.engine.compaction.weighing import quarters
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model.compaction import BranchEntry, BranchMessage, CutBudget, NothingToCompact

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


NAMES = sorted({row["recording"] for row in rows()})


def sha256(messages: Sequence[BranchMessage]) -> str:
    return hashlib.sha256(conversation(messages).encode()).hexdigest()


def ours(path: tuple[BranchEntry, ...], row: dict[str, Any]) -> dict[str, Any] | None:
    settings = CutBudget(row["keepRecentTokens"], row["reserveTokens"], "chars4")
    one = prepare.decide(path, settings, quarters)
    if isinstance(one, NothingToCompact):
        return None
    found = {
        "firstKeptEntryId": one.first_kept,
        "cutIndex": [entry.id for entry in path].index(one.first_kept),
        "isSplitTurn": one.split,
        "messagesToSummarize": len(one.history),
        "turnPrefixMessages": len(one.prefix),
        "tokensBefore": one.tokens_before,
        "previousSummaryChars": utf16_units(one.previous or ""),
        "read": sorted(one.files.read),
        "written": sorted(one.files.written),
        "edited": sorted(one.files.edited),
        "serializedSha256": sha256(one.history),
        "serializedUtf16Units": utf16_units(conversation(one.history)),
        "prefixSerializedSha256": sha256(one.prefix),
    }
    return {name: value for name, value in found.items() if name in row["prepared"]} if row["prepared"] else found


@pytest.mark.long
@pytest.mark.skipif(not NAMES, reason=f"pi's own results were not compared: no recordings at {RECORDINGS}")
@pytest.mark.parametrize("name", NAMES or [""])
def test_every_row_is_equalled(name: str) -> None:
    raws = recorded(name)
    paths: dict[str, tuple[BranchEntry, ...]] = {}
    compared = 0
    for row in rows():
        if row["recording"] != name:
            continue
        leaf = row["leafId"]
        path = paths.get(leaf) or branch.branch(raws, leaf)
        paths[leaf] = path
        assert len(path) == row["pathEntries"]
        assert ours(path, row) == row["prepared"], (leaf, row["keepRecentTokens"])
        compared += 1
    assert compared
