"""What a compaction would be: planned from entries or from what is held, and where there is nothing to cut."""

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import LONG, MODEL, OURS, SMALL, grown, structured, work
from tests.contract.talk import Messages, Talk, texts
from tests.contract.tree import Tree


@behaviour(
    "compaction/plan",
    "planCompaction returns what would be summarized, what would be kept, and the prompts for the host's own "
    "model.",
    "design 7; pi 0.87 prepareCompaction",
)
def plan() -> Talk:
    talk = Talk()
    _, tree = grown()
    answer = talk.call("planCompaction", entries=tree.entries, settings={**SMALL, "weigher": "chars4"})
    preparation = answer["preparation"]
    assert preparation["firstKeptEntryId"] == "e16"
    assert preparation["isSplitTurn"] is True
    assert len(preparation["messagesToSummarize"]) == 12
    assert len(preparation["turnPrefixMessages"]) == 3
    assert preparation["fileOps"]["read"] == [f"src/part{number}.py" for number in range(1, 5)]
    assert preparation["settings"]["weigher"] == "chars4"
    assert [prompt["purpose"] for prompt in answer["prompts"]] == ["history", "turn-prefix"]
    assert [prompt["maxTokens"] for prompt in answer["prompts"]] == [3_200, 2_000]
    assert answer["prompts"][0]["prompt"].count("part2") >= 1
    return talk


@behaviour(
    "compaction/plan-of-what-the-session-holds",
    "Without entries, the plan uses the messages that the session has seen, with the entry ids it was given.",
    "design 2, planCompaction",
)
def held() -> Talk:
    talk, make = Talk(), Messages()
    messages = work(make, 3)
    talk.context(messages)
    late = [make.user("And the last."), make.reply("Done with the last. " + LONG)]
    talk.context([*messages, late[0]])
    talk.turn_end(late[1], entryIds={"message": "e14"})
    answer = talk.call("planCompaction", sessionId="s", settings=SMALL)
    assert answer["preparation"]["firstKeptEntryId"] == "e14"
    assert answer["preparation"]["turnPrefixMessages"] == [late[0]]
    assert answer["preparation"]["messagesToSummarize"] == messages
    return talk


@behaviour(
    "compaction/plan-without-ids",
    "For a list whose messages have no ids, planCompaction still returns the prompts. What it lists is what will "
    "be removed.",
    "opencode#20156: a summary in another language than the user's; formats whose messages have no ids",
)
def nameless() -> Talk:
    talk, make = Talk(), Messages()
    messages = work(make, 3)
    talk.context(messages)
    answer = talk.call("planCompaction", sessionId="s", settings=SMALL)
    preparation = answer["preparation"]
    assert preparation["firstKeptEntryId"] == ""
    leaving = [*preparation["messagesToSummarize"], *preparation["turnPrefixMessages"]]
    assert leaving == messages[: len(leaving)] != messages
    assert all("in the language of the user's last messages" in prompt["prompt"] for prompt in answer["prompts"])
    assert answer["prompts"]
    assert talk.refused("compact", sessionId="s", settings=SMALL) == (-32803, None)
    return talk


@behaviour(
    "compaction/a-summary-longer-than-what-it-replaces",
    "A summary that has more tokens than what it replaces is refused. The one that is used instead has fewer.",
    "published fault: a summary longer than what it replaces",
)
def longer() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = grown(2)
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    bloated = structured("G", "D", "\n" + LONG * 20)
    talk.model(lambda params: bloated)
    compaction = talk.result(id)["compaction"]
    assert LONG not in compaction["summary"]
    assert compaction["details"]["ctxmgr"]["fallback"]["from"] == "single-shot"
    replaced = texts([entry["message"] for entry in tree.entries[:7]])
    assert len(compaction["summary"]) < len(replaced)
    return talk


@behaviour(
    "compaction/no-result-without-its-call",
    "If a cut would separate a tool call from its result, it is moved back to the call.",
    "published fault: a cut that leaves a call without its result",
)
def pairs() -> Talk:
    talk, make, tree = Talk(), Messages(), Tree()
    tree.say(work(make, 2))
    tree.say([make.user("Both files, please.")])
    calls = make.call("read", path="a.py"), make.call("read", path="b.py")
    tree.say([make.reply("Both.", *calls), make.result("a\n" + LONG)])
    note = tree.note("The build has finished. " + LONG)
    tree.say([make.result("b\n" + LONG)])
    kept = talk.call("planCompaction", entries=tree.entries, settings={**SMALL, "keepRecentTokens": 300})
    assert kept["preparation"]["firstKeptEntryId"] == "e10"
    as_pi = {**SMALL, "keepRecentTokens": 300, "weigher": "chars4"}
    kept = talk.call("planCompaction", entries=tree.entries, settings=as_pi)
    assert kept["preparation"]["firstKeptEntryId"] == note
    return talk


@behaviour(
    "compaction/nothing-to-cut",
    "If one message fills everything, there is nothing to compact. planCompaction says so, and compact returns an "
    "error.",
    "published fault: nothing to cut because one message fills the window",
)
def nothing() -> Talk:
    talk, make, tree = Talk(OURS), Messages(), Tree()
    tree.say([make.user("Read this. " + LONG * 40)])
    answer = talk.call("planCompaction", entries=tree.entries)
    assert answer["preparation"] is None
    assert answer["prompts"] == []
    assert answer["reason"]
    assert talk.refused("compact", entries=tree.entries) == (-32803, None)
    preparation = {"firstKeptEntryId": "e1", "messagesToSummarize": [], "turnPrefixMessages": [], "tokensBefore": 1}
    params = {"sessionId": "s", "preparation": preparation, "branchEntries": tree.entries}
    assert talk.call("session_before_compact", **params) == {}
    silent = {"firstKeptEntryId": "e1", "messagesToSummarize": [{"role": "user"}], "tokensBefore": 5}
    assert talk.call("session_before_compact", sessionId="s", preparation=silent) == {}
    assert "Ids are strings" in talk.call("planCompaction", entries=tree.entries, leafId="e9")["reason"]
    loose = [{**entry, "id": None} for entry in grown()[1].entries]
    assert "Of 16 entries 1 are on the path" in talk.call("planCompaction", entries=loose)["reason"]
    return talk
