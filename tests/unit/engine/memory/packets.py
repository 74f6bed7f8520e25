"""Turns results into facts, and conversations of the tests' notation into packets, as a list that shows their last
messages would have.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ctxmgr.engine.memory import PacketText, Removed, Stamp, facts_of, fold, from_message
from ctxmgr.engine.memory.from_summary import from_summary
from ctxmgr.model import Block, View
from ctxmgr.model.saved import Fact, Ledger
from tests.notation import Said, quarters
from tests.unit.summarize.scripted import told

LATER = 1_000  # of what is known before a conversation: a time


def of_result(tool: str, arguments: dict[str, Any], text: str = "", at: int = 1, **fields: Any) -> tuple[Fact, ...]:
    """The facts of the result of one call, at this time."""
    call = Block("call", call_id="c", tool=tool, arguments=arguments)
    result = View("result", (Block("result", text=text, call_id="c", **fields),))
    return from_message(result, stamp=Stamp(f"r{at}", at), calls={"c": call}, opening=False)


def known(*said: Said, more: Sequence[Fact] = ()) -> Ledger:
    return fold(Ledger(), [*facts_of(told(*said)), *more])


def shown(said: Sequence[Said], count: int) -> frozenset[str]:
    """The origins of the last `count` messages."""
    facts = facts_of(told(*said))
    return frozenset(fact.origin for fact in facts if fact.time_ms >= len(said) - count)


def summarised(text: str, kind: str = "compaction", digest: str = "summary", at: int = LATER) -> tuple[Fact, ...]:
    """The facts of a summary, newer than any message of a conversation."""
    return from_summary(text, kind="branch" if kind == "branch" else "compaction", stamp=Stamp(digest, at))


def packet(
    *said: Said,
    budget: int = 1_000,
    view: int = 0,
    notes: str = "",
    more: Sequence[Fact] = (),
    removed: Removed | None = None,
    weigh: Callable[[str], int] = quarters,
) -> str:
    """`view`: so many messages at the end are shown."""
    text = PacketText(known(*said, more=more), notes, weigh)
    return text.within(budget, shown(said, view), removed or Removed(messages=len(said) - view))


def part(text: str, heading: str) -> list[str]:
    """The lines of one part, without its heading."""
    for block in text.split("\n\n"):
        first, *lines = block.split("\n")
        if first.startswith(f"## {heading}"):
            return lines
    return []


def headings(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("## ")]
