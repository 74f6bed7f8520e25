"""By which means a plan is brought to fit, in which order, and that none goes further than it has to."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.fit import CutLast, FitInputs, MediaLimits, fitted
from ctxmgr.engine.fit.fitting import LEAST_TOKENS, TARGET_SHARE
from ctxmgr.engine.invariants import STEPS, TURNS, Invariants
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import BlockEdit, Keep, Plan
from tests.conversations import any_list
from tests.notation import Said, a, call, indexed, note, quarters, r, sh, talk, think, u
from tests.unit.engine.judge import judged
from tests.unit.engine.projections import edited, kept

LOG = "\n".join(f"line {number}" for number in range(1_600))  # about 4,000 tokens
ANY = MediaLimits(math.inf, math.inf, lambda one: 100)
READ = call("read", path="p")
WRITE = call("write", path="p", content=LOG)


def whole(messages: tuple[Message, ...]) -> Plan:
    weight = sum(message.weight for message in messages)
    return Plan((Keep(0, len(messages)),) if messages else (), "green", 0, weight, weight, {})


def fit(
    messages: tuple[Message, ...],
    limit: float,
    rules: Invariants = STEPS,
    **more: Any,
) -> Plan:
    ask = FitInputs(limit, quarters, rules, lambda key: "", ANY, **more)
    plan = fitted(indexed(messages), whole(messages), ask).plan
    assert rules.check(indexed(messages), plan)[0] == ()
    assert judged(messages, plan, rules is STEPS) == set()
    return plan


def step(text: str) -> list[Said]:
    return [a("so", READ), r(text)]


def test_the_working_set_is_cut_only_where_cutting_all_else_does_not_do() -> None:
    messages = talk(u("go"), *step(LOG), *step(LOG * 2), *step("x"))
    assert edited(fit(messages, 9_500, last=CutLast(working_set=lambda: 3))) == {2: "cut"}
    smaller = fit(messages, 5_000, last=CutLast(working_set=lambda: 3))
    assert edited(smaller) == {4: "cut"}
    assert kept(smaller) == [0, 3, 4, 5, 6]


SIGNED = [a(think("hm"), WRITE), r("ok")]
# what is said, the limit, what is cut by index, what leaves
MEANS: list[tuple[str, list[Said], int, dict[int, str], list[int]]] = [
    ("what fits stays", [u("go"), *step(LOG)], 5_000, {}, []),
    ("a result", [u("go"), *step(LOG), *step("x")], 3_000, {2: "cut"}, []),
    ("of two the heavier", [u("go"), *step(LOG), *step(LOG * 3), *step("x")], 12_000, {4: "cut"}, []),
    ("of two as heavy both", [u("go"), *step(LOG), *step(LOG), *step("x")], 4_000, {2: "cut", 4: "cut"}, []),
    ("a user's own run", [u("go"), sh("make", LOG), *step("x")], 3_000, {1: "cut"}, []),
    ("then arguments", [u("go"), a(WRITE), r("ok"), *step("x")], 3_000, {1: "cut"}, []),
    ("not the newest call's", [u("go"), a(WRITE), r("ok")], 3_000, {}, []),
    ("nor signed ones: then the step", [u("go"), *SIGNED, u("on"), *step("x")], 3_000, {}, [1, 2]),
    ("the oldest step", [u("go"), a(LOG), a(LOG), a("ok")], 6_000, {}, [1]),
    ("before it what was pasted", [u(LOG * 3), a(LOG), u("on"), a("ok")], 12_000, {0: "cut"}, []),
    ("texts after it", [u(LOG), a("ok"), u("on"), a("ok")], 3_000, {0: "cut"}, [1]),
    ("and noted", [u("go"), note(LOG), a("ok")], 3_000, {1: "cut"}, []),
    ("the newest user's middle last", [u(LOG * 3), a("ok")], 6_000, {0: "cut"}, []),
]


def test_means() -> None:
    for name, said, limit, cut, gone in MEANS:
        messages = talk(*said)
        plan = fit(messages, limit)
        assert edited(plan) == cut, name
        assert [at for at in range(len(messages)) if at not in kept(plan)] == gone, name
        assert plan.blocks_cut == len(cut), name
        if cut and not gone:
            assert 0.9 * limit <= plan.weight <= TARGET_SHARE * limit, name


MIXED = talk(
    *[u(LOG), a("a", call("write", path="w", content=LOG)), r("ok"), note(LOG), *step(LOG * 2)],
    *[u("mid"), a(LOG, READ), r(LOG), sh("make", LOG), u("new " + LOG * 2)],
    *[a("so", call("read", path="q"), call("read", path="z")), r(LOG), r("x" * 900)],
)
NEWEST = CutLast(working_set=lambda: 9)
INSTRUCTIONS = CutLast(blocks=lambda: frozenset({BlockRef(3, 0), BlockRef(8, 0)}))

# limit, rules, what differs in the ask, weight, what a cut block weighs by message, what leaves, what is too big
FITTED: list[tuple[int, Invariants, dict[str, Any], int, dict[int, int], list[int], list[int]]] = [
    (20_000, STEPS, {}, 18_755, {1: 1625, 5: 497, 9: 498, 12: 998}, [7, 8], []),
    (16_000, STEPS, {}, 15_926, {12: 797}, [1, 2, 4, 5, 7, 8, 9], []),
    (9_000, STEPS, {}, 8_546, {0: 183, 3: 183, 12: 497}, [1, 2, 4, 5, 7, 8, 9], []),
    (5_000, STEPS, {}, 4_892, {0: 59, 3: 59, 10: 4040, 12: 497}, [1, 2, 4, 5, 7, 8, 9], []),
    (3_000, STEPS, {}, 4_892, {0: 59, 3: 59, 10: 4040, 12: 497}, [1, 2, 4, 5, 7, 8, 9], [10, 12, 13, 0, 3]),
    (33_000, STEPS, {"last": NEWEST}, 31_337, {1: 4031, 5: 497, 8: 497}, [], []),
    (20_000, TURNS, {"turns_stay": True}, 18_755, {1: 1625, 5: 497, 9: 498, 12: 998}, [7, 8], []),
    (9_000, TURNS, {"turns_stay": True}, 8_546, {0: 183, 3: 183, 12: 497}, [1, 2, 4, 5, 7, 8, 9], []),
    (20_000, STEPS, {"last": INSTRUCTIONS}, 18_998, {0: 59, 10: 6530, 12: 998}, [1, 2, 4, 5, 9], []),
]


def test_a_list_of_everything() -> None:
    for limit, rules, more, weight, cut, gone, too_big in FITTED:
        plan = fit(MIXED, limit, rules, **more)
        edits = [piece for piece in plan.pieces if isinstance(piece, BlockEdit)]
        assert {edit.message_index: edit.after_tokens for edit in edits} == cut, limit
        assert [index for index in range(len(MIXED)) if index not in kept(plan)] == gone, limit
        assert (plan.weight, plan.dropped, plan.blocks_cut) == (weight, len(gone), len(cut)), limit
        assert [one.index for one in plan.too_big] == too_big, limit


def test_by_turns_the_oldest_are_to_leave() -> None:
    messages = talk(u("1"), a(LOG), u("2"), a(LOG), u("3"), a("ok"))
    ask = FitInputs(6_000, quarters, TURNS, lambda key: "", ANY)
    assert fitted(indexed(messages), whole(messages), ask).turns_from == 2
    assert fitted(indexed(messages), whole(messages), FitInputs(3_000, quarters, TURNS, str, ANY)).turns_from == 4
    assert kept(fit(messages, 3_000, TURNS, turns_stay=True)) == [0, 2, 4, 5]


@given(any_list, st.integers(0, 6_000), st.booleans())
def test_any_list_fits_or_all_that_could_be_cut_is(messages: tuple[Message, ...], limit: int, steps: bool) -> None:
    rules = STEPS if steps else TURNS
    plan = fit(messages, limit, rules, turns_stay=True)
    assert bool(plan.too_big) == (plan.weight > limit)
    assert plan == fit(messages, limit, rules, turns_stay=True)
    cuts = [piece for piece in plan.pieces if isinstance(piece, BlockEdit)]
    if not cuts:
        return
    dropped = len(kept(plan)) < len(messages)
    heaviest = max(edit.before_tokens for edit in cuts)
    assert dropped or plan.weight >= 0.9 * min(limit, plan.weight) or heaviest <= LEAST_TOKENS
