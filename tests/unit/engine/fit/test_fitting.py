"""By which means a plan is brought to fit, in which order, and that none goes further than it has to."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.fit import CutLast, FitInputs, MediaLimits, fitted, unfit
from ctxmgr.engine.fit.fitting import ENDS_TOKENS, LEAST_TOKENS, TARGET_SHARE
from ctxmgr.engine.invariants import STEPS, TURNS, Invariants
from ctxmgr.engine.rewriting.rewrite import rewriter
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import BlockEdit, Decision, Keep, Plan
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


def test_steps_of_the_working_set_leave_last() -> None:
    messages = talk(u("go"), a(LOG), a(LOG), a(LOG), a("ok"))
    assert kept(fit(messages, 9_000, last=CutLast(working_set=lambda: 2))) == [0, 2, 3, 4]
    assert kept(fit(messages, 5_000, last=CutLast(working_set=lambda: 2))) == [0, 3, 4]


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


@pytest.mark.parametrize(("name", "said", "limit", "cut", "gone"), MEANS, ids=[row[0] for row in MEANS])
def test_means(name: str, said: list[Said], limit: int, cut: dict[int, str], gone: list[int]) -> None:
    messages = talk(*said)
    plan = fit(messages, limit)
    assert edited(plan) == cut
    assert [at for at in range(len(messages)) if at not in kept(plan)] == gone
    assert plan.blocks_cut == len(cut)
    if cut and not gone:
        assert 0.9 * limit <= plan.weight <= TARGET_SHARE * limit


MIXED = talk(
    *[u(LOG), a("a", call("write", path="w", content=LOG)), r("ok"), note(LOG), *step(LOG * 2)],
    *[u("mid"), a(LOG, READ), r(LOG), sh("make", LOG), u("new " + LOG * 2)],
    *[a("so", call("read", path="q"), call("read", path="z")), r(LOG), r("x" * 900)],
)
NEWEST = CutLast(working_set=lambda: 9)
NEWEST_OF_8_000 = CutLast(working_set=lambda: 9, target_tokens=8_000)
INSTRUCTIONS = CutLast(blocks=lambda: frozenset({BlockRef(3, 0), BlockRef(8, 0)}))

# limit, rules, what differs in the ask, weight, what a cut block weighs by message, what leaves, what is too big
FITTED: list[tuple[int, Invariants, dict[str, Any], int, dict[int, int], list[int], list[int]]] = [
    (60_000, STEPS, {}, 41_610, {}, [], []),
    (44_000, STEPS, {}, 41_610, {}, [], []),
    (38_000, STEPS, {}, 36_092, {5: 3126, 8: 3123, 9: 3125}, [], []),
    (33_000, STEPS, {}, 31_343, {5: 1542, 8: 1542, 9: 1541}, [], []),
    (28_000, STEPS, {}, 26_596, {5: 497, 8: 497, 9: 498, 12: 2109}, [], []),
    (24_000, STEPS, {}, 22_489, {1: 935, 5: 497, 8: 497, 9: 498, 12: 1197}, [], []),
    (20_000, STEPS, {}, 18_755, {1: 1625, 5: 497, 9: 498, 12: 998}, [7, 8], []),
    (16_000, STEPS, {}, 15_926, {12: 797}, [1, 2, 4, 5, 7, 8, 9], []),
    (12_000, STEPS, {}, 11_396, {0: 1558, 3: 1558, 12: 597}, [1, 2, 4, 5, 7, 8, 9], []),
    (9_000, STEPS, {}, 8_546, {0: 183, 3: 183, 12: 497}, [1, 2, 4, 5, 7, 8, 9], []),
    (7_000, STEPS, {}, 6_647, {0: 59, 3: 59, 10: 5795, 12: 497}, [1, 2, 4, 5, 7, 8, 9], []),
    (5_000, STEPS, {}, 4_892, {0: 59, 3: 59, 10: 4040, 12: 497}, [1, 2, 4, 5, 7, 8, 9], []),
    (3_000, STEPS, {}, 4_892, {0: 59, 3: 59, 10: 4040, 12: 497}, [1, 2, 4, 5, 7, 8, 9], [10, 12, 13, 0, 3]),
    (33_000, STEPS, {"last": NEWEST}, 31_337, {1: 4031, 5: 497, 8: 497}, [], []),
    (20_000, STEPS, {"last": NEWEST}, 18_996, {0: 1933, 3: 1933}, [1, 2, 4, 5, 7, 8], []),
    (9_000, STEPS, {"last": NEWEST}, 8_796, {0: 59, 3: 59, 9: 498, 12: 497}, [1, 2, 4, 5, 7, 8], []),
    (
        3_000,
        STEPS,
        {"last": NEWEST},
        4_892,
        {0: 59, 3: 59, 10: 4040, 12: 497},
        [1, 2, 4, 5, 7, 8, 9],
        [10, 12, 13, 0, 3],
    ),
    (
        33_000,
        STEPS,
        {"last": NEWEST_OF_8_000, "target_tokens": 15_000},
        15_248,
        {0: 59, 3: 59},
        [1, 2, 4, 5, 7, 8],
        [],
    ),
    (20_000, TURNS, {"turns_stay": True}, 18_755, {1: 1625, 5: 497, 9: 498, 12: 998}, [7, 8], []),
    (9_000, TURNS, {"turns_stay": True}, 8_546, {0: 183, 3: 183, 12: 497}, [1, 2, 4, 5, 7, 8, 9], []),
    (20_000, STEPS, {"last": INSTRUCTIONS}, 18_998, {0: 59, 10: 6530, 12: 998}, [1, 2, 4, 5, 9], []),
    (
        5_000,
        STEPS,
        {"last": INSTRUCTIONS},
        8_679,
        {0: 59, 3: 59, 8: 59, 10: 4040, 12: 497},
        [1, 2, 4, 5, 9],
        [10, 7, 12, 13, 0],
    ),
]


@pytest.mark.parametrize(("limit", "rules", "more", "weight", "cut", "gone", "too_big"), FITTED)
def test_a_list_of_everything(
    limit: int,
    rules: Invariants,
    more: dict[str, Any],
    weight: int,
    cut: dict[int, int],
    gone: list[int],
    too_big: list[int],
) -> None:
    plan = fit(MIXED, limit, rules, **more)
    edits = [piece for piece in plan.pieces if isinstance(piece, BlockEdit)]
    assert {edit.message_index: edit.after_tokens for edit in edits} == cut
    assert [index for index in range(len(MIXED)) if index not in kept(plan)] == gone
    assert (plan.weight, plan.dropped, plan.blocks_cut) == (weight, len(gone), len(cut))
    assert [one.index for one in plan.too_big] == too_big


def test_by_turns_the_oldest_are_to_leave() -> None:
    messages = talk(u("1"), a(LOG), u("2"), a(LOG), u("3"), a("ok"))
    ask = FitInputs(6_000, quarters, TURNS, lambda key: "", ANY)
    assert fitted(indexed(messages), whole(messages), ask).turns_from == 2
    assert fitted(indexed(messages), whole(messages), FitInputs(3_000, quarters, TURNS, str, ANY)).turns_from == 4
    assert kept(fit(messages, 3_000, TURNS, turns_stay=True)) == [0, 2, 4, 5]


def test_by_turns_old_steps_of_the_last_one_leave_as_well() -> None:
    messages = talk(u("1"), a(LOG), u("2"), *(a(think("hm"), LOG) for _ in range(4)), sh("make", "x"))
    assert kept(fit(messages, 11_000, TURNS, turns_stay=True)) == [0, 2, 5, 6, 7]
    assert kept(fit(messages, 3_000, TURNS, turns_stay=True)) == [0, 2, 6, 7]  # the newest answer stays
    assert fit(messages, 3_000, TURNS, turns_stay=True).too_big != ()


def test_a_step_that_would_bring_it_far_below_stays_and_nothing_else_is_cut() -> None:
    step_tokens = sum(message.weight for message in talk(a(LOG)))
    messages = talk(u(LOG), *(a(think("hm"), LOG) for _ in range(9)), u("on"), a("ok"))
    limit = round(6.05 * step_tokens)  # six of them are more than it is brought to, and fit
    plan = fit(messages, limit, turns_stay=True)
    assert (edited(plan), plan.dropped) == ({}, 4)
    assert 0.95 * limit < plan.weight <= limit


def test_what_left_is_out_as_long_as_all_of_it_was_decided() -> None:
    said = [u("go"), *(one for at in range(3) for one in (a(f"step {at}", READ), r(LOG)))]
    messages = talk(*said)
    index = indexed(messages)
    decisions = {index.key(at): Decision("dropped", to_fit=True) for at in (1, 2, 3, 5, 6)}
    assert unfit(index, decisions, TURNS) == {1, 2}  # of the next step half was, and the newest stays
    assert unfit(indexed(messages[:3]), decisions, TURNS) == set()
    assert unfit(index, {at: Decision("dropped") for at in decisions}, TURNS) == set()


def test_where_all_else_does_not_do_older_results_are_cut_to_a_few_words() -> None:
    waits = [a(*[READ] * 31), *(r(LOG) for _ in range(30))]  # a step whose call is not answered does not leave
    messages = talk(u("go"), *waits, a("so", call("read", "x")), r(LOG, "x"))
    plan = fit(messages, 5_000, TURNS)
    weights = {piece.message_index: piece.after_tokens for piece in plan.pieces if isinstance(piece, BlockEdit)}
    assert plan.too_big == ()
    assert weights.pop(33) > LEAST_TOKENS * 0.9
    assert max(weights.values()) < 200


def test_the_newest_users_ends_stay_whatever_else_does_not_fit() -> None:
    text = LOG * 9
    plan = fit(talk(u(text)), 1_000)
    (edit,) = (piece for piece in plan.pieces if isinstance(piece, BlockEdit))
    size = 4 * ENDS_TOKENS
    assert (edit.text[:size], edit.text[-size:]) == (text[:size], text[-size:])
    (big,) = plan.too_big
    assert (big.kind, big.index, big.tokens) == ("user", 0, plan.weight)


def test_what_is_cut_again_is_cut_of_what_came() -> None:
    messages = talk(u("go"), *step(LOG * 3))
    first = fit(messages, 9_000)
    ask = FitInputs(4_000, quarters, STEPS, str, ANY)
    again = fitted(indexed(messages), first, ask).plan
    assert again.pieces == fitted(indexed(messages), whole(messages), ask).plan.pieces


def test_a_decision_gives_back_what_was_written() -> None:
    messages = talk(u("go"), *step(LOG))
    plan = fit(messages, 2_000)
    (edit,) = (piece for piece in plan.pieces if isinstance(piece, BlockEdit))
    written = rewriter(indexed(messages), lambda text: -1)(
        indexed(messages).results(2)[0][0], plan.decisions[edit.key]
    )
    assert written == (edit.text, edit.after_tokens)


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
