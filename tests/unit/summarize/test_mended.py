"""What a model wrote is checked against what is known, in every strategy, and the details say what was mended."""

from typing import Any

import msgspec
import pytest

from ctxmgr.engine.extractive.collecting import collect
from ctxmgr.engine.ledger import fold
from ctxmgr.engine.text import ADDED_HEADING
from ctxmgr.engine.text.sections import sections_of
from ctxmgr.model.compaction.branch import BranchMessage
from ctxmgr.model.compaction.completion import Completion, CompletionRequest
from ctxmgr.model.compaction.plans import CompactionPlan, FileLists, Strategy
from ctxmgr.model.saved import Ledger
from ctxmgr.summarize.request.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.request.turn_context import MARK
from ctxmgr.summarize.writing import branch_summary
from tests.notation import Said, a, call, err, quarters, r, u
from tests.unit.summarize.scripted import (
    SHAPES,
    branch_prepared,
    filled,
    good,
    prepared,
    run,
    shape_in,
    told,
    turn,
    turns,
)
from tests.unit.summarize.written import LISTS, SMALL, STRATEGIES, H, ctxmgr, write

RULE = "Never touch the generated files."
RUN = "pytest tests/test_login.py -q"
RULED = [u(RULE), a("Understood."), *turn(1, 1_200), *turn(2, 1_200), *turn(3, 1_200)]
FILES = FileLists(edited=("b.py",))
ADDED = [{"kind": "constraint", "text": RULE}]


def ran(output: str, failed: bool = False) -> list[Said]:
    return [a(call("bash", command=RUN)), (err if failed else r)(output)]


def knowing(*said: Said) -> Ledger:
    """What a session knows that heard this, at times of its own."""
    facts = collect(told(*said), opened=True).facts
    moved = [msgspec.structs.replace(fact, time_ms=1_700_000_000_000 + fact.time_ms) for fact in facts]
    return fold(Ledger(), moved)


def keeping(plan: CompactionPlan, *recent: Said) -> CompactionPlan:
    return msgspec.structs.replace(plan, recent=told(*recent))


def mends(written: FinishedSummary) -> Any:
    return ctxmgr(written).get("mended", [])


@pytest.mark.parametrize("strategy", [one for one in STRATEGIES if one != "extractive"])
def test_what_a_model_left_out_is_added_in_every_strategy(strategy: Strategy) -> None:
    written, _ = write(prepared(told(*RULED), files=FILES), strategy=strategy, slices=SMALL)
    assert f'{ADDED_HEADING}\n\n### Constraints & Preferences\n- "{RULE}"' in written.summary
    assert written.summary.endswith("<modified-files>\nb.py\n</modified-files>")
    assert mends(written) == ADDED
    rules = [item.text for part in sections_of(written.summary) if part.kind == "constraint" for item in part.items]
    assert f'"{RULE}"' in rules


def test_a_summary_that_says_it_is_as_the_model_wrote_it() -> None:
    def model(ask: CompletionRequest) -> Completion:
        return Completion(f"{filled(shape_in(ask.prompt))}- never touch the generated files\n")

    written, _ = write(prepared(told(*RULED)), model)
    assert ADDED_HEADING not in written.summary
    assert "mended" not in ctxmgr(written)


def test_without_a_model_nothing_is_mended() -> None:
    written, _ = write(prepared(told(*RULED)), strategy="extractive")
    fallen, _ = write(prepared(told(*RULED)), lambda ask: Completion(stop="error"))
    for one in (written, fallen):
        assert ADDED_HEADING not in one.summary
        assert "mended" not in ctxmgr(one)


def test_it_stands_before_the_context_of_a_cut_turn() -> None:
    written, _ = write(prepared(told(*RULED), turns(1, 1_200, start=4)))
    history, _, context = written.summary.partition(MARK)
    assert ADDED_HEADING in history
    assert ADDED_HEADING not in context
    assert context.lstrip().startswith("## Original Request")


def test_what_the_session_heard_long_before_is_known() -> None:
    written, _ = write(prepared(turns(3, 1_200), previous=H), ledger=knowing(u("Begin."), a("Yes."), u(RULE)))
    assert mends(written) == ADDED


