"""Compactions written: without a model, with the host's, in the host's place, by two at once."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import MODEL, OURS, SMALL, grown, structured, turn_part, work
from tests.contract.talk import Talk


@behaviour(
    "compaction/without-a-model",
    "If no model can be asked, the compaction is extractive: the user's words, files and outcomes. The details "
    "say so.",
    "design 7, extractive",
)
def extractive() -> Talk:
    talk = Talk()
    _, tree = grown()
    compaction = talk.call("compact", sessionId="s", entries=tree.entries, settings=SMALL)["compaction"]
    assert compaction["firstKeptEntryId"] == "e16"
    assert "Never touch the tests" in compaction["summary"]
    assert compaction["details"]["readFiles"] == [f"src/part{number}.py" for number in range(1, 5)]
    assert compaction["details"]["ctxmgr"]["strategy"] == "extractive"
    assert "<read-files>" in compaction["summary"]
    return talk


@behaviour(
    "compaction/with-the-hosts-model",
    "`complete` requests run on the host, for history and turn prefix separately. The summaries are joined.",
    "design 2, complete",
)
def with_model() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = grown()
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    assert not talk.answered(id)
    purposes: list[str] = []

    def write(params: dict[str, Any]) -> str:
        purposes.append(params["purpose"])
        if params["purpose"] == "turn-prefix":
            return turn_part("Mend part 4.", "Read src/part4.py")
        return structured("Mend all parts", "Parts 1 to 3 are mended")

    talk.model(write)
    compaction = talk.result(id)["compaction"]
    assert sorted(purposes) == ["history", "turn-prefix"]
    assert "Parts 1 to 3 are mended" in compaction["summary"]
    assert compaction["summary"].count("**Turn Context (split turn):**") == 1
    assert compaction["details"]["ctxmgr"]["calls"] == 2
    return talk


@behaviour(
    "compaction/before-compact-none",
    "session_before_compact leaves the compaction to the host unless the policy says otherwise.",
    "design 7, policy.compaction",
)
def none() -> Talk:
    talk = Talk(capabilities=MODEL)
    _, tree = grown()
    preparation = talk.call("planCompaction", entries=tree.entries, settings=SMALL)["preparation"]
    assert talk.call("session_before_compact", sessionId="s", preparation=preparation) == {}
    assert talk.asked("complete") == []
    return talk


@behaviour(
    "compaction/before-compact-custom",
    'With policy.compaction "ctxmgr", session_before_compact returns the finished compaction and follows the '
    "instructions.",
    "design 7, policy.compaction",
)
def custom() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = grown()
    preparation = talk.call("planCompaction", entries=tree.entries, settings=SMALL)["preparation"]
    id = talk.ask(
        "session_before_compact",
        sessionId="s",
        preparation=preparation,
        branchEntries=tree.entries,
        customInstructions="Keep the separators.",
        reason="manual",
    )
    prompts: list[str] = []

    def write(params: dict[str, Any]) -> str:
        prompts.append(params["prompt"])
        return turn_part("Mend part 4.", "Read it") if params["purpose"] == "turn-prefix" else structured("G", "D")

    talk.model(write)
    compaction = talk.result(id)["compaction"]
    assert compaction["firstKeptEntryId"] == preparation["firstKeptEntryId"]
    assert compaction["tokensBefore"] == preparation["tokensBefore"]
    assert all("Keep the separators." in prompt for prompt in prompts)
    return talk


@behaviour(
    "compaction/two-of-one-branch",
    "While a compaction of a branch is being written, a second one of that branch is refused. One of another "
    "branch is not.",
    "published fault: two compactions of one branch at once",
)
def two() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = grown()
    preparation = talk.call("planCompaction", entries=tree.entries, settings=SMALL)["preparation"]
    params = {"sessionId": "s", "preparation": preparation}
    first = talk.ask("session_before_compact", **params, branchEntries=tree.entries)
    assert talk.call("session_before_compact", **params, branchEntries=tree.entries) == {"cancel": True}
    assert talk.refused("compact", sessionId="s", entries=tree.entries) == (-32803, None)
    tree.back_to("e8")
    tree.say(work(make, 2, first=7))
    other = talk.ask("compact", sessionId="s", entries=tree.entries)
    talk.model(lambda params: turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("G", "D"))
    assert talk.result(first)["compaction"]["firstKeptEntryId"] == "e16"
    assert talk.result(other)["compaction"]["firstKeptEntryId"] == "e24"
    return talk
