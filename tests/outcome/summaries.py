"""Turns a recorded session into summaries, and into how many of the memory probes they answer by themselves.

1. The session is compacted after each step at which its list is too long, with a summary that no model writes; its
   own compactions are left out. The last summary stands for all that was taken out.
2. Where a model would write it, what it is shown stands for it: the prompts of the first calls, together. What is
   not in them no model can say.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import msgspec
import pytest

from ctxmgr.engine.compaction.prepare import decide
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model import media
from ctxmgr.model.compaction import (
    BranchEntry,
    BranchMessage,
    CompactionPlan,
    CutBudget,
    Format,
    NothingToCompact,
    Strategy,
    in_list,
)
from ctxmgr.model.estimate import WeighMessage
from ctxmgr.model.policy import Slices
from ctxmgr.study.compare import sessions
from ctxmgr.study.compare.sessions import RecordedSession
from ctxmgr.study.probes.figures import scores
from ctxmgr.study.probes.probing import RemovedPart
from ctxmgr.summarize import writing
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from tests.outcome.measuring import NAMES, SESSIONS, Figures, by_kind, weigher


class Way(NamedTuple):
    """Tokens: `keep` of the newest messages, `reserve` of which a summary gets its share, `limit` of the list above
    which a chain compacts, `window` of the summarising model."""

    strategy: Strategy = "extractive"
    format: Format = "structured"
    keep: int = 8_000
    reserve: int = 4_096
    limit: int = 24_000
    window: int = 128_000
    slices: Slices = Slices()


WAYS = {
    "structured": Way(),
    "short": Way(reserve=800),
    "nine-section": Way(format="nine-section"),
    "handoff": Way(format="handoff", reserve=800),
    "continue": Way(format="continue", reserve=800),
    "one prompt": Way("single-shot", window=16_000),
    "prompts of slices": Way("parallel-stitch", slices=Slices(tokens=2_000, overlap=200, breaks="natural")),
}


class SummaryRun(NamedTuple):
    session: str
    way: str

    @property
    def label(self) -> str:
        return f"{self.session} {self.way}"

    @property
    def seldom(self) -> bool:
        """In a format that says the same as another."""
        return WAYS[self.way].format != "structured"


class Written(NamedTuple):
    """`removed` and `kept`: messages as pi stores them, oldest first."""

    text: str
    removed: tuple[bytes, ...]
    kept: tuple[bytes, ...]


SUMMARY_RUNS = tuple(SummaryRun(name, way) for way in WAYS for name in NAMES)


@cache
def session(name: str) -> RecordedSession:
    return sessions.read(SESSIONS / f"{name}.jsonl")


@cache
def weigh_message() -> WeighMessage:
    pictures = partial(media.tokens, rules=media.OTHER)
    weigh, known = by_text(weigher(), pictures, lambda view: 0), dict[bytes, int]()

    def weighed(message: BranchMessage) -> int:
        if message.raw not in known:
            known[message.raw] = weigh(message)
        return known[message.raw]

    return weighed


def write(run: SummaryRun) -> Written:
    way = WAYS[run.way]
    return (
        _chain(session(run.session), way) if way.strategy == "extractive" else _prompts(session(run.session), way)
    )


def _chain(of: RecordedSession, way: Way) -> Written:
    weigh = weigh_message()
    path: list[BranchEntry] = []
    removed: list[BranchMessage] = []
    waiting: set[str] = set()  # calls without a result
    last = Written("", (), ())
    for entry in branch.branch(of.entries, of.leaf):
        if entry.kind == "compaction":
            continue
        path.append(entry)
        for message in entry.messages:
            if message.opens_turn or message.content.speaker == "assistant":
                waiting.clear()
            waiting |= {block.call_id for block in message.view.blocks if block.kind == "call"}
            waiting -= {block.call_id for block in message.view.blocks if block.kind == "result"}
        listed = [message for shown in in_list(path) for message in shown.messages if not message.system]
        if waiting or sum(map(weigh, listed)) <= way.limit:
            continue
        plan = decide(tuple(path), CutBudget(way.keep, way.reserve), weigh)
        if isinstance(plan, NothingToCompact):
            continue
        with pytest.raises(StopIteration) as end:
            next(writing.compaction(_brief(plan, way)))
        done: FinishedSummary = end.value.value
        removed += (*plan.history, *plan.prefix)
        path.append(_compaction(f"compaction-{len(path)}", done, plan))
        last = Written(done.summary, _raws(removed), _raws(plan.recent))
    return last


def _compaction(id: str, done: FinishedSummary, plan: CompactionPlan) -> BranchEntry:
    """As a host stores it."""
    fields = {"summary": done.summary, "firstKeptEntryId": plan.first_kept, "details": done.details}
    node = branch.node(
        msgspec.json.encode({"type": "compaction", "id": id, "tokensBefore": 0, "fromHook": True, **fields})
    )
    assert node is not None
    return branch.entry(node)


def _prompts(of: RecordedSession, way: Way) -> Written:
    plan = decide(branch.branch(of.entries, of.leaf), CutBudget(way.keep, way.reserve), weigh_message())
    assert isinstance(plan, CompactionPlan)
    asks = next(writing.compaction(_brief(plan, way)))
    text = "\n\n".join(ask.prompt for ask in asks)
    return Written(text, _raws((*plan.history, *plan.prefix)), _raws(plan.recent))


def _brief(plan: CompactionPlan, way: Way) -> SummaryInput[CompactionPlan]:
    return SummaryInput(plan, weigher(), way.strategy, way.format, slices=way.slices, window=way.window)


def _raws(messages: Sequence[BranchMessage]) -> tuple[bytes, ...]:
    return tuple(one.raw for one in messages if not one.system)


@cache
def asked_of(removed: tuple[bytes, ...], kept: tuple[bytes, ...]) -> RemovedPart:
    return RemovedPart(removed, kept)


def summary_figures(run: SummaryRun) -> Figures:
    return graded(write(run))


def graded(one: Written) -> Figures:
    """A kind of probe by its share, of all that are asked of what was taken out."""
    return by_kind(scores(asked_of(one.removed, one.kept).grades(one.text)))