def test_what_was_taken_back_since_is_not_added() -> None:
    said = told(*turn(1, 1_200), *turn(2, 1_200), u("Never mind about touching the generated files."), a("Good."))
    plan = keeping(prepared(said), u("Go on."))
    written, _ = write(plan, ledger=knowing(u("Begin."), a("Yes."), u(RULE)))
    assert RULE not in written.summary


def test_where_it_is_not_known_what_stays_the_session_knows_best() -> None:
    broken = told(*turn(1, 1_200), *ran("1 failed in 1s\n", True), a("It fails."), *turn(2, 1_200))
    written, _ = write(prepared(broken), ledger=knowing(u("Begin."), *ran("9 passed in 1s\n")))
    assert mends(written) == []


def test_of_a_session_that_knows_nothing_the_summary_before_tells_the_rules() -> None:
    previous = f'{H}\n\n{ADDED_HEADING}\n\n### Constraints & Preferences\n- "{RULE}"'
    written, _ = write(prepared(turns(3, 1_200), previous=previous + LISTS))
    assert [one["kind"] for one in mends(written)] == ["constraint"]
    assert RULE in written.summary


def test_what_stays_beside_the_summary_is_not_added_but_counts() -> None:
    broken = [u("Run them."), *ran("FAILED tests/test_login.py::test_x\n1 failed in 1s\n", True), a("It fails.")]
    plan = prepared(told(*broken, *turn(1, 1_200), *turn(2, 1_200)))
    for before in (plan, keeping(plan, u("Go on."))):
        written, _ = write(before)
        assert [one["kind"] for one in mends(written)] == ["failure"]
    later = keeping(plan, u(RULE), *ran("9 passed in 1s\n"), a("Now it works."))
    after, _ = write(later)
    assert mends(after) == []


def test_a_claim_that_what_stays_contradicts_is_told() -> None:
    def model(ask: CompletionRequest) -> Completion:
        return Completion(good(ask).text.replace("### Done\n", f"### Done\n- [x] `{RUN}` passes\n"))

    plan = keeping(prepared(turns(3, 1_200)), u("Again."), *ran("1 failed, 8 passed in 1s\n", True))
    written, _ = write(plan, model)
    assert f"- [x] `{RUN}` passes [ctxmgr: failed when last run: 1 failed, 8 passed]\n" in written.summary
    assert mends(written) == [{"kind": "outcome", "text": RUN, "corrected": True}]


def test_a_branch_that_was_left_is_checked_by_what_it_shows() -> None:
    said = told(u(RULE), a("Yes."), *ran("1 failed in 1s\n", True), *turn(1, 1_200), *turn(2, 1_200))
    brief = SummaryInput(branch_prepared(said), quarters, ledger=knowing(u("Never change the database.")))
    written, _ = run(branch_summary(brief), good)
    assert [one["kind"] for one in mends(written)] == ["constraint", "failure"]
    assert "database" not in written.summary


def test_what_is_added_weighs_a_quarter_of_what_it_replaces_at_most() -> None:
    many: tuple[BranchMessage, ...] = told(*(u(f"Never change the module number_{one}.") for one in range(60)))
    written, _ = write(prepared(many), lambda ask: Completion(filled(shape_in(ask.prompt), "x")))
    units = sum(message.utf16_units for message in many)
    added = written.summary.partition(ADDED_HEADING)[2]
    assert 0 < quarters(added) <= units // 16


def test_a_commit_that_no_message_names_is_told_so() -> None:
    seen = [*turn(1, 1_200), u("Look at commit 99aa11b first."), a("Yes."), *turn(2, 1_200), *turn(3, 1_200)]

    def model(ask: CompletionRequest) -> Completion:
        more = "- Commit 99aa11b broke it\n- Commit deadbee mended it\n"
        return Completion(f"{filled(shape_in(ask.prompt))}\n{more}")

    written, _ = write(prepared(told(*seen)), model)
    assert "Commit 99aa11b broke it\n" in written.summary
    assert "Commit deadbee mended it [ctxmgr: no message names a commit deadbee]" in written.summary
    assert mends(written)[0] == {"kind": "git", "text": "deadbee", "corrected": True}


def test_a_turns_context_that_is_the_summary_again_is_left_out() -> None:
    words = filled(SHAPES[0])
    written, _ = write(prepared(told(*RULED), turns(1, 1_200, start=4)), lambda ask: Completion(words))
    assert MARK not in written.summary
