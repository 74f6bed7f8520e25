"""What stays within a budget: by worth a token, and what is held whatever it weighs."""

from typing import Any

import msgspec
import pytest

from ctxmgr.engine.balanced import identifiers
from ctxmgr.engine.balanced.select import MARKER_TOKENS, Selection, select
from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS
from ctxmgr.model.messages import Message
from tests.notation import Said, a, call, err, indexed, r, sh, talk, u
from tests.unit.engine.stepwise import LARGE, code, problem, without

RUN = call("bash", command="make")


def chosen(messages: tuple[Message, ...], **keys: Any) -> Selection:
    return select(indexed(messages), STEPS.steps(indexed(messages)), problem(**keys), BY_WORTH)


BY_WORTH = without(STEPS, "newest step")  # so that the last step competes, too
LONG = code(1)  # 20 lines, over 100 tokens
SAYS = a("see the_name", RUN)
CALL, RESULT, SECOND = BlockRef(0, 1), BlockRef(1, 0), BlockRef(2, 0)

# name, conversation, problem, dropped, pruned
TABLE: list[tuple[str, list[Said], dict[str, Any], set[int], set[BlockRef]]] = [
    ("nothing", [], {}, set(), set()),
    ("what is worth nothing leaves", [u("go"), SAYS, r(LONG)], {"budget_tokens": LARGE}, {1, 2}, set()),
    ("what users said is fixed", [u("go"), u("the_name")], {}, set(), set()),
    ("a step for its name", [SAYS, r(LONG)], {"budget_tokens": LARGE, "names": {"the_name": 1}}, set(), {RESULT}),
    ("not without budget", [SAYS, r(LONG)], {"budget_tokens": 20, "names": {"the_name": 1}}, {0, 1}, set()),
    ("a result for its own", [SAYS, r(LONG)], {"budget_tokens": LARGE, "names": {"func_1_3": 1}}, set(), set()),
    ("it brings its step", [SAYS, r(LONG)], {"budget_tokens": 150, "names": {"func_1_3": 1}}, set(), set()),
    (
        "what a user said is shown already",
        [u("the_name"), SAYS, r(LONG)],
        {"budget_tokens": LARGE, "names": {"the_name": 1}},
        {1, 2},
        set(),
    ),
    (
        "of two that say the same the denser stays",
        [a("see the_name", RUN), r(LONG), a("the_name")],
        {"budget_tokens": LARGE, "names": {"the_name": 1}},
        {0, 1},
        set(),
    ),
    (
        "of two alike the later",
        [a("the_name"), a("the_name")],
        {"budget_tokens": LARGE, "names": {"the_name": 1}},
        {0},
        set(),
    ),
    (
        "what is shown now stays before one as good that would come back",
        [a("the_name"), a("the_name")],
        {"budget_tokens": 6, "names": {"the_name": 1}, "steps_in_place": {0}},
        {1},
        set(),
    ),
    (
        "a result that is shown in full before one as good that is not",
        [a(RUN), r(LONG), a(RUN), r(LONG)],
        {"budget_tokens": 200, "names": {"func_1_3": 1}, "results_in_place": {RESULT}},
        {2, 3},
        set(),
    ),
    ("a step for what it found", [SAYS, r(LONG)], {"budget_tokens": LARGE, "stated": {0: 1}}, set(), {RESULT}),
    (
        "what was found stays before a name worth less",
        [a("it", RUN), r(LONG), a("see the_name", RUN), r(LONG)],
        {"budget_tokens": 50, "names": {"the_name": 1}, "stated": {0: 9}},
        {2, 3},
        {RESULT},
    ),
    ("the newest steps stay", [SAYS, r(LONG), SAYS, r(LONG)], {"protected": {2, 3}}, {0, 1}, set()),
    ("what is held stays with its call", [SAYS, r(LONG)], {"protected": {1}}, set(), set()),
    ("a held call keeps its result", [SAYS, r(LONG)], {"protected": {0}}, set(), set()),
    (
        "of two results the one that is held",
        [a(RUN, RUN), r(LONG), r(LONG)],
        {"protected": {1}},
        set(),
        {SECOND},
    ),
    (
        "and of a held call's too",
        [a(RUN, RUN), r(LONG), r(LONG)],
        {"protected": {0, 1}},
        set(),
        {SECOND},
    ),
    ("an error stays with it", [a(RUN, RUN), r(LONG), err(LONG)], {"protected": {1}}, set(), set()),
    ("and what weighs little", [a(RUN, RUN), r(LONG), r("ok")], {"protected": {1}}, set(), set()),
    (
        "and what is spared",
        [a(RUN, RUN), r(LONG), r(LONG)],
        {"protected": {1}, "protected_results": {SECOND}},
        set(),
        set(),
    ),
    (
        "an error stays where its step does",
        [SAYS, err(LONG)],
        {"budget_tokens": LARGE, "names": {"the_name": 1}},
        set(),
        set(),
    ),
    (
        "a light result too",
        [SAYS, r("done")],
        {"budget_tokens": LARGE, "names": {"the_name": 1}},
        set(),
        set(),
    ),
    (
        "what is covered by later ones leaves first",
        [SAYS, r(LONG)],
        {"budget_tokens": LARGE, "names": {"the_name": 1, "func_1_3": 9}, "stale": {RESULT}},
        set(),
        {RESULT},
    ),
    (
        "not one of two tokens too few",
        [SAYS, r(LONG)],
        {"budget_tokens": 100, "names": {"func_1_3": 1}},
        {0, 1},
        set(),
    ),
    (
        "a light result brings its step",
        [a(RUN), r("the_name")],
        {"budget_tokens": LARGE, "names": {"the_name": 1}},
        set(),
        set(),
    ),
    ("an error too", [a(RUN), err(LONG)], {"budget_tokens": LARGE, "names": {"func_1_3": 1}}, set(), set()),
    (
        "what left does not compete",
        [SAYS, r(LONG)],
        {"budget_tokens": LARGE, "names": {"the_name": 1}, "evicted": {0, 1}},
        {0, 1},
        set(),
    ),
    (
        "the user's shell run",
        [u("go"), sh("ls", LONG)],
        {"budget_tokens": LARGE, "names": {"func_1_3": 1}},
        set(),
        set(),
    ),
    ("leaves whole", [u("go"), sh("ls", LONG)], {}, {1}, set()),
]


