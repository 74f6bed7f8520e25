"""Finds where a list last loaded each tool, since the model can call it only while that message is there."""

from ctxmgr.engine.conversation import ConversationIndex, Steps, carried, goes_on, steps_of
from ctxmgr.model import once


@carried
def loading_places(conversation: ConversationIndex, before: dict[str, int] | None, start: int) -> dict[str, int]:
    """By tool, the index of the newest message that loads it."""
    new = {
        tool: index
        for index in range(start, conversation.size)
        for block in conversation.messages[index].view.blocks
        for tool in block.loads
    }
    return {**before, **new} if before and new else before or new


@once
def loading_steps(conversation: ConversationIndex) -> frozenset[int]:
    """The messages of the steps that last loaded a tool, by index."""
    places = frozenset(loading_places(conversation).values())
    steps = _steps(conversation).steps if places else ()
    return frozenset(
        index for step in steps if not places.isdisjoint(step.message_indices) for index in step.message_indices
    )


@carried
def _steps(conversation: ConversationIndex, before: Steps | None, start: int) -> Steps:
    return steps_of(conversation, before, start, lambda listed, index: goes_on(listed.messages, index))
