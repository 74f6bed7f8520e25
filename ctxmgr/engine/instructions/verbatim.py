"""Turns instructions that leave a list into the part of a packet that tells them word for word."""

from collections.abc import Sequence

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions.places import Instructions
from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Weigh

HEADING = "## Instructions (word for word, as they were read)"


def word_for_word(
    conversation: ConversationIndex, held: Instructions, leaving: Sequence[int], tokens: float, weigh: Weigh
) -> str:
    """Those in messages that leave, oldest first; the newest that fit so many tokens, each whole. "" for none."""
    gone = frozenset(leaving)
    refs = [ref for ref in sorted((*held.results, *held.texts), reverse=True) if ref.message_index in gone]
    parts: list[str] = []
    left = tokens - weigh(HEADING)
    for ref in refs:
        part = f"{_source(conversation, ref)}\n{conversation.block(ref).text.strip()}"
        weight = weigh(part) + 1
        if weight <= left:
            left -= weight
            parts.append(part)
    return "\n\n".join((HEADING, *reversed(parts))) if parts else ""


def _source(conversation: ConversationIndex, ref: BlockRef) -> str:
    """Where it is from, on a line."""
    if conversation.block(ref).kind != "result":
        return "- told by the host:"
    call = conversation.call_of(ref)
    return f"- {marker.call(call.tool, call.arguments)}:"
