"""A compaction that stands on one before it: what was kept, carried and never doubled."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import (
    LONG,
    MODEL,
    OURS,
    SMALL,
    compaction_of,
    grown,
    structured,
    turn_part,
    work,
)
from tests.contract.talk import Messages, Talk
from tests.contract.tree import Tree


@behaviour(
    "compaction/second-keeps-what-the-first-kept",
    "The second compaction summarizes from where the first one's kept part began, not from the first compaction.",
    "published fault: what compaction 1 kept is lost at compaction 2 (pi #2608)",
)
def second() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = grown()
    first = compaction_of(talk, tree, structured("Mend all parts", "Parts 1 to 3"), turn_part("Part 4", "Read it"))
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


def long_turn(make: Messages, tree: Tree, steps: int, first: int) -> None:
    """One more stretch of a turn that does not end."""
    for number in range(first, first + steps):
        call = make.call("read", path=f"src/step{number}.py")
        tree.say([make.reply(f"Step {number}.", call), make.result(f"text {number}\n" + LONG)])


@behaviour(
    "compaction/a-split-turn-carries-the-previous-summary",
    "If a cut is in the middle of a turn with no new history, the previous summary is carried over, and nothing "
    "is repeated.",
    "published faults: a split turn without new history drops the previous summary; sections doubled",
)
def split() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = grown(2)
    tree.say([make.user("Now go through all the steps. " + LONG)])
    summary = compaction_of(talk, tree, structured("Mend", "Parts 1 and 2"), "")
    assert summary["firstKeptEntryId"] == tree.leaf
    tree.compacted(summary)
    long_turn(make, tree, 3, first=1)
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    (request,) = talk.asked("complete")
    assert request["params"]["purpose"] == "turn-prefix"
    talk.reply(request, {"text": turn_part("All steps", "Steps 1 and 2 read"), "stopReason": "stop"})
    summary = talk.result(id)["compaction"]
    _whole(summary["summary"])
    for stretch in (4, 7):
        tree.compacted(summary)
        long_turn(make, tree, 3, first=stretch)
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
    "compaction/sections-never-double",
    "If a model repeats the previous summary, the sections are not doubled along a chain of compactions.",
    "published fault: sections doubled until a summary no longer parses",
)
def doubled() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    make, tree = grown()
    said = structured("Mend all parts", "Part 1")
    for number in range(2, 5):
        text = said + "\n\n" + structured("Mend all parts", f"Part {number}")
        compaction = compaction_of(talk, tree, text, turn_part("Go on", "Read it"))
        said = compaction["summary"]
        for part in said.split("\n---\n"):
            headings = [line for line in part.splitlines() if line.startswith("#")]
            assert len(headings) == len(set(headings))
        for done in range(1, number + 1):
            assert f"- [x] Part {done}" in said
        tree.compacted(compaction)
        tree.say(work(make, 3, first=10 * number))
    return talk
