"""A history cut where its subject changes, by vectors of the host."""

import re
from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import structured, turn_part
from tests.contract.talk import Messages, Talk
from tests.contract.tree import Tree

SLICES = {"tokens": 1_300, "overlap": 0, "breaks": "natural", "cohesion": "host"}
SLICED = {
    "compaction": {
        "by": "ctxmgr",
        "keepRecentTokens": 200,
        "reserveTokens": 4_000,
        "strategy": "sequential-rolling",
        "slices": SLICES,
    }
}
LONG = "It reads one line at a time. " * 24  # about 175 tokens
SUBJECTS = {"lexer": 4, "parser": 3, "printer": 3}  # turns; by size alone a slice would hold two subjects


def _vector(text: str) -> list[int]:
    """One direction a subject."""
    found = re.search("|".join(SUBJECTS), text)
    return [int(found is not None and found[0] == subject) for subject in SUBJECTS]


@behaviour(
    "compaction/breaks-by-the-hosts-vectors",
    "`embed` asks the host for a vector of each step. A slice ends where the subject changes.",
    "design 2, embed; TextTiling (Hearst 1997), depth of a gap",
)
def vectors() -> Talk:
    talk, make, tree = Talk(SLICED, capabilities={"complete": True, "embed": True}), Messages(), Tree()
    for subject, turns in SUBJECTS.items():
        for number in range(1, turns + 1):
            tree.say(
                [
                    make.user(f"Look at {subject} {number}. {LONG}"),
                    make.reply(f"The {subject} is well in part {number}. {LONG}"),
                ]
            )
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    (asked,) = talk.asked("embed")
    texts = asked["params"]["texts"]
    talk.reply(asked, {"vectors": [_vector(text) for text in texts]})
    heard: list[str] = []

    def write(params: dict[str, Any]) -> str:
        heard.append(params["prompt"])
        return (
            turn_part("Go on", "Read it") if params["purpose"] == "turn-prefix" else structured("See all", "Seen")
        )

    talk.model(write)
    assert talk.result(id)["compaction"]["details"]["ctxmgr"]["strategy"] == "sequential-rolling"
    told = [prompt.partition("<conversation>")[2].partition("</conversation>")[0] for prompt in heard]
    subjects = [[subject for subject in SUBJECTS if f"at {subject} " in text] for text in told]
    assert [one for one in subjects if one][:3] == [["lexer"], ["parser"], ["printer"]], subjects
    return talk
