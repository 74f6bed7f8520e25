"""What a model wrote is held against what is known, in every strategy: what it lacks is added, and the details say
which."""

from typing import Any

import msgspec
import pytest

from ctxmgr.engine.memory import facts_of, fold
from ctxmgr.engine.memory.markdown import ADDED_HEADING, sections_of
from ctxmgr.model.compaction import (
    BranchMessage,
    CompactionPlan,
    Completion,
    CompletionRequest,
    FileLists,
    Strategy,
)
from ctxmgr.model.saved import Ledger
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.previous_summary import TURN_MARK
from ctxmgr.summarize.writing import branch_summary
from tests.notation import Said, a, call, err, quarters, r, u
from tests.unit.summarize.scripted import (
    SHAPES,
    branch_prepared,
    filled,
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
WORK = [*turn(1, 1_200), *turn(2, 1_200), *turn(3, 1_200)]
RULED = [u(RULE), a("Understood."), *WORK]
FILES = FileLists(edited=("b.py",))
TOLD = "\n".join(f"- Please mend part {number} of the parser in src/part{number}.py." for number in range(1, 10))


def ran(output: str, failed: bool = False) -> list[Said]:
    return [a(call("bash", command=RUN)), (err if failed else r)(output)]


def knowing(*said: Said) -> Ledger:
    """What a session knows that heard this, at times of its own."""
    moved = [msgspec.structs.replace(one, time_ms=1_700_000_000_000 + one.time_ms) for one in facts_of(told(*said))]
    return fold(Ledger(), moved)


def keeping(plan: CompactionPlan, *recent: Said) -> CompactionPlan:
    return msgspec.structs.replace(plan, recent=told(*recent))


def mends(written: FinishedSummary) -> Any:
    return ctxmgr(written).get("mended", [])


def working(ask: CompletionRequest) -> Completion:
    """A model that tells what was asked for in each turn of work, and nothing else that was said."""
    return Completion(f"{filled(shape_in(ask.prompt))}\n{TOLD}\n")


@pytest.mark.parametrize("strategy", [one for one in STRATEGIES if one != "extractive"])
def test_what_a_model_left_out_is_added_in_every_strategy(strategy: Strategy) -> None:
    written, _ = write(prepared(told(*RULED), files=FILES), working, strategy=strategy, slices=SMALL)
    assert f'{ADDED_HEADING}\n\n### The user said (word for word)\n- #1: "{RULE}"' in written.summary
    assert written.summary.endswith("<modified-files>\nb.py\n</modified-files>")
    assert mends(written) == [{"kind": "user", "text": f'#1: "{RULE}"'}]
    said = [item.text for part in sections_of(written.summary) if part.kind == "messages" for item in part.items]
    assert f'#1: "{RULE}"' in said


def test_what_the_session_heard_long_before_is_known_by_its_number() -> None:
    heard = knowing(u("Begin."), a("Yes."), u(RULE), *WORK)
    for plan in (prepared(told(*WORK), previous=H), keeping(prepared(told(*WORK), previous=H), u("Go on."))):
        written, _ = write(plan, lambda ask: Completion(f"{working(ask).text}- Begin\n"), ledger=heard)
        assert mends(written) == [{"kind": "user", "text": f'#2: "{RULE}"'}]


def test_of_a_session_that_knows_nothing_the_summary_before_tells_what_the_user_said() -> None:
    previous = f'{H}\n\n{ADDED_HEADING}\n\n### The user said (word for word)\n- #7: "{RULE}"'
    plan = prepared(told(u("Use tabs."), a("Yes."), *WORK), previous=previous + LISTS)
    written, _ = write(plan, working)
    assert f'- #7: "{RULE}"\n- #8: "Use tabs."' in written.summary
    assert len(mends(written)) == 2


def test_what_stays_beside_the_summary_is_not_added_but_counts() -> None:
    broken = [u("Run them."), *ran("FAILED tests/test_login.py::test_x\n1 failed in 1s\n", True), a("It fails.")]
    plan = prepared(told(*broken, *turn(1, 1_200), *turn(2, 1_200)))
    for before in (plan, keeping(plan, u("Go on."))):
        written, _ = write(before, working)
        assert [one["kind"] for one in mends(written)] == ["user", "failure"]
        assert "Go on." not in written.summary
    later = keeping(plan, u(RULE), *ran("9 passed in 1s\n"), a("Now it works."))
    after, _ = write(later, working)
    assert [one["kind"] for one in mends(after)] == ["user"]
    assert RULE not in after.summary


def test_a_branch_that_was_left_is_held_against_what_it_shows() -> None:
    said = told(u(RULE), a("Yes."), *ran("1 failed in 1s\n", True), *turn(1, 1_200), *turn(2, 1_200))
    brief = SummaryInput(branch_prepared(said), quarters, ledger=knowing(u("Never change the database.")))
    written, _ = run(branch_summary(brief), working)
    assert [one["kind"] for one in mends(written)] == ["user", "failure"]
    assert "database" not in written.summary


def test_what_is_added_weighs_a_quarter_of_what_it_replaces_at_most() -> None:
    many: tuple[BranchMessage, ...] = told(*(u(f"Never change the module number_{one}.") for one in range(60)))
    written, _ = write(prepared(many), lambda ask: Completion(filled(shape_in(ask.prompt), "x")))
    units = sum(message.utf16_units for message in many)
    added = written.summary.partition(ADDED_HEADING)[2]
    assert 0 < quarters(added) <= units // 16
    assert "number_59" in added


def test_a_turns_context_that_is_the_summary_again_is_left_out() -> None:
    words = filled(SHAPES[0])
    written, _ = write(prepared(told(*RULED), turns(1, 1_200, start=4)), lambda ask: Completion(words))
    assert TURN_MARK not in written.summary


def test_without_a_model_nothing_is_mended() -> None:
    written, _ = write(prepared(told(*RULED)), strategy="extractive")
    fallen, _ = write(prepared(told(*RULED)), lambda ask: Completion(stop="error"))
    for one in (written, fallen):
        assert ADDED_HEADING not in one.summary
        assert RULE in one.summary
        assert "mended" not in ctxmgr(one)


def test_it_stands_before_the_context_of_a_cut_turn() -> None:
    written, _ = write(prepared(told(*RULED), turns(1, 1_200, start=4)))
    history, _, context = written.summary.partition(TURN_MARK)
    assert ADDED_HEADING in history
    assert ADDED_HEADING not in context
    assert context.lstrip().startswith("## Original Request")
