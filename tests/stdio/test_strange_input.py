"""What makes no sense is planned as far as it goes, or refused by its path; the next message is served."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stdio.compacting_sidecar import SMALL, Fields, Writer, answered, entries, turn, turns
from tests.stdio.sidecar import SECRET


@pytest.fixture(scope="module")
def process() -> Iterator[Writer]:
    """One process for the tests of this file; a session each. What it said is looked through at its end."""
    policy = {"preset": "turns", "tokenizer": "estimate"}
    with tempfile.TemporaryDirectory() as state, Writer(Path(state)).ready(policy=policy, complete=True) as one:
        one.handlers["complete"] = answered
        yield one


@pytest.fixture
def writer(process: Writer) -> Writer:
    process.heard.clear()
    return process


TREE = turns(2)
CYCLE = [{**TREE[0], "parentId": "e2"}, {**TREE[1], "parentId": "e1"}, *TREE[2:]]
NUMBERED = [{**entry, "id": number, "parentId": number - 1} for number, entry in enumerate(TREE)]
TAKEN: list[tuple[str, Fields]] = [
    ("garbage among entries", {"entries": [1, None, *TREE, {"type": []}]}),
    ("ids as numbers", {"entries": NUMBERED}),
    ("a cycle", {"entries": CYCLE}),
    ("all of one id", {"entries": [{**entry, "id": "e", "parentId": "e"} for entry in TREE]}),
    ("an unknown leaf", {"entries": TREE, "leafId": "nowhere"}),
    ("no entries", {"entries": []}),
    ("numbers beyond all", {"entries": TREE, "settings": {"reserveTokens": 1e300, "contextWindow": 1e300}}),
    ("no window", {"entries": TREE, "settings": {**SMALL, "contextWindow": 0}}),
]


@pytest.mark.parametrize(("name", "params"), TAKEN)
def test_strange_input_is_planned_and_compacted(writer: Writer, name: str, params: Fields) -> None:
    """A tree that makes no sense is no fault of the next call: a plan or a reason, a summary or an error."""
    session = writer.started(f"strange {name}", model="none")
    planned = writer.call("planCompaction", sessionId=session, **params)
    assert (planned["preparation"] is None) == bool(planned["reason"])
    answer = writer.ask("compact", sessionId=session, **params)
    if planned["preparation"] is None:
        assert answer["error"]["code"] == -32803
        assert SECRET not in answer["error"]["message"]
    else:
        assert answer["result"]["compaction"]["summary"].strip()
    assert writer.call("getStatus", sessionId=session)["mode"] == "on"


def test_preparation_may_hold_null_for_what_may_be_absent(writer: Writer) -> None:
    session = writer.started("nulls")
    messages = turn(1)
    names = ("turnPrefixMessages", "isSplitTurn", "tokensBefore", "previousSummary", "fileOps", "settings")
    preparation = {"firstKeptEntryId": "e9", "messagesToSummarize": messages, **dict.fromkeys(names)}
    compaction = writer.call("session_before_compact", sessionId=session, preparation=preparation)["compaction"]
    assert (compaction["firstKeptEntryId"], compaction["tokensBefore"]) == ("e9", 0)
    nothing = {**preparation, "messagesToSummarize": None}
    assert writer.call("session_before_compact", sessionId=session, preparation=nothing) == {}
    move = {"targetId": None, "entriesToSummarize": entries(messages), "userWantsSummary": None}
    assert writer.call("session_before_tree", sessionId=session, preparation=move) == {}


def test_garbage_in_a_preparation_is_no_fault(writer: Writer) -> None:
    session = writer.started("garbage")
    odd: list[Any] = [1, None, "x", {}, {"role": 5}, {"role": "assistant", "content": [5, {"type": 7}]}]
    more = {"fileOps": {"read": {}, "written": ["a.py", 5]}, "settings": {"reserveTokens": "x"}}
    preparation = {"firstKeptEntryId": "e9", "messagesToSummarize": [*odd, *turn(1)], **more}
    compaction = writer.call("session_before_compact", sessionId=session, preparation=preparation)["compaction"]
    assert compaction["details"]["modifiedFiles"] == ["a.py"]
    assert "mark-1-user" in " ".join(params["prompt"] for params in writer.asked("complete"))
