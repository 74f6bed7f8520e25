"""Branch summaries: what is left behind when a host moves in its tree."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import LONG, MODEL, work
from tests.contract.talk import Messages, Talk
from tests.contract.tree import Tree

OURS = {"compaction": {"by": "ctxmgr"}}
SUMMARY = (
    "## Goal\nTry the other parser\n\n## Constraints & Preferences\n- (none)\n\n"
    "## Progress\n### Done\n- [x] Tried it: too slow\n\n### In Progress\n- (none)\n\n### Blocked\n- (none)\n\n"
    "## Key Decisions\n- **Stay with the old parser**: twice as fast\n\n## Next Steps\n1. None"
)


def _tree() -> tuple[Messages, Tree]:
    """Two turns, then a branch with a failing command, left for another one."""
    make, tree = Messages(), Tree()
    tree.say(work(make, 2))
    tree.say(
        [
            make.user("Try the other parser. Keep the old one."),
            make.reply("I try it.", make.call("write", path="src/other.py", content="x = 1")),
            make.result("written"),
            make.reply("Now the tests.", make.call("bash", command="pytest -q")),
            make.result("FAILED tests/test_other.py::test_speed - too slow", is_error=True),
            make.reply("It is too slow. " + LONG),
        ]
    )
    return make, tree


@behaviour(
    "branches/with-the-hosts-model",
    "summarizeBranch summarizes from the old leaf back to where the paths meet, including files and errors.",
    "design 7, branch summaries",
)
def with_model() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _tree()
    params = {"entries": tree.entries, "oldLeafId": tree.leaf, "targetId": "e8"}
    id = talk.ask("summarizeBranch", sessionId="s", **params, customInstructions="Say why it was left.")
    prompts: list[str] = []

    def write(request: dict[str, Any]) -> str:
        prompts.append(request["prompt"])
        return SUMMARY

    talk.model(write)
    answer = talk.result(id)
    assert answer["commonAncestorId"] == "e8"
    assert answer["entriesSummarized"] == 6
    (prompt,) = prompts
    assert "Try the other parser" in prompt
    assert "Mend part 1" not in prompt
    assert "too slow" in prompt
    assert "FAILED tests/test_other.py" in prompt
    assert "Say why it was left." in prompt
    summary = answer["summary"]
    assert "Stay with the old parser" in summary["summary"]
    assert summary["details"]["modifiedFiles"] == ["src/other.py"]
    return talk


@behaviour(
    "branches/without-a-model",
    "Without a model, the branch summary is extractive. An empty branch has none.",
    "design 7, extractive",
)
def extractive() -> Talk:
    talk = Talk()
    _, tree = _tree()
    answer = talk.call("summarizeBranch", entries=tree.entries, oldLeafId=tree.leaf, targetId="e8")
    assert "Try the other parser" in answer["summary"]["summary"]
    assert "src/other.py" in answer["summary"]["summary"]
    answer = talk.call("summarizeBranch", entries=tree.entries, oldLeafId="e8", targetId=tree.leaf)
    assert answer == {"summary": None, "commonAncestorId": "e8", "entriesSummarized": 0}
    answer = talk.call("summarizeBranch", entries=tree.entries, oldLeafId=None, targetId="e8")
    assert answer["summary"] is None
    return talk


@behaviour(
    "branches/before-tree",
    "session_before_tree returns the summary if the policy says so and the user wants one. Otherwise no model "
    "runs.",
    "design 7; pi session_before_tree",
)
def before_tree() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _tree()
    preparation = {
        "targetId": "e8",
        "oldLeafId": tree.leaf,
        "commonAncestorId": "e8",
        "entriesToSummarize": tree.entries[8:],
        "userWantsSummary": False,
    }
    assert talk.call("session_before_tree", sessionId="s", preparation=preparation) == {}
    assert talk.asked("complete") == []
    wanted = {**preparation, "userWantsSummary": True}
    id = talk.ask("session_before_tree", sessionId="s", preparation=wanted)
    talk.model(lambda params: SUMMARY)
    summary = talk.result(id)["summary"]
    assert "Stay with the old parser" in summary["summary"]
    leave = Talk(capabilities=MODEL)
    assert leave.call("session_before_tree", sessionId="s", preparation=wanted) == {}
    return talk


@behaviour(
    "branches/left-as-history",
    "What a branch summary says is added to the ledger as history, not as current facts.",
    "design 5, branch summaries",
)
def history() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _tree()
    model = {"id": "model-1", "contextWindow": 200_000}
    talk.call("session_start", sessionId="s", model=model, entries=tree.entries)
    old = tree.leaf
    params = {"entries": tree.entries, "oldLeafId": old, "targetId": "e8"}
    id = talk.ask("summarizeBranch", sessionId="s", **params)
    talk.model(lambda request: SUMMARY)
    summary = talk.result(id)["summary"]["summary"]
    entry = {"id": "b1", "parentId": "e8", "summary": summary, "fromId": old}
    talk.call("session_tree", sessionId="s", newLeafId="b1", oldLeafId=old, summaryEntry=entry)
    facts = talk.call("getLedger", sessionId="s")["facts"]
    assert {fact["slot"] for fact in facts if fact["source"] == "branch"} == {"file"}
    packet = talk.call("getPacket", sessionId="s", resume=True)["text"]
    here, _, branch = packet.partition("## From a branch that was left")
    assert "Stay with the old parser" in branch
    assert "Try the other parser" in branch
    assert not [one for one in ("Stay with the old parser", "Try the other parser") if one in here]
    return talk


@behaviour(
    "branches/bad-trees",
    "A cycle, a missing parent or an unknown id is not an error. What is known of the tree is used.",
    "design 2, bad input",
)
def bad_trees() -> Talk:
    talk, make, tree = Talk(), Messages(), Tree()
    tree.say(work(make, 1))
    circle = [{**tree.entries[0], "parentId": "e4"}, *tree.entries[1:]]
    answer = talk.call("summarizeBranch", entries=circle, oldLeafId="e4", targetId="nowhere")
    assert answer["commonAncestorId"] is None
    assert answer["entriesSummarized"] == 4
    answer = talk.call("summarizeBranch", entries=[5, None, {}], oldLeafId="x", targetId="y")
    assert answer["summary"] is None
    bad = {"entriesToSummarize": 5}
    refused = talk.refused("session_before_tree", sessionId="s", preparation=bad)
    assert refused == (-32602, "$.preparation.entriesToSummarize")
    return talk
