"""Compactions prepared ahead, for this branch or another."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import MODEL, OURS, grown, structured, turn_part
from tests.contract.talk import Messages, Talk


@behaviour(
    "compaction/prepared-ahead",
    "If the policy says so, a compaction is written in the background from the yellow zone on, and comes with the "
    "request.",
    "design 7: preparing ahead is off unless asked for",
)
def ahead() -> Talk:
    policy = {"compaction": {**OURS["compaction"], "prepareAhead": True}}
    talk = Talk(policy, capabilities=MODEL)
    _, make = with_ids(talk)
    talk.turn_end(make.reply("Noted."), tokens=100_000, entryIds={"message": "e99"})
    assert talk.asked("complete")
    talk.model(lambda params: turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("G", "D"))
    (command,) = talk.turn_end(make.reply("Noted."), tokens=130_000)["commands"]
    assert command["params"]["compaction"]["firstKeptEntryId"]
    assert "## Goal" in command["params"]["compaction"]["summary"]
    return talk


@behaviour(
    "compaction/prepared-ahead-for-another-branch",
    "A compaction written in advance is discarded when the host moves in its tree, even while it is being written.",
    "design 7",
)
def ahead_moved() -> Talk:
    policy = {"compaction": {**OURS["compaction"], "prepareAhead": True}}
    talk = Talk(policy, capabilities=MODEL)
    messages, make = with_ids(talk)
    talk.turn_end(make.reply("Noted."), tokens=100_000, entryIds={"message": "e99"})
    talk.call("session_tree", sessionId="s", newLeafId="e4", oldLeafId="e99")
    talk.model(lambda params: turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("G", "D"))
    talk.context(messages[:4])
    talk.turn_end(make.reply("Noted."), tokens=60_000)
    (command,) = talk.turn_end(make.reply("Noted."), tokens=130_000)["commands"]
    assert "compaction" not in command["params"]
    return talk


def with_ids(talk: Talk) -> tuple[list[dict[str, Any]], Messages]:
    """A session that knows the entry of each message."""
    make, tree = grown(5)
    model = {"id": "model-1", "contextWindow": 200_000}
    talk.call("session_start", sessionId="s", model=model, entries=tree.entries)
    messages = [entry["message"] for entry in tree.entries]
    talk.context(messages)
    return messages, make


@behaviour(
    "compaction/prepared-ahead-is-waited-for",
    "session_before_compact uses the compaction that is being written in advance, and does not pay for another "
    "one.",
    "design 7: preparing ahead spends the host's money",
)
def ahead_joined() -> Talk:
    policy = {"compaction": {**OURS["compaction"], "prepareAhead": True}}
    talk = Talk(policy, capabilities=MODEL)
    messages, make = with_ids(talk)
    talk.turn_end(make.reply("Noted."), tokens=100_000, entryIds={"message": "e99"})
    running = talk.asked("complete")
    preparation = {"firstKeptEntryId": "e20", "messagesToSummarize": messages[:19], "tokensBefore": 100_000}
    id = talk.ask("session_before_compact", sessionId="s", preparation=preparation)
    assert not talk.answered(id)
    assert talk.asked("complete") == running
    talk.model(lambda params: turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("G", "D"))
    assert "## Goal" in talk.result(id)["compaction"]["summary"]
    assert len([message for message in talk.sent if message.get("method") == "complete"]) == len(running)
    return talk
