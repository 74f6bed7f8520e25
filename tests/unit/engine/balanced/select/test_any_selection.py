"""Of any list what is taken fits the budget, and what is held stays."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.balanced import identifiers
from ctxmgr.engine.balanced.reuse_value import worths
from ctxmgr.engine.balanced.select import ERROR_TOKENS, LIGHT_TOKENS, MARKER_TOKENS, SelectionProblem, select
from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.conversation.steps import Steps, is_waiting
from ctxmgr.engine.invariants import STEPS
from ctxmgr.model.messages import Message
from tests.notation import indexed
from tests.unit.engine.stepwise import LARGE, any_list, problem


@st.composite
def asked(draw: st.DrawFn) -> tuple[tuple[Message, ...], Steps, SelectionProblem]:
    messages = draw(any_list)
    index = indexed(messages)
    steps = STEPS.steps(index)
    places = [BlockRef(at, number) for at, one in enumerate(messages) for number in range(len(one.view.blocks))]
    some = st.frozensets(st.sampled_from(places), max_size=4) if places else st.just(frozenset[BlockRef]())
    at = st.frozensets(st.sampled_from(range(len(messages))), max_size=3) if messages else st.just(frozenset[int]())
    return (
        messages,
        steps,
        problem(
            budget_tokens=draw(st.integers(0, 1_500)),
            protected=draw(at),
            names=worths(index, steps.steps),
            stale=draw(some),
            protected_results=draw(some),
        ),
    )


Asked = tuple[tuple[Message, ...], Steps, SelectionProblem]


def held_steps(messages: tuple[Message, ...], steps: Steps, by: SelectionProblem) -> set[int]:
    conversation = indexed(messages)
    return {
        number
        for number, step in enumerate(steps.steps)
        if step.bound
        or is_waiting(conversation, step)
        or conversation.newest_reply in step.assistant_indices
        or any(at in by.protected for at in step.message_indices)
    }


def included_with_step(messages: tuple[Message, ...], place: BlockRef, by: SelectionProblem) -> bool:
    block = messages[place.message_index].view.blocks[place.block_index]
    if block.kind == "shell":
        return False
    light = messages[place.message_index].weights[place.block_index] <= LIGHT_TOKENS
    return light or block.is_error or block.doubtful or not block.can_edit or place in by.protected_results


@settings(max_examples=60)
@given(asked())
def test_what_is_taken_beside_what_is_held_fits_the_budget(given: Asked) -> None:
    """Told again from the choice: messages that stay, results as markers or in full, errors distilled."""
    messages, steps, by = given
    found = select(indexed(messages), steps, by, STEPS)
    held = held_steps(messages, steps, by)
    spent = 0
    for number, step in enumerate(steps.steps):
        if number in held or (step.assistant_indices and step.assistant_indices[0] in found.dropped_messages):
            continue
        for at in (*step.assistant_indices, *step.result_indices):
            for block, weight in enumerate(messages[at].weights):
                ref, kind = BlockRef(at, block), messages[at].view.blocks[block].kind
                if at in found.dropped_messages:
                    continue
                if kind == "result" and ref in found.pruned_results:
                    spent += min(weight, MARKER_TOKENS)
                elif (
                    kind == "result"
                    and messages[at].view.blocks[block].is_error
                    and BlockRef(at, block) not in by.protected_results
                ):
                    spent += min(weight, ERROR_TOKENS)
                else:
                    spent += weight
    assert spent <= by.budget_tokens


@settings(max_examples=60)
@given(asked())
def test_what_is_held_stays_and_steps_go_whole(given: Asked) -> None:
    messages, steps, by = given
    found = select(indexed(messages), steps, by, STEPS)
    for number, step in enumerate(steps.steps):
        places = (*step.assistant_indices, *step.result_indices)
        gone = [at in found.dropped_messages for at in places]
        assert all(gone) or not any(gone)
        if number in held_steps(messages, steps, by):
            assert not any(gone)
    assert found.dropped_messages.isdisjoint(steps.fixed_indices)
    for ref in found.pruned_results:
        assert ref.message_index not in found.dropped_messages
        assert ref.message_index not in by.protected
        assert indexed(messages).block(ref).kind in ("result", "shell")
        assert not included_with_step(messages, ref, by), (
            "errors, light and spared results stay where their step does"
        )


@settings(max_examples=60)
@given(asked())
def test_the_same_wishes_have_the_same_choice(given: Asked) -> None:
    messages, steps, by = given
    first = select(indexed(messages), steps, by, STEPS)
    worth = msgspec.structs.replace(by.worth, names=dict(reversed(list(by.worth.names.items()))))
    shuffled = msgspec.structs.replace(by, worth=worth)
    assert select(indexed(messages), steps, shuffled, STEPS) == first
    assert select(indexed(messages), steps, by, STEPS) == first


@settings(max_examples=60)
@given(asked())
def test_with_room_for_all_what_is_worth_something_is_shown(given: Asked) -> None:
    """Every name of worth is in something that stays, unless all that holds it is covered by later ones or gone."""
    messages, steps, by = given
    found = select(
        indexed(messages), steps, msgspec.structs.replace(by, budget_tokens=LARGE, stale=frozenset()), STEPS
    )
    shown, every = set[str](), set[str]()
    for at, message in enumerate(messages):
        for block, some in enumerate(identifiers.of_message(message)):
            every |= some
            if at not in found.dropped_messages and BlockRef(at, block) not in found.pruned_results:
                shown |= some
    assert {name for name in every if by.worth.names.get(name, 0) > 0} <= shown
