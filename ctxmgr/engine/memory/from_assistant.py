"""Turns an assistant's message into a fact: its last paragraph, word for word, with the turn that it is of."""

from ctxmgr.engine.memory.host_texts import HOSTS_REPLIES
from ctxmgr.engine.memory.packet_mark import without_packet
from ctxmgr.engine.memory.statements import Statements
from ctxmgr.engine.memory.wording import both_ends, last_paragraph
from ctxmgr.model import View
from ctxmgr.model.saved import GOING_ON

LAST_CHARACTERS = 400  # of the paragraph


def from_assistant(view: View, turn: str, into: Statements) -> None:
    """Add how the message ends. `turn`: the digest of the user's message that it answers."""
    texts = [without_packet(block.text) for block in view.blocks if block.kind == "text"]
    text = next((text for text in reversed(texts) if text.strip()), "")
    if text and text.strip() not in HOSTS_REPLIES:
        status = GOING_ON if any(block.kind == "call" for block in view.blocks) else ""
        said = both_ends(last_paragraph(text), LAST_CHARACTERS)
        into.add("said", into.origin, said, "assistant", status, turn)
