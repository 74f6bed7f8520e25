"""Compactions that are late, cancelled or whose model fails: the host gets an answer all the same."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import MODEL, OURS, SMALL, grown
from tests.contract.talk import Talk


@behaviour(
    "compaction/deadline",
    "At its deadline, session_before_compact returns control to the host, and the model calls are cancelled.",
    "design 7; rule: the host's patience",
)
def deadline() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = grown()
    preparation = talk.call("planCompaction", entries=tree.entries, settings=SMALL)["preparation"]
    id = talk.ask("session_before_compact", sessionId="s", preparation=preparation, deadlineMs=5_000)
    assert len(talk.asked("complete")) == 2
    (wake,) = [wake for wake in talk.driver.wakes if wake.delay_ms == 5_000]
    talk.wake(wake.ticket)
    assert talk.result(id) == {}
    assert talk.asked("complete") == []
    return talk


@behaviour(
    "compaction/deadline-of-compact",
    "After its deadline, `compact` continues without the model, and says so in the details.",
    "design 7, extractive",
)
def deadline_of_compact() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = grown()
    id = talk.ask("compact", sessionId="s", entries=tree.entries, deadlineMs=5_000)
    (wake,) = [wake for wake in talk.driver.wakes if wake.delay_ms == 5_000]
    talk.wake(wake.ticket)
    details = talk.result(id)["compaction"]["details"]["ctxmgr"]
    assert details["strategy"] == "extractive"
    assert details["fallback"]["from"] == "single-shot"
    return talk


@behaviour(
    "compaction/cancelled",
    "A cancelled `compact` cancels its model calls and is answered with -32800.",
    "design 2, $/cancelRequest",
)
def cancelled() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = grown()
    id = talk.ask("compact", sessionId="s", entries=tree.entries, progressToken="p")
    talk.tell("$/cancelRequest", id=id)
    assert talk.failed(id) == (-32800, None)
    assert talk.asked("complete") == []
    assert talk.status()["mode"] == "on"
    return talk


@behaviour(
    "compaction/a-failed-model",
    "Failed, empty, truncated or tool-calling answers are asked for again. After that the summary is extractive, "
    "and says so.",
    "design 7: an empty, truncated or failed summary is never committed",
)
def failed_model() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = grown()
    bad: list[Any] = [
        {"text": "", "stopReason": "stop"},
        {"text": "## Goal\nHalf of", "stopReason": "length"},
        {"text": "", "stopReason": "toolUse"},
        {"text": "", "stopReason": "error"},
    ]
    for first in bad:
        id = talk.ask("compact", sessionId="s", entries=tree.entries)
        talk.model(lambda params, answer=first: answer)  # type: ignore[misc]
        compaction = talk.result(id)["compaction"]
        details = compaction["details"]["ctxmgr"]
        assert details["strategy"] == "extractive"
        assert details["fallback"]["from"] == "single-shot"
        assert "Half of" not in compaction["summary"]
        assert "Never touch the tests" in compaction["summary"]
    return talk
