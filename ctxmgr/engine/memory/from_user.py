"""Turns a user's message into a fact: what the user said, word for word. Nothing is classified by its wording."""

from ctxmgr.engine.memory.host_texts import own_words
from ctxmgr.engine.memory.packet_mark import without_packet
from ctxmgr.engine.memory.statements import Statements
from ctxmgr.model import View

GOAL_CHARACTERS = 600  # of the goal
SAID_CHARACTERS = 4_000  # of one message: a longer one holds a document
HEAD = 0.75  # of them: the start; the rest is the end


def users_text(view: View) -> str:
    """What the user said in this message, without what a host put there, and without packets that came back."""
    if view.role != "user":
        return ""
    return own_words(without_packet(block.text) for block in view.blocks if block.kind == "text")


def from_user(text: str, into: Statements, *, opening: bool) -> None:
    """Add what the user said; `opening`: it is the session's goal."""
    if not text:
        return
    if opening:
        into.add("goal", "", text[:GOAL_CHARACTERS], "user")
    if len(text) > SAID_CHARACTERS:
        head = int(HEAD * SAID_CHARACTERS)
        text = f"{text[:head]} … {text[head - SAID_CHARACTERS :]}"
    into.add("request", f"{into.origin}\n{into.time_ms}", text, "user")  # said again it is another
