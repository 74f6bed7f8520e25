"""Conversations for summaries without a model, and what is told of them."""

from collections.abc import Sequence
from typing import get_args

from ctxmgr.engine.extractive import summary
from ctxmgr.engine.text.headings import heading
from ctxmgr.model.compaction.branch import BranchMessage
from ctxmgr.model.compaction.branch import MessageContent as Shown
from ctxmgr.model.compaction.plans import Format
from ctxmgr.model.messages import Message
from tests.notation import Said, quarters, talk

FORMATS: tuple[Format, ...] = get_args(Format)
ROOMY = 100_000


def branched(messages: Sequence[Message]) -> tuple[BranchMessage, ...]:
    return tuple(BranchMessage(one.raw, one.view, Shown(""), len(one.raw)) for one in messages)


def conversation(*said: Said) -> tuple[BranchMessage, ...]:
    return branched(talk(*said))


def told(*said: Said, previous: str | None = None, budget: int = ROOMY, format: Format = "structured") -> str:
    return summary.summary(conversation(*said), previous, budget=budget, weigh=quarters, format=format)


def under(text: str, title: str) -> list[str]:
    """The lines under a heading."""
    lines = text.split("\n")
    start = lines.index(title) + 1
    end = next((at for at in range(start, len(lines)) if heading(lines[at])), len(lines))
    return [line for line in lines[start:end] if line and line != "(none)"]
