"""Summaries that the host's model writes at the end of the host's own list."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import LONG, MODEL, OURS, SMALL, structured, turn_part
from tests.contract.talk import Messages, Talk
from tests.contract.tree import Tree

WARM = {**MODEL, "completeOnContext": True}
DRAFT = structured("Know all parts", "All eight are told")
RULE = "Never touch the generated files."


def _worked(talk: Talk) -> tuple[list[dict[str, Any]], Tree, Messages]:
    """A session of much prose that the host has asked about, so that its provider holds it."""
    make, tree = Messages(), Tree()
    messages: list[dict[str, Any]] = []
    for number in range(1, 9):
        messages += [make.user(f"Tell me of part {number}. {RULE if number == 1 else ''}"), make.reply(LONG * 5)]
    tree.say(messages)
    talk.context(messages)
    return messages, tree, make


def _answer(params: dict[str, Any]) -> str:
    return turn_part("Tell me", "Told") if params["purpose"] == "turn-prefix" else DRAFT


def _talk(capabilities: dict[str, Any] = WARM) -> Talk:
    return Talk(OURS, capabilities=capabilities, version="1.1")


@behaviour(
    "compaction/warm",
    "With capabilities.completeOnContext, a host gets an instruction to append to its last request instead of a "
    "copy of the conversation, if that is cheaper. What the summary lacks is added as usual.",
    "own rule: a list that a provider holds is read from its cache, and not paid as new",
)
def warm() -> Talk:
    talk = _talk()
    _, tree, _ = _worked(talk)
    id = talk.ask("compact", sessionId="s", entries=tree.entries, settings=SMALL)
    (request,) = talk.asked("complete")
    params = request["params"]
    assert (params["system"], params["prompt"], params["purpose"]) == ("", "", "history")
    assert "## Next Steps" in params["instruction"]
    assert LONG not in params["instruction"]
    talk.model(_answer)
    compaction = talk.result(id)["compaction"]
    told = compaction["details"]["ctxmgr"]
    assert "All eight are told" in compaction["summary"]
    assert (told["bill"]["way"], told["calls"]) == ("warm", 1)
    assert told["bill"]["warm"] < told["bill"]["cold"]
    assert told["mended"][0] == {"kind": "user", "text": f'#1: "Tell me of part 1. {RULE}"'}
    return talk


@behaviour(
    "compaction/warm-before-compact",
    "session_before_compact returns such a summary as well.",
    "own rule: a list that a provider holds is read from its cache, and not paid as new",
)
def before() -> Talk:
    talk = _talk()
    _, tree, _ = _worked(talk)
    preparation = talk.call("planCompaction", entries=tree.entries, settings=SMALL)["preparation"]
    params = {"preparation": preparation, "branchEntries": tree.entries}
    id = talk.ask("session_before_compact", sessionId="s", **params)
    (request,) = talk.asked("complete")
    assert request["params"]["instruction"]
    talk.model(_answer)
    assert "All eight are told" in talk.result(id)["compaction"]["summary"]
    return talk


@behaviour(
    "compaction/warm-falls-back",
    "If the model gives no summary at the end of the list, ctxmgr asks with a copy of the conversation. If that "
    "fails too, the summary is written without a model. The details say both.",
    "own rule: a summary that failed is never used",
)
def falls_back() -> Talk:
    talk = _talk()
    _, tree, _ = _worked(talk)
    id = talk.ask("compact", sessionId="s", entries=tree.entries, settings=SMALL)

    def write(params: dict[str, Any]) -> Any:
        if "instruction" in params:
            return {"text": "", "stopReason": "toolUse"}
        return _answer(params)

    talk.model(write)
    told = talk.result(id)["compaction"]["details"]["ctxmgr"]
    assert (told["warmFallback"]["from"], told["warmFallback"]["reason"]) == ("warm", "called a tool")
    assert (told["bill"]["way"], told["strategy"], "fallback" in told) == ("cold", "single-shot", False)
    id = talk.ask("compact", sessionId="s", entries=tree.entries, settings=SMALL)
    talk.model(lambda params: {"text": "", "stopReason": "error"})
    told = talk.result(id)["compaction"]["details"]["ctxmgr"]
    assert (told["strategy"], told["fallback"]["from"]) == ("extractive", "single-shot")
    return talk


@behaviour(
    "compaction/warm-only-of-the-list-that-was-sent",
    "A host gets no instruction if its last request is not what is to be compacted: before any list, after a "
    "compaction, and for another branch.",
    "own rule: what was not declared is not asked for",
)
def only() -> Talk:
    talk = _talk()
    make, tree = Messages(), Tree()
    tree.say([one for _ in range(6) for one in (make.user("Tell me more."), make.reply(LONG * 5))])

    def asked(**params: Any) -> bool:
        id = talk.ask("compact", sessionId="s", settings=SMALL, **params)
        requests = talk.asked("complete")
        talk.model(_answer)
        talk.result(id)
        return any("instruction" in request["params"] for request in requests)

    assert not asked(entries=tree.entries)  # no list yet
    talk.context([entry["message"] for entry in tree.entries])
    assert asked(entries=tree.entries)
    assert not asked(entries=tree.entries, leafId="e10")  # another leaf
    talk.call("session_compact", sessionId="s", compactionEntry={"summary": DRAFT, "firstKeptEntryId": "e11"})
    assert not asked(entries=tree.entries)  # the list is another by now
    return talk


@behaviour(
    "compaction/warm-of-an-older-host",
    "A host that speaks 1.0 is always asked with a copy, because it does not know instructions.",
    "a version adds, and that is all it does",
)
def older() -> Talk:
    talk = Talk(OURS, capabilities=WARM)
    _, tree, _ = _worked(talk)
    id = talk.ask("compact", sessionId="s", entries=tree.entries, settings=SMALL)
    assert all(request["params"]["prompt"] for request in talk.asked("complete"))
    talk.model(_answer)
    assert "bill" not in talk.result(id)["compaction"]["details"]["ctxmgr"]
    return talk


@behaviour(
    "compaction/warm-by-price",
    "The cheaper way is used. After a pause in which the cache expired, the list would be charged as new input, "
    "so ctxmgr asks with a copy.",
    "own rule: a list that a provider holds is read from its cache, and not paid as new",
)
def by_price() -> Talk:
    talk = Talk({**OURS, "preset": "balanced"}, capabilities=WARM, version="1.1")
    make, tree = Messages(), Tree()
    messages = [one for _ in range(6) for one in (make.user("Tell me more."), make.reply(LONG * 5))]
    tree.say(messages)
    talk.context(messages, at=20_000)
    late = {**make.reply("Here I am."), "timestamp": 20_000 + 600_000}
    tree.say([late])
    talk.turn_end(late, tokens=9_000)
    id = talk.ask("compact", sessionId="s", entries=tree.entries, settings=SMALL)
    talk.model(_answer)
    bill = talk.result(id)["compaction"]["details"]["ctxmgr"]["bill"]
    assert bill["way"] == "cold", bill
    return talk


@behaviour(
    "compaction/warm-after-a-pause",
    "compact and session_before_compact accept the host's time, so that a pause counts that no message shows.",
    "own rule: a list that a provider holds is read from its cache, and not paid as new",
)
def after_a_pause() -> Talk:
    talk = _talk()
    messages, tree, _ = _worked(talk)
    last = messages[-1]["timestamp"]
    for pause, way in ((200_000, "warm"), (400_000, "cold")):
        id = talk.ask("compact", sessionId="s", entries=tree.entries, settings=SMALL, at=last + pause)
        talk.model(_answer)
        assert talk.result(id)["compaction"]["details"]["ctxmgr"]["bill"]["way"] == way
    return talk
