"""Where a history breaks: by vectors where they are to be had, else by the words, and never a fault."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from ctxmgr.engine.compaction import slices
from ctxmgr.formats import FORMATS, pi
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model.api import lifecycle
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.model.saved.state import ModelSpec, State
from ctxmgr.session.compaction import compact, job_context
from ctxmgr.session.compaction.job_context import JobContext
from ctxmgr.session.reading import Reader
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Embed, Offload
from tests.notation import a, u


def messages(count: int) -> tuple[BranchMessage, ...]:
    said = [one for number in range(count) for one in (u(f"question {number}"), a(f"answer {number}"))]
    entries = view_branch.from_messages(pi, [msgspec.json.encode(one.fields) for one in said], [""] * len(said))
    return tuple(message for entry in entries for message in entry.messages)


def seen(embeds: bool = True, embed: Any = None, **of_slices: Any) -> JobContext:
    form = FORMATS["pi"]
    reader = Reader(form)
    policy = {"compaction": {"slices": {"breaks": "natural", **of_slices}}}
    can = lifecycle.HostCapabilities(embed=embeds)
    return job_context.take(
        SessionCore(State("s", ModelSpec("m", 1_000)), form, policy, can, reader, embed), None, None
    )


def told(of: JobContext, history: Sequence[BranchMessage], vectors: Any = None) -> tuple[Any, int]:
    """The depths, and how often the host was asked; it answers with these vectors."""
    steps, value, asked = compact.break_depths(of, history, "parallel-stitch"), None, 0
    while True:
        try:
            wanted = steps.send(value)
        except StopIteration as stop:
            return stop.value, asked
        if isinstance(wanted, Embed):
            asked += 1
            value = vectors
        else:
            assert isinstance(wanted, Offload)
            value = wanted.run()


def turned(count: int, at: int) -> list[list[float]]:
    return [[1.0, 0.0] if number < at else [0.0, 1.0] for number in range(count)]


def test_vectors_of_the_extra_tell_and_the_host_is_not_asked() -> None:
    history = messages(6)
    count = len(slices.steps(history))
    depths, asked = told(seen(cohesion="embeddings", embed=lambda texts: turned(len(texts), 3)), history)
    assert asked == 0
    assert max(range(count), key=depths.__getitem__) == 3


def fails(texts: Sequence[str]) -> list[list[float]]:
    raise MemoryError


WORDS: list[tuple[str, JobContext]] = [
    ("the words are to tell", seen(cohesion="words", embed=lambda texts: turned(len(texts), 3))),
    ("steps are cut where they end", seen(breaks="steps", cohesion="host")),
    ("the host gives no vectors", seen(embeds=False, cohesion="host")),
    ("the host gave none this time", seen(cohesion="host")),
    ("there is no extra", seen(cohesion="embeddings")),
    ("the extra is not installed", seen(cohesion="embeddings", embed=lambda texts: None)),
    ("the extra fails", seen(cohesion="embeddings", embed=fails)),
]


@pytest.mark.parametrize(("why", "of"), WORDS, ids=[why for why, _ in WORDS])
def test_else_the_words_tell(why: str, of: JobContext) -> None:
    depths, asked = told(of, messages(6))
    assert depths is None
    assert asked == (why == "the host gave none this time")
