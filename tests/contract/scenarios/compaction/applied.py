"""After a compaction: the status, the packet that resumes, and no second request."""

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import MODEL, OURS, compaction_of, grown, structured, turn_part
from tests.contract.talk import Fields, Messages, Talk, packet


@behaviour(
    "compaction/not-requested-again-on-stale-usage",
    "After a compaction, the token count is unknown until the next reading. The old count does not trigger a "
    "request.",
    "published fault: compaction requested again because usage is stale",
)
def stale() -> Talk:
    talk = Talk(OURS)
    make, tree = grown()
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
    "After a compaction, the status describes the current list, as far as entry ids show it. Its tokens are "
    "unknown.",
    "design 4: unknown after a compaction until the next reading",
)
def status_after() -> Talk:
    talk = Talk(
        {"preset": "turns", "recentUserTurns": {"green": 90, "yellow": 90, "red": 90, "compact": 90}}, 4_000
    )
    make, tree = grown(8)
    messages = [entry["message"] for entry in tree.entries]
    talk.call("session_start", sessionId="s", model={"id": "m", "contextWindow": 4_000}, entries=tree.entries)
    talk.context(messages)
    talk.turn_end(make.reply("Noted."), tokens=2_800)
    assert (talk.status()["zone"], talk.status()["tokens"]) == ("compact", 2_800)
    text = "## Goal\nMend all parts"
    entry = {"id": "c1", "summary": text, "firstKeptEntryId": tree.leaf}
    talk.call("session_compact", sessionId="s", compactionEntry=entry)
    after = talk.status()
    assert (after["zone"], after["tokens"]) == ("green", None)
    assert 0.03 < after["pressure"] < 0.10  # the kept reply, its tokens and the summary's
    listed = [make.summary(text), messages[-1]]
    then = talk.context(listed)["report"]
    assert then["zone"] == "green"
    assert 0 < talk.status()["pressure"] - after["pressure"] < 0.25  # with the packet that resumes
    entry = {"id": "c2", "summary": f"{text}\n", "firstKeptEntryId": "e1"}
    status = talk.call("session_compact", sessionId="s", compactionEntry=entry)["status"]
    assert status["zone"] == "green"  # what is not listed any more is not counted
    return talk


@behaviour(
    "compaction/the-resume-packet-comes-once",
    "Lists after a compaction contain the resume packet until the model has answered. All later lists contain the "
    "summary.",
    "design 4, rule 5",
)
def resumed() -> Talk:
    talk = Talk({"preset": "turns", "packetTokens": 200, **OURS}, capabilities=MODEL)
    make, tree = grown(8)
    talk.context([entry["message"] for entry in tree.entries])
    tables = (
        f"- Table {number} holds the separators of part {number}, in this order: a, b, c" for number in range(32)
    )
    data = [
        f"\n## Tables {number // 20}\n{line}" if number % 20 == 0 else line for number, line in enumerate(tables)
    ]
    written = structured("Mend all parts", "Parts 1 to 7", *data)
    compaction = compaction_of(talk, tree, written, turn_part("Part 8", "Read it"))
    entry = {"id": tree.compacted(compaction), **compaction}
    talk.call("session_compact", sessionId="s", compactionEntry=entry, fromExtension=True)
    listed = [*tree.listed(compaction), make.user("Go on.")]
    first = packet(talk.context(listed)["list"])
    told, _, task = first.partition("## The task")
    assert "Table 31 holds the separators" in task
    assert "Said at the end of earlier turns" in told
    assert packet(talk.context(listed)["list"]) == first
    reply = make.reply("Yes.")
    talk.turn_end(reply, tokens=3_000)
    second = packet(talk.context([*listed, reply, make.user("Now?")])["list"])
    told, _, after = second.partition("## The task")
    assert after == task, "the host's summary stays whole"
    assert "Said at the end of earlier turns" not in told
    assert len(second) < len(first)
    return talk


@behaviour(
    "compaction/instructions-stay",
    "Instructions that a host's compaction removes are in the packet word for word, until they are read again.",
    "model.policy: protectedInstructions",
)
def instructed() -> Talk:
    talk, make = Talk({"preset": "turns"}), Messages()
    older, newer = "Rows are sorted by\n\ttheir date.", "Rows are sorted by\n\ttheir name."
    quoted, anew = "> Rows are sorted by\n> \ttheir date.", "> Rows are sorted by\n> \ttheir name."

    def compacted(number: int) -> list[Fields]:
        text = structured(f"Mend part {number}", "Read the rules")
        talk.call("session_compact", sessionId="s", compactionEntry={"id": f"k{number}", "summary": text})
        return [make.summary(text), make.user("Go on.")]

    talk.context(make.turn("Mend the parts.", older, path="docs/../CLAUDE.md"))
    messages = compacted(1)
    assert f'- read path="docs/../CLAUDE.md":\n{quoted}' in packet(talk.context(messages)["list"])
    messages += make.turn("Read the rules again.", newer, path="CLAUDE.md")
    talk.context(messages)
    shown = packet(talk.context(compacted(2))["list"])
    assert f'- read path="CLAUDE.md":\n{anew}' in shown
    assert quoted not in shown
    return talk
