"""Sessions long enough to be compacted, and what a model writes of them."""

from typing import Any

from tests.contract.talk import Messages, Talk
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


def grown(count: int = 4) -> tuple[Messages, Tree]:
    make, tree = Messages(), Tree()
    tree.say(work(make, count))
    return make, tree


def compaction_of(talk: Talk, tree: Tree, history: str, prefix: str) -> dict[str, Any]:
    id = talk.ask("compact", sessionId="s", entries=tree.entries)
    talk.model(lambda params: prefix if params["purpose"] == "turn-prefix" else history)
    compaction: dict[str, Any] = talk.result(id)["compaction"]
    return compaction
