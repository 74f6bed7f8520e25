"""Turns a list into one whose cut results weigh and say what is shown of them, for who chooses what stays."""

from collections.abc import Container, Iterator

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.model import BlockEdit, Message, Plan


def visible_conversation(conversation: ConversationIndex, plan: Plan, whole: Container[int]) -> ConversationIndex:
    """The same list, where the plan cut nothing that may stay so. `whole`: messages that are to be as they came, by
    index. Keys and places are those of the list; what is cut of a message beside its results counts as it came."""
    edits: dict[int, list[BlockEdit]] = {}
    for edit in _cuts(conversation, plan):
        if edit.message_index not in whole:
            edits.setdefault(edit.message_index, []).append(edit)
    if not edits:
        return conversation
    messages = list(conversation.messages)
    for at, some in edits.items():
        messages[at] = _with(messages[at], some)
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def _cuts(conversation: ConversationIndex, plan: Plan) -> Iterator[BlockEdit]:
    for piece in plan.pieces:
        if isinstance(piece, BlockEdit) and piece.kind == "cut" and piece.text:
            block = conversation.messages[piece.message_index].view.blocks[piece.block_index]
            if block.kind == "result":
                yield piece


def _with(message: Message, edits: list[BlockEdit]) -> Message:
    blocks, weights = list(message.view.blocks), list(message.weights)
    for edit in edits:
        blocks[edit.block_index] = msgspec.structs.replace(blocks[edit.block_index], text=edit.text)
        weights[edit.block_index] = edit.after_tokens
    view = msgspec.structs.replace(message.view, blocks=tuple(blocks))
    weight = message.weight - sum(message.weights) + sum(weights)
    return msgspec.structs.replace(message, view=view, weights=tuple(weights), weight=weight)
