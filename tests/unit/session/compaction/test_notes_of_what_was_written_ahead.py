"""A compaction that was written ahead carries the model's own notes as they stand when it is handed out."""

from typing import Any

import pytest

from tests.contract.scenarios.compaction.trees import MODEL, OURS, grown, structured, turn_part
from tests.contract.talk import Messages, Talk

OLD, NEW = "| port is 9090", "| port is 7070"


def noted(talk: Talk, text: str) -> None:
    talk.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": text}])


def ahead(strategy: str, before: str) -> tuple[Talk, Messages, list[dict[str, Any]]]:
    """A session with these notes, and a compaction that is there."""
    compaction = {**OURS["compaction"], "prepareAhead": True, "strategy": strategy}
    talk = Talk({"compaction": compaction}, capabilities=MODEL)
    make, tree = grown(5)
    model = {"id": "model-1", "contextWindow": 200_000}
    talk.call("session_start", sessionId="s", model=model, entries=tree.entries)
    messages = [entry["message"] for entry in tree.entries]
    if before:
        noted(talk, before)
    talk.context(messages)
    talk.turn_end(make.reply("Noted."), tokens=100_000, entryIds={"message": "e99"})
    if strategy != "extractive":
        talk.model(
            lambda params: turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("G", "D")
        )
    return talk, make, messages


def with_the_request(talk: Talk, make: Messages, messages: list[dict[str, Any]]) -> str:
    (command,) = talk.turn_end(make.reply("Noted."), tokens=130_000)["commands"]
    return str(command["params"]["compaction"]["summary"])


def before_compact(talk: Talk, make: Messages, messages: list[dict[str, Any]]) -> str:
    preparation = {"firstKeptEntryId": "e20", "messagesToSummarize": messages[:19], "tokensBefore": 100_000}
    answer = talk.call("session_before_compact", sessionId="s", preparation=preparation)
    return str(answer["compaction"]["summary"])


@pytest.mark.parametrize(
    ("asked", "strategy", "before"),
    [(with_the_request, "single-shot", "port is 9090"), (before_compact, "extractive", "")],
)
def test_it_carries_the_notes_of_now(asked: Any, strategy: str, before: str) -> None:
    talk, make, messages = ahead(strategy, before)
    noted(talk, "port is 7070")
    summary = asked(talk, make, messages)
    assert NEW in summary
    assert OLD not in summary
    assert summary.count("## Scratchpad") == 1
    assert "## Goal" in summary
    assert not talk.asked("complete")
