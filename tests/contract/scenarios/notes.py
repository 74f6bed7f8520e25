"""The scratchpad: the model's own notes, over compactions and restarts."""

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk, packet


@behaviour(
    "notes/scratchpad",
    "editScratchpad applies its operations in order, all or none. The notes are in the packet.",
    "design 2, getScratchpad and editScratchpad",
)
def scratchpad() -> Talk:
    talk, make = Talk(), Messages()
    assert talk.call("getScratchpad", sessionId="s")["text"] == ""
    operations = [
        {"op": "overwrite", "text": "port is 8080\n"},
        {"op": "insert", "line": 0, "text": "remember:"},
        {"op": "str_replace", "oldText": "8080", "newText": "9090"},
    ]
    answer = talk.call("editScratchpad", sessionId="s", operations=operations)
    assert answer["text"] == "remember:\nport is 9090\n"
    bad = [{"op": "overwrite", "text": "gone"}, {"op": "str_replace", "oldText": "nowhere", "newText": ""}]
    refused = talk.refused("editScratchpad", sessionId="s", operations=bad)
    assert refused == (-32602, "$.operations[1].oldText")
    assert talk.call("getScratchpad", sessionId="s")["text"] == answer["text"]
    messages = []
    for number in range(8):
        messages += make.turn(f"Step {number}")
    assert "| port is 9090" in packet(talk.context([*messages, make.user("Now?")])["list"])
    return talk


@behaviour(
    "notes/scratchpad-kept",
    "The notes survive a compaction and a restart.",
    "design 9",
)
def kept() -> Talk:
    before = Talk()
    before.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": "port is 9090"}])
    entry = {"id": "c1", "summary": "## Goal\nGo on", "firstKeptEntryId": "e1", "tokensBefore": 5}
    before.call("session_compact", sessionId="s", compactionEntry=entry)
    talk = Talk(found=SnapshotLoaded(tuple(before.saved)))
    assert talk.started["restored"] is True
    assert talk.call("getScratchpad", sessionId="s")["text"] == "port is 9090"
    assert "port is 9090" in talk.call("getPacket", sessionId="s", resume=True)["text"]
    return talk


@behaviour(
    "notes/in-view",
    "In balanced, editing the notes does not change a list by itself. They are in view from the next epoch on, "
    "even if a forced prune removes nothing.",
    "design 2, getScratchpad and editScratchpad",
)
def in_view() -> Talk:
    talk, make = Talk({"preset": "balanced"}), Messages()
    messages = make.turn("Step 1")
    talk.context(messages)
    talk.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": "port is 9090"}])
    messages += make.turn("Step 2")
    assert talk.context(messages)["unchanged"] is True
    talk.call("prune", sessionId="s")
    assert "| port is 9090" in packet(talk.context(messages)["list"])
    return talk


@behaviour(
    "notes/in-summaries",
    "A summary by ctxmgr ends with the notes, and the prompts for one contain them.",
    "design 5",
)
def summarised() -> Talk:
    talk, make = Talk({"compaction": {"by": "ctxmgr", "keepRecentTokens": 10, "model": "none"}}), Messages()
    talk.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": "port is 9090"}])
    messages = []
    for number in range(3):
        messages.append(make.user(f"Please port part {number} of the parser."))
        talk.context(messages)
        messages.append(
            make.reply(f"Part {number} is ported, its tests pass, and what it read is read by the new one.")
        )
        ids = {"message": f"a{number}", "user": f"u{number}"}
        talk.turn_end(messages[-1], tokens=1_000, entryIds=ids)
    assert talk.call("compact", sessionId="s")["compaction"]["summary"].endswith("| port is 9090")
    (first, *_) = talk.call("planCompaction", sessionId="s")["prompts"]
    assert "<scratchpad>\nport is 9090\n</scratchpad>" in first["prompt"]
    return talk