@pytest.mark.parametrize(("name", "said", "keys", "dropped", "pruned"), TABLE, ids=[row[0] for row in TABLE])
def test_what_leaves(
    name: str, said: list[Said], keys: dict[str, Any], dropped: set[int], pruned: set[BlockRef]
) -> None:
    found = chosen(talk(*said), **keys)
    assert (set(found.dropped_messages), set(found.pruned_results)) == (dropped, pruned)


def test_a_bound_step_stays_but_its_other_results_may_leave() -> None:
    messages = talk(a(call("bash", "x1"), call("bash", "x2")), r(LONG, "x1"), u("and"))
    user = messages[2]
    block = msgspec.structs.replace(messages[1].view.blocks[0], call_id="x2")
    view = msgspec.structs.replace(user.view, blocks=(*user.view.blocks, block))
    mixed = msgspec.structs.replace(user, view=view, weights=(*user.weights, 5), weight=user.weight + 5)
    found = chosen((*messages[:2], mixed))
    assert (set(found.dropped_messages), set(found.pruned_results)) == (set(), {RESULT})


def test_worth_a_token_decides_not_worth() -> None:
    """Two short steps are worth more than a long one that is worth more than each of them."""
    said = [a("one_name " + "word " * 100), a("two_name"), a("three_name")]
    found = chosen(talk(*said), budget_tokens=30, names={"one_name": 3, "two_name": 2, "three_name": 2})
    assert found.dropped_messages == {0}


def test_what_is_shown_by_then_is_worth_no_more() -> None:
    """The second step was offered for two names, and one of them is shown by the first: now the third is denser."""
    said = [a("one_name"), a("one_name two_name " + "word " * 6), a("three_name " + "word " * 6)]
    worth = {"one_name": 9, "two_name": 1, "three_name": 5}
    messages = talk(*said)
    budget = messages[0].weight + messages[1].weight
    assert chosen(messages, budget_tokens=budget, names=worth).dropped_messages == {1}


@pytest.mark.parametrize(("tokens", "leaves"), [(30, False), (35, False), (60, False), (61, True)])
def test_a_result_of_about_a_markers_weight_stays_with_its_step(tokens: int, leaves: bool) -> None:
    """What a marker would save of it is less than what it tells."""
    messages = talk(SAYS, r("word" * tokens))
    assert messages[1].weights == (tokens,)
    found = chosen(messages, budget_tokens=LARGE, names={"the_name": 1})
    assert (found.dropped_messages, bool(found.pruned_results)) == (frozenset(), leaves)
    just = messages[0].weight + (MARKER_TOKENS if leaves else tokens)
    assert chosen(messages, budget_tokens=just, names={"the_name": 1}).dropped_messages == frozenset()
    assert chosen(messages, budget_tokens=just - 1, names={"the_name": 1}).dropped_messages == {0, 1}


def test_a_message_with_many_calls_is_told_once_not_once_for_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at names grow with the calls, not with their square."""
    looks: list[int] = []
    real = identifiers.of_message

    def counted(message: Message) -> identifiers.Names:
        looks[-1] += 1
        return real(message)

    monkeypatch.setattr(identifiers, "of_message", counted)
    for count in (50, 100):
        looks.append(0)
        messages = talk(
            a("so", *[RUN] * count), *(r(code(number, 2 if number % 2 else 20)) for number in range(count))
        )
        worth = {f"func_{number}_{line}": 1.0 for number in range(count) for line in range(20)}
        found = chosen(messages, budget_tokens=50 * count, names=worth)
        assert len(found.pruned_results) in range(1, count)
    assert looks[1] < 3 * looks[0]
