"""What a model wrote is held against what is known, in every strategy: what it lacks is added, and the details say
which."""

from typing import Any

import msgspec

from ctxmgr.engine.memory import facts_of, fold
from ctxmgr.engine.memory.markdown import ADDED_HEADING, sections_of
from ctxmgr.model.compaction import CompactionPlan, Completion, CompletionRequest, FileLists
from ctxmgr.model.saved import Ledger
from ctxmgr.summarize.brief import FinishedSummary
from tests.notation import Said, a, call, err, r, u
from tests.unit.summarize.scripted import filled, prepared, shape_in, told, turn
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


def test_what_a_model_left_out_is_added_in_every_strategy() -> None:
    for strategy in [one for one in STRATEGIES if one != "extractive"]:
        written, _ = write(prepared(told(*RULED), files=FILES), working, strategy=strategy, slices=SMALL)
        assert f'{ADDED_HEADING}\n\n### The user said (word for word)\n- #1: "{RULE}"' in written.summary, strategy
        assert written.summary.endswith("<modified-files>\nb.py\n</modified-files>"), strategy
        assert mends(written) == [{"kind": "user", "text": f'#1: "{RULE}"'}], strategy
        said = [
            item.text for part in sections_of(written.summary) if part.kind == "messages" for item in part.items
        ]
        assert f'#1: "{RULE}"' in said, strategy


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
