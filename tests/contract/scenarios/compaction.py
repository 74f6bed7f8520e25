"""Compactions written by ctxmgr: planned, with the host's model and without; and the faults others published."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk, packet, texts
from tests.contract.tree import Tree

OURS = {"compaction": {"by": "ctxmgr", "keepRecentTokens": 200, "reserveTokens": 4_000}}
MODEL = {"requestCompaction": "whenIdle", "complete": True}
LONG = "The parser reads one line at a time and keeps what it has not understood. " * 12  # about 220 tokens
SMALL = {"keepRecentTokens": 200, "reserveTokens": 4_000}


def structured(goal: str, done: str, *more: str) -> str:
    """What a model would answer: whole, in its sections."""
    return "\n".join(
        (
            f"## Goal\n{goal}\n",
            "## Constraints & Preferences\n- (none)\n",
            f"## Progress\n### Done\n- [x] {done}\n\n### In Progress\n- (none)\n\n### Blocked\n- (none)\n",
            "## Key Decisions\n- (none)\n",
            "## Next Steps\n1. Go on\n",
            "## Critical Context\n- (none)",
            *more,
        )
    )


def turn_part(request: str, progress: str) -> str:
    return (
        f"## Original Request\n{request}\n\n## Progress So Far\n- {progress}\n\n"
        "## Context Needed to Continue\n- (none)"
    )


def work(make: Messages, count: int, first: int = 1) -> list[dict[str, Any]]:
    """So many turns, each of one file read and an answer of about 220 tokens."""
    messages = []
    for number in range(first, first + count):
        messages += [
            make.user(f"Mend part {number} of src/part{number}.py. Never touch the tests."),
            make.reply("I look at it.", make.call("read", path=f"src/part{number}.py")),
            make.result(f"def part{number}(): ...\n" + LONG),
            make.reply(f"Part {number} is mended: it used the wrong separator. " + LONG),
        ]
    return messages


def _grown(count: int = 4) -> tuple[Messages, Tree]:
    make, tree = Messages(), Tree()
    tree.say(work(make, count))
    return make, tree


@behaviour(
    "compaction/plan",
    "planCompaction says what would be summarised, what is kept, and the prompts a host can run by itself.",
    "design 7; pi 0.87 prepareCompaction",
)
def plan() -> Talk:
    talk = Talk()
    _, tree = _grown()
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
    "Without entries the plan is of the messages the session has seen, with the entry ids it was told.",
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
    "compaction/without-a-model",
    "Where no model can be asked the compaction is extractive: the user's words, files and outcomes, and so said.",
    "design 7, extractive",
)
def extractive() -> Talk:
    talk = Talk()
    _, tree = _grown()
    compaction = talk.call("compact", sessionId="s", entries=tree.entries, settings=SMALL)["compaction"]
    assert compaction["firstKeptEntryId"] == "e16"
    assert "Never touch the tests" in compaction["summary"]
    assert compaction["details"]["readFiles"] == [f"src/part{number}.py" for number in range(1, 5)]
    assert compaction["details"]["ctxmgr"]["strategy"] == "extractive"
    assert "<read-files>" in compaction["summary"]
    return talk


@behaviour(
    "compaction/with-the-hosts-model",
    "`complete` requests run on the host, history and turn prefix apart; the summaries come back as one.",
    "design 2, complete",
)
def with_model() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _grown()
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
    _, tree = _grown()
    preparation = talk.call("planCompaction", entries=tree.entries, settings=SMALL)["preparation"]
    assert talk.call("session_before_compact", sessionId="s", preparation=preparation) == {}
    assert talk.asked("complete") == []
    return talk


@behaviour(
    "compaction/before-compact-custom",
    'With policy.compaction "ctxmgr", session_before_compact answers the finished compaction, instructions heard.',
    "design 7, policy.compaction",
)
def custom() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _grown()
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
    "While a compaction of a branch is being written, another of it is refused; one of another branch is not.",
    "published fault: two compactions of one branch at once",
)
def two() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = _grown()
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


@behaviour(
    "compaction/deadline",
    "At its deadline session_before_compact gives the host its turn back, and the model calls are taken back.",
    "design 7; rule: the host's patience",
)
def deadline() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _grown()
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
    "`compact` makes do without the model after its deadline, and says so in the details.",
    "design 7, extractive",
)
def deadline_of_compact() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _grown()
    id = talk.ask("compact", sessionId="s", entries=tree.entries, deadlineMs=5_000)
    (wake,) = [wake for wake in talk.driver.wakes if wake.delay_ms == 5_000]
    talk.wake(wake.ticket)
    details = talk.result(id)["compaction"]["details"]["ctxmgr"]
    assert details["strategy"] == "extractive"
    assert details["fallback"]["from"] == "single-shot"
    return talk


@behaviour(
    "compaction/cancelled",
    "A cancelled `compact` takes its model calls back and is answered with -32800.",
    "design 2, $/cancelRequest",
)
def cancelled() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _grown()
    id = talk.ask("compact", sessionId="s", entries=tree.entries, progressToken="p")
    talk.tell("$/cancelRequest", id=id)
    assert talk.failed(id) == (-32800, None)
    assert talk.asked("complete") == []
    assert talk.status()["mode"] == "on"
    return talk


@behaviour(
    "compaction/a-failed-model",
    "Failed, empty, cut short or tool-calling answers are asked again, then it is extractive, and so said.",
    "design 7: an empty, truncated or failed summary is never committed",
)
def failed_model() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _grown()
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


@behaviour(
    "compaction/second-keeps-what-the-first-kept",
    "The second compaction summarises from where the first one's kept part began, not from the first compaction.",
    "published fault: what compaction 1 kept is lost at compaction 2 (pi #2608)",
)
def second() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = _grown()
    first = _compacted(talk, tree, structured("Mend all parts", "Parts 1 to 3"), turn_part("Part 4", "Read it"))
    kept = tree.entry("e16")["message"]
    tree.compacted(first)
    tree.say(work(make, 3, first=5))
    seen: list[str] = []

    def write(params: dict[str, Any]) -> str:
        seen.append(params["prompt"])
        return turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("Mend all parts", "1 to 6")

    answer = talk.call("planCompaction", entries=tree.entries, settings=SMALL)
    assert answer["preparation"]["messagesToSummarize"][0] == kept
    assert answer["preparation"]["previousSummary"] == first["summary"]
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    talk.model(write)
    second = talk.result(id)["compaction"]
    history = next(prompt for prompt in seen if "<previous-summary>" in prompt)
    assert "Parts 1 to 3" in history
    assert "Part 4 is mended" in history
    assert second["details"]["readFiles"] == [f"src/part{number}.py" for number in range(1, 8)]
    return talk


def _compacted(talk: Talk, tree: Tree, history: str, prefix: str) -> dict[str, Any]:
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    talk.model(lambda params: prefix if params["purpose"] == "turn-prefix" else history)
    compaction: dict[str, Any] = talk.result(id)["compaction"]
    return compaction


def _long_turn(make: Messages, tree: Tree, steps: int, first: int) -> None:
    """One more stretch of a turn that does not end."""
    for number in range(first, first + steps):
        call = make.call("read", path=f"src/step{number}.py")
        tree.say([make.reply(f"Step {number}.", call), make.result(f"text {number}\n" + LONG)])


@behaviour(
    "compaction/a-split-turn-carries-the-previous-summary",
    "Cut in the middle of a turn with no new history, the summary before is carried on, and nothing is doubled.",
    "published faults: a split turn without new history drops the previous summary; sections doubled",
)
def split() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = _grown(2)
    tree.say([make.user("Now go through all the steps. " + LONG)])
    summary = _compacted(talk, tree, structured("Mend", "Parts 1 and 2"), "")
    assert summary["firstKeptEntryId"] == tree.leaf
    tree.compacted(summary)
    _long_turn(make, tree, 3, first=1)
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    (request,) = talk.asked("complete")
    assert request["params"]["purpose"] == "turn-prefix"
    talk.reply(request, {"text": turn_part("All steps", "Steps 1 and 2 read"), "stopReason": "stop"})
    summary = talk.result(id)["compaction"]
    _whole(summary["summary"])
    for stretch in (4, 7):
        tree.compacted(summary)
        _long_turn(make, tree, 3, first=stretch)
        id = talk.ask("compact", sessionId="s", entries=tree.entries)
        (request,) = talk.asked("complete")
        assert "Steps 1 and 2 read" in request["params"]["prompt"]
        text = structured("Mend", "Parts 1 and 2", f"- Steps 1 and 2 read, and up to {stretch}")
        talk.reply(request, {"text": text, "stopReason": "stop"})
        summary = talk.result(id)["compaction"]
        _whole(summary["summary"])
    return talk


def _whole(text: str) -> None:
    """What earlier summaries said is there, once."""
    assert "Parts 1 and 2" in text
    assert "Steps 1 and 2 read" in text
    assert text.count("## Goal") == text.count("<read-files>") == 1
    assert text.count("**Turn Context (split turn):**") <= 1
    assert text.count("## Original Request") <= 1


@behaviour(
    "compaction/a-summary-longer-than-what-it-replaces",
    "A summary that weighs more than what it stands for is refused; the one that takes its place weighs less.",
    "published fault: a summary longer than what it replaces",
)
def longer() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _grown(2)
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
    "Where a cut would part a tool call from its result, it is moved back to the call.",
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
    "Where one message fills everything there is nothing to compact: said by planCompaction, an error of compact.",
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
    loose = [{**entry, "id": None} for entry in _grown()[1].entries]
    assert "Of 16 entries 1 are on the path" in talk.call("planCompaction", entries=loose)["reason"]
    return talk


@behaviour(
    "compaction/not-requested-again-on-stale-usage",
    "After a compaction the token count is unknown until the next reading: nothing is asked for on the old one.",
    "published fault: compaction requested again because usage is stale",
)
def stale() -> Talk:
    talk = Talk(OURS)
    make, tree = _grown()
    messages = [entry["message"] for entry in tree.entries]
    talk.context(messages)
    assert talk.turn_end(make.reply("Noted."), tokens=130_000)["commands"]
    compaction = talk.call("compact", sessionId="s", entries=tree.entries)["compaction"]
    talk.call("session_compact", sessionId="s", compactionEntry={"id": "c1", **compaction}, fromExtension=True)
    assert talk.status()["tokens"] is None
    answer = talk.context(tree.listed(compaction))
    assert answer["list"]
    aborted = make.reply("", stopReason="aborted")
    assert talk.turn_end(aborted, tokens=130_000)["commands"] == []
    assert talk.turn_end(make.reply("Noted."), tokens=4_000)["commands"] == []
    return talk


@behaviour(
    "compaction/the-status-after-it",
    "After a compaction the status is of what is listed now, as far as entry ids tell; its tokens are unknown.",
    "design 4: unknown after a compaction until the next reading",
)
def status_after() -> Talk:
    talk = Talk(
        {"preset": "turns", "recentUserTurns": {"green": 90, "yellow": 90, "red": 90, "compact": 90}}, 8_000
    )
    make, tree = _grown(8)
    messages = [entry["message"] for entry in tree.entries]
    talk.call("session_start", sessionId="s", model={"id": "m", "contextWindow": 8_000}, entries=tree.entries)
    talk.context(messages)
    talk.turn_end(make.reply("Noted."), tokens=5_900)
    assert (talk.status()["zone"], talk.status()["tokens"]) == ("compact", 5_900)
    text = "## Goal\nMend all parts"
    entry = {"id": "c1", "summary": text, "firstKeptEntryId": tree.leaf}
    talk.call("session_compact", sessionId="s", compactionEntry=entry)
    after = talk.status()
    assert (after["zone"], after["tokens"]) == ("green", None)
    assert 0.03 < after["pressure"] < 0.10  # the kept reply, its tokens and the summary's
    listed = [make.summary(text), messages[-1]]
    then = talk.context(listed)["report"]
    assert then["zone"] == "green"
    assert abs(talk.status()["pressure"] - after["pressure"]) < 0.01
    entry = {"id": "c2", "summary": f"{text}\n", "firstKeptEntryId": "e1"}
    status = talk.call("session_compact", sessionId="s", compactionEntry=entry)["status"]
    assert status["zone"] == "green"  # what is not listed any more is not counted
    return talk


@behaviour(
    "compaction/the-resume-packet-comes-once",
    "The next list after a compaction carries the resume packet, the one after it does not.",
    "design 4, rule 5",
)
def resumed() -> Talk:
    talk = Talk({"preset": "turns", **OURS}, capabilities=MODEL)
    make, tree = _grown(8)
    talk.context([entry["message"] for entry in tree.entries])
    tables = (
        f"- Table {number} holds the separators of part {number}, in this order: a, b, c" for number in range(90)
    )
    data = [
        f"\n## Tables {number // 20}\n{line}" if number % 20 == 0 else line for number, line in enumerate(tables)
    ]
    written = structured("Mend all parts", "Parts 1 to 7", *data)
    compaction = _compacted(talk, tree, written, turn_part("Part 8", "Read it"))
    entry = {"id": tree.compacted(compaction), **compaction}
    talk.call("session_compact", sessionId="s", compactionEntry=entry, fromExtension=True)
    listed = [*tree.listed(compaction), make.user("Go on.")]
    first = packet(talk.context(listed)["list"])
    assert "Table 79 holds the separators" in first
    second = packet(talk.context([*listed, make.reply("Yes."), make.user("Now?")])["list"])
    assert "Table 79 holds the separators" not in second
    assert len(second) < len(first)
    return talk


@behaviour(
    "compaction/prepared-ahead",
    "Asked for in the policy, a compaction is written in the background from yellow on and comes with the request.",
    "design 7: preparing ahead is off unless asked for",
)
def ahead() -> Talk:
    policy = {"compaction": {**OURS["compaction"], "prepareAhead": True}}
    talk = Talk(policy, capabilities=MODEL)
    _, make = _with_ids(talk)
    talk.turn_end(make.reply("Noted."), tokens=100_000, entryIds={"message": "e99"})
    assert talk.asked("complete")
    talk.model(lambda params: turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("G", "D"))
    (command,) = talk.turn_end(make.reply("Noted."), tokens=130_000)["commands"]
    assert command["params"]["compaction"]["firstKeptEntryId"]
    assert "## Goal" in command["params"]["compaction"]["summary"]
    return talk


@behaviour(
    "compaction/prepared-ahead-for-another-branch",
    "A compaction written ahead is thrown away when the host moves in its tree, also while it is being written.",
    "design 7",
)
def ahead_moved() -> Talk:
    policy = {"compaction": {**OURS["compaction"], "prepareAhead": True}}
    talk = Talk(policy, capabilities=MODEL)
    messages, make = _with_ids(talk)
    talk.turn_end(make.reply("Noted."), tokens=100_000, entryIds={"message": "e99"})
    talk.call("session_tree", sessionId="s", newLeafId="e4", oldLeafId="e99")
    talk.model(lambda params: turn_part("R", "P") if params["purpose"] == "turn-prefix" else structured("G", "D"))
    talk.context(messages[:4])
    talk.turn_end(make.reply("Noted."), tokens=60_000)
    (command,) = talk.turn_end(make.reply("Noted."), tokens=130_000)["commands"]
    assert "compaction" not in command["params"]
    return talk


def _with_ids(talk: Talk) -> tuple[list[dict[str, Any]], Messages]:
    """A session that knows the entry of each message."""
    make, tree = _grown(5)
    model = {"id": "model-1", "contextWindow": 200_000}
    talk.call("session_start", sessionId="s", model=model, entries=tree.entries)
    messages = [entry["message"] for entry in tree.entries]
    talk.context(messages)
    return messages, make


@behaviour(
    "compaction/prepared-ahead-is-waited-for",
    "session_before_compact takes the compaction that is being written ahead, and does not pay for another.",
    "design 7: preparing ahead spends the host's money",
)
def ahead_joined() -> Talk:
    policy = {"compaction": {**OURS["compaction"], "prepareAhead": True}}
    talk = Talk(policy, capabilities=MODEL)
    messages, make = _with_ids(talk)
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


@behaviour(
    "compaction/sections-never-double",
    "A model that repeats the previous summary beside its own does not make the sections double along a chain.",
    "published fault: sections doubled until a summary no longer parses",
)
def doubled() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = _grown()
    said = structured("Mend all parts", "Part 1")
    for number in range(2, 5):
        text = said + "\n\n" + structured("Mend all parts", f"Part {number}")
        compaction = _compacted(talk, tree, text, turn_part("Go on", "Read it"))
        said = compaction["summary"]
        for part in said.split("\n---\n"):
            headings = [line for line in part.splitlines() if line.startswith("#")]
            assert len(headings) == len(set(headings))
        for done in range(1, number + 1):
            assert f"- [x] Part {done}" in said
        tree.compacted(compaction)
        tree.say(work(make, 3, first=10 * number))
    return talk
