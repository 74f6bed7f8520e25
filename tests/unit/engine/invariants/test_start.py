"""What a list may start with: prompts that came inside it may not come to be first."""

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants import STEPS, set_aside
from ctxmgr.model import Keep, Message
from tests.notation import a, indexed, talk, u
from tests.unit.engine.invariants.plans import PACKET, plan_of

LONG = u("go " * 20)


def prompted(place: int) -> tuple[Message, ...]:
    """A list with a prompt at this place."""
    said = [LONG, a("ok"), LONG, a("ok")]
    found = list(talk(*said))
    view = msgspec.structs.replace(found[0].view, role="prompt", opens_turn=False)
    prompt = msgspec.structs.replace(found[0], view=view, digest="p")
    return (*found[:place], prompt, *found[place:])


def faults(messages: tuple[Message, ...], *pieces: object) -> tuple[str, ...]:
    conversation: ConversationIndex = indexed(messages)
    return STEPS.check(conversation, plan_of(messages, *pieces))[0]  # type: ignore[arg-type]


def test_a_prompt_that_came_in_front_is_set_aside() -> None:
    messages = prompted(0)
    assert set_aside(indexed(messages), 0)
    assert faults(messages, Keep(0, 1), PACKET, Keep(3, 5)) == ()


def test_one_that_came_behind_a_user_may_not_be_first() -> None:
    messages = prompted(1)
    assert not set_aside(indexed(messages), 1)
    assert faults(messages, Keep(1, 2), PACKET, Keep(3, 5)) == ("start",)
    assert faults(messages, PACKET, Keep(1, 2), Keep(3, 5)) == ()
    assert faults(messages, Keep(0, 2), Keep(3, 5)) == ()
