"""Turns a function from an ask to a completion into a run of a strategy, and conversations into preparations."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from ctxmgr.formats import pi
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model.compaction import (
    Asking,
    BranchMessage,
    BranchSummaryPlan,
    CompactionPlan,
    Completion,
    CompletionRequest,
    CutBudget,
    FileLists,
)
from ctxmgr.summarize.formats import BRANCH, CONTINUE, HANDOFF, NINE, STRUCTURED, TURN, Shape
from tests.notation import Said, a, call, r, raws, u

Result = TypeVar("Result")
Model = Callable[[CompletionRequest], Completion]

NO_FILES = FileLists()
SHAPES = (STRUCTURED, BRANCH, NINE, HANDOFF, CONTINUE, TURN)


def run(asking: Asking[Result], model: Model) -> tuple[Result, list[tuple[CompletionRequest, ...]]]:
    """The result, and the batches that were asked."""
    batches: list[tuple[CompletionRequest, ...]] = []
    try:
        batch = next(asking)
        while True:
            batches.append(batch)
            batch = asking.send(tuple(model(ask) for ask in batch))
    except StopIteration as done:
        return done.value, batches


def told(*said: Said) -> tuple[BranchMessage, ...]:
    written = raws(*said)
    entries = view_branch.from_messages(pi, written, [f"e{number}" for number in range(len(written))])
    return tuple(message for entry in entries for message in entry.messages)


def turn(number: int, size: int = 400) -> list[Said]:
    """One turn of about `size` characters: a request, a read, an edit, an answer."""
    filler = f"line of part {number} with some words in it\n"
    return [
        u(f"Please mend part {number} of the parser in src/part{number}.py."),
        a("I look at it first.", call("read", path=f"src/part{number}.py")),
        r(filler * max(1, size // len(filler))),
        a(f"Part {number} is mended now, the cause was a wrong index in it."),
    ]


def turns(count: int, size: int = 400, start: int = 1) -> tuple[BranchMessage, ...]:
    return told(*(said for number in range(start, start + count) for said in turn(number, size)))


def prepared(
    history: Sequence[BranchMessage],
    prefix: Sequence[BranchMessage] = (),
    previous: str | None = None,
    files: FileLists = NO_FILES,
    reserve: int = 16_384,
) -> CompactionPlan:
    settings = CutBudget(reserve_tokens=reserve)
    whole = tuple(history), tuple(prefix)
    return CompactionPlan("kept", *whole, bool(prefix), 50_000, previous, files, settings)


def branch_prepared(
    messages: Sequence[BranchMessage], left_out: Sequence[BranchMessage] = (), files: FileLists = NO_FILES
) -> BranchSummaryPlan:
    return BranchSummaryPlan("root", (), tuple(messages), tuple(left_out), files)


def filled(shape: Shape, words: str = "the parser") -> str:
    """An answer in this shape whose sections all say something of `words`."""
    return re.sub(r"\[[^\[\]]{4,}\]", lambda _: f"about {words}", shape.outline)


def shape_in(prompt: str) -> Shape:
    """The shape that a prompt asks for."""
    return next(shape for shape in SHAPES if shape.outline.strip() in prompt)


def good(ask: CompletionRequest) -> Completion:
    """What a model that does as it is told answers."""
    return Completion(filled(shape_in(ask.prompt), ask.label))


def shown(prompt: str, tag: str) -> list[str]:
    """What stands in the tags of this name in a prompt."""
    return re.findall(rf"^<{tag}\b[^>]*>\n(.*?)\n</{tag}>$", prompt, re.DOTALL | re.MULTILINE)
