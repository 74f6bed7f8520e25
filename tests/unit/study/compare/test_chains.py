"""Chains of compactions over a session: what is carried on, what is checked, and that the checks can fail."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model.compaction import (
    Asking,
    BranchEntry,
    CompactionPlan,
    Completion,
    CutBudget,
    NothingToCompact,
)
from ctxmgr.study.compare import chains
from ctxmgr.study.compare.chains import Chain
from ctxmgr.study.figures.closed_cost import ClosedLoop, closed_loop
from ctxmgr.study.observations import SUMMARY, ProjectedMessage
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from tests.notation import Said, a, call, quarters, r, u
from tests.unit.engine.trees import Node, compacted, left_behind, meta, omitted, raws, replaced
from tests.unit.study.compare import scripted_model
from tests.unit.study.compare.chains import turns
from tests.unit.study.sighted import known

weigh = by_text(quarters, lambda message: 0, lambda view: 0)
CUT = CutBudget(keep_recent_tokens=600, reserve_tokens=1_000)
LIMIT = 2_000


def walked(*steps: Said | Node, limit: int = LIMIT, strategy: Any = "extractive") -> Chain:
    return run_out(
        chains.walked(
            raws(*steps),
            None,
            limit=limit,
            cut=CUT,
            weigh=weigh,
            brief=lambda prepared: SummaryInput(prepared, quarters, strategy),
        )
    )


def run_out(asking: Asking[Chain]) -> Chain:
    """The walk to its end, with the scripted model."""
    completions: tuple[Completion, ...] | None = None
    while True:
        try:
            asks = asking.send(completions)  # type: ignore[arg-type]  # None starts it
        except StopIteration as done:
            chain: Chain = done.value
            return chain
        completions = tuple(map(scripted_model.complete, asks))


def loop_of(chain: Chain) -> ClosedLoop:
    return closed_loop(chain.sights, known(), PriceSheet())


def test_each_compaction_stands_on_the_last_and_nothing_is_lost() -> None:
    chain = walked(*turns(30))
    assert chain.failures == []
    assert len(chain.passes) > 3
    for compaction in chain.passes:
        assert compaction.before_tokens > LIMIT > compaction.after_tokens > compaction.summary_tokens > 0
    assert all(path in chain.summary for path in ("src/part1.py", "src/part14.py"))
    assert len(chain.removed) + len(chain.tail) <= 120
    assert chain.largest == max(compaction.before_tokens for compaction in chain.passes)


def test_the_list_before_each_reply_is_the_hosts_with_the_summary_in_front_after_a_compaction() -> None:
    chain = walked(*turns(30))
    assert len(chain.sights) == 60
    whole = [sight for sight in chain.sights if sight.items[0].role != SUMMARY]
    assert [len(sight.items) for sight in whole[:4]] == [1, 3, 5, 7]
    compacted = [sight for sight in chain.sights if sight.items[0].role == SUMMARY]
    assert len({sight.items[0].raw for sight in compacted}) == len(chain.passes)
    for sight in compacted:
        assert sum(item.role == SUMMARY for item in sight.items) == 1
        assert sight.projected_messages == tuple(
            ProjectedMessage(item.raw, index, True) for index, item in enumerate(sight.items)
        )


def test_what_a_summary_lacks_and_a_reply_acts_on_is_fetched_again() -> None:
    """The last turn edits a line that the first one read, which no summary has."""
    old = "a line of part 1"
    edit = a(call("edit", path="src/part1.py", oldText=old, newText="another"))
    near, far = (loop_of(walked(*turns(count), u("once more"), edit)) for count in (1, 30))
    assert near.fetches == 0
    assert far.calls[-1].fetches > 0
    assert far.closed > far.billed


def test_recorded_compactions_are_left_out() -> None:
    plain = walked(*turns(20))
    mixed = walked(*turns(10), compacted("## Goal\nanother summary", kept="e30"), *turns(10, 11))
    assert [compaction.before_tokens for compaction in mixed.passes] == [
        compaction.before_tokens for compaction in plain.passes
    ]
    assert mixed.summary == plain.summary
    assert "another summary" not in mixed.summary


def test_no_compaction_stands_between_a_call_and_its_result() -> None:
    big = "word " * 1_800
    steps = [*turns(3), u("go on"), a("", call("t", "x1"), call("t", "x2")), r(big, to="x1"), r("ok", to="x2")]
    chain = walked(*steps, a("done"))
    assert f"e{len(steps) - 1}" not in [compaction.entry for compaction in chain.passes]
    assert f"e{len(steps)}" in [compaction.entry for compaction in chain.passes]


def test_calls_that_were_never_answered_hold_nothing_up() -> None:
    chain = walked(u("go"), a("", call("t", "lost")), *turns(20))
    assert len(chain.passes) > 2
    assert chain.failures == []


def test_edits_and_branch_summaries_on_the_way() -> None:
    steps: list[Said | Node] = [
        *turns(6),
        meta(),
        replaced("e4", "Part 1 was mended otherwise."),
        left_behind("## Goal\nan aside"),
    ]
    chain = walked(*steps, *turns(8, 7), omitted("e59"), *turns(10, 15))
    assert chain.failures == []
    assert len(chain.passes) > 3
    texts = [message.content.text or "" for message in chain.removed]
    assert "Part 1 was mended otherwise." in texts
    assert "an aside" in "\n".join(texts)
    assert any("Part 13 is mended" in text for text in texts)
    assert not any("Part 14 is mended" in text for text in texts)


def test_a_model_writes_a_chain_too() -> None:
    chain = walked(*turns(30), strategy="single-shot")
    assert chain.failures == []
    assert all(detail["calls"] > 0 and "fallback" not in detail for detail in chain.details)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda decision: {"history": decision.history[1:]}, "compaction 1 leaves e1 to nobody"),
        (lambda decision: {"first_kept": "nowhere"}, "after compaction 1 the list is not what was to be kept"),
    ],
)
def test_what_would_be_lost_is_found(monkeypatch: pytest.MonkeyPatch, broken: Any, said: str) -> None:
    real = prepare.decide

    def decide(path: Sequence[BranchEntry], *rest: Any) -> CompactionPlan | NothingToCompact:
        decision = real(path, *rest)
        return (
            msgspec.structs.replace(decision, **broken(decision))
            if isinstance(decision, CompactionPlan)
            else decision
        )

    monkeypatch.setattr(prepare, "decide", decide)
    assert said in walked(*turns(12)).failures


def test_an_entry_that_fell_between_two_compactions_is_found_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "uncovered", lambda path, prepared: ())
    real = prepare.decide

    def decide(path: Sequence[BranchEntry], *rest: Any) -> CompactionPlan | NothingToCompact:
        decision = real(path, *rest)
        return (
            msgspec.structs.replace(decision, history=decision.history[1:])
            if isinstance(decision, CompactionPlan)
            else decision
        )

    monkeypatch.setattr(prepare, "decide", decide)
    assert "e1 was shown to no compaction and is not in the list" in walked(*turns(12)).failures


def test_the_entry_is_what_a_host_stores() -> None:
    prepared = prepare.decide(
        tuple(branch.entry(node) for node in chains.recorded(raws(*turns(6)), None)), CUT, weigh
    )
    assert isinstance(prepared, CompactionPlan)
    last = chains.recorded(raws(*turns(6)), None)[-1]
    details = {"readFiles": ["x.py"], "modifiedFiles": [], "ctxmgr": {}}
    raw = chains._compaction("c", last, prepared, FinishedSummary("so far", details))
    fields = msgspec.json.decode(raw)
    assert fields["fromHook"] is True
    assert fields["details"] == details
    assert fields["firstKeptEntryId"] == prepared.first_kept
    assert fields["timestamp"] == "2026-01-02T03:04:05.678Z"
