"""Steps: which messages leave as one, and which belong to none."""

from hypothesis import given

from ctxmgr.engine.conversation import is_waiting
from ctxmgr.engine.invariants import STEPS
from ctxmgr.model.messages import Block, Message, View
from tests.conversations import any_list, pairs
from tests.notation import Said, a, branch, call, indexed, note, packet, r, sh, summary, talk, u

READ = call("read", path="x")
Parts = tuple[tuple[int, ...], tuple[int, ...]]

# name, conversation, (said, results) of each step, fixed indices
TABLE: list[tuple[str, list[Said], list[Parts], list[int]]] = [
    ("nothing", [], [], []),
    ("a reply", [u("go"), a("ok")], [((1,), ())], [0]),
    ("a step", [u("go"), a(READ), r("x"), a("ok")], [((1,), (2,)), ((3,), ())], [0]),
    ("several results", [a(READ, READ), r("x"), r("y")], [((0,), (1, 2))], []),
    ("a late result belongs to its call", [a(READ), a("ok"), u("go"), r("x")], [((0,), (3,)), ((1,), ())], [2]),
    ("a call without a result", [a(READ)], [((0,), ())], []),
    ("a result without a call", [u("go"), r("x", "c9"), a("ok")], [((2,), ())], [0, 1]),
    ("the user's shell run", [u("go"), sh("ls", "x"), a("ok")], [((), (1,)), ((2,), ())], [0]),
    ("what a host said", [note("n"), summary("s"), branch("b"), packet(), a("ok")], [((4,), ())], [0, 1, 2, 3]),
    ("a role not known", [Said({"role": "tomorrow"}), a("ok")], [((1,), ())], [0]),
]


def test_what_goes_as_one() -> None:
    for name, said, steps, fixed in TABLE:
        messages = talk(*said)
        found = STEPS.steps(indexed(messages))
        assert [(step.assistant_indices, step.result_indices) for step in found.steps] == steps, name
        assert list(found.fixed_indices) == fixed, name
        assert not any(step.bound for step in found.steps), name


# name, conversation, does a call of each step wait for its result?
WAITING: list[tuple[str, list[Said], list[bool]]] = [
    ("no call", [a("ok"), sh("ls", "x")], [False, False]),
    ("at the end", [u("go"), a(READ)], [True]),
    ("answered", [a(READ), r("x")], [False]),
    ("one of two", [a(READ, READ), r("x")], [True]),
    ("a user who was not answered", [a(READ), a("ok"), u("on"), note("n")], [True, False]),
    ("given up", [a(READ), u("on"), a("ok")], [False, False]),
    ("not for good", [a(READ), u("on"), a("ok"), r("x")], [False, False]),
    ("an answer to who spoke before it", [u("go"), a(READ), a("ok")], [True, False]),
    ("an id used again before it is answered", [a(call("read", "x")), a(call("read", "x"))], [True]),
]


def test_which_steps_wait_for_a_result() -> None:
    for name, said, waiting in WAITING:
        index = indexed(talk(*said))
        assert [is_waiting(index, step) for step in STEPS.steps(index).steps] == waiting, name


def test_one_message_that_answers_two_steps_binds_both() -> None:
    said = talk(a(call("read", "x1")), a(call("read", "x2")))
    both = View("result", tuple(Block("result", at, "x", f"x{at + 1}", can_edit=True) for at in (0, 1)))
    messages = (*said, Message(b"{}", "d", both, (1, 1), 2))
    found = STEPS.steps(indexed(messages))
    assert [(step.assistant_indices, step.bound) for step in found.steps] == [((0,), True), ((1,), True)]
    assert found.fixed_indices == (2,)


@given(any_list)
def test_each_message_is_in_one_place_and_no_pair_is_parted(messages: tuple[Message, ...]) -> None:
    found = STEPS.steps(indexed(messages))
    places = [
        *found.fixed_indices,
        *(at for step in found.steps for at in (*step.assistant_indices, *step.result_indices)),
    ]
    assert sorted(places) == list(range(len(messages)))
    for at in found.fixed_indices:
        assert messages[at].view.role not in ("assistant", "shell")
    whole = {
        at: {*step.assistant_indices, *step.result_indices}
        for step in found.steps
        for at in (*step.assistant_indices, *step.result_indices)
    }
    bound = {at for step in found.steps if step.bound for at in step.assistant_indices}
    for (at, _), asked in pairs(messages).items():
        assert at in whole[asked] or (at in found.fixed_indices and asked in bound)
    starts = [min((*step.assistant_indices, *step.result_indices)) for step in found.steps]
    assert starts == sorted(starts)
