"""Turns instructions that are no longer in a list into the part of a packet that tells them word for word."""

from collections.abc import Container, Sequence

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions.places import Instructions
from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Weigh
from ctxmgr.model.saved import InstructionCopy

HEADING = "## Instructions (word for word, as they were read)"
BY_HOST = "- told by the host:"


def leaving(
    conversation: ConversationIndex, held: Instructions, indices: Container[int]
) -> tuple[InstructionCopy, ...]:
    """Those in these messages, oldest first."""
    refs = sorted((*held.results, *held.texts))
    return tuple(copied(conversation, ref) for ref in refs if ref.message_index in indices)


def copied(conversation: ConversationIndex, ref: BlockRef, files: tuple[str, ...] = ()) -> InstructionCopy:
    """One of them, with the `files` that it tells."""
    block, source = conversation.block(ref), BY_HOST
    if block.kind == "result":
        source = f"- {marker.call(conversation.call_of(ref))}:"
    return InstructionCopy(source, block.text.strip(), conversation.digest(ref.message_index), files)


def word_for_word(parts: Sequence[InstructionCopy], tokens: float, weigh: Weigh) -> str:
    """Of these, oldest first, the newest that fit so many tokens, each whole, and how many do not; "" for none."""
    left = tokens - weigh(_heading(len(parts)))
    if not parts or left < 0:
        return ""
    texts: list[str] = []
    for one in reversed(parts):
        text = f"{one.source}\n{one.text}"
        weight = weigh(text) + 1
        if one.text and weight <= left:
            left -= weight
            texts.append(text)
    return "\n\n".join((_heading(len(parts) - len(texts)), *reversed(texts)))


def _heading(missing: int) -> str:
    return f"{HEADING} ({missing} more not shown)" if missing else HEADING
