"""Turns one message into facts.

Which text may say what: goals and constraints come from user messages (and summaries) alone, decisions and
tasks also from assistant messages; text from tools is data. Notes, packets and unknown roles say nothing.
A packet that came back in another role is recognised by its mark and says nothing either.
"""

from collections.abc import Mapping

from ctxmgr.engine.findings import Asked, closing_question
from ctxmgr.engine.ledger.from_assistant import from_assistant
from ctxmgr.engine.ledger.from_summary import from_summary
from ctxmgr.engine.ledger.from_tools import from_result, from_shell
from ctxmgr.engine.ledger.from_user import from_answer, from_user
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.engine.text import without_packet
from ctxmgr.engine.tools import call_of_block
from ctxmgr.model import Block, View
from ctxmgr.model.saved import Fact

__all__ = ["asked_by", "from_message", "from_summary"]

MOST_REPLIES = 3  # newest words on one question
_ROLES = frozenset(("user", "assistant", "result", "shell"))


def from_message(
    view: View,
    *,
    stamp: Stamp,
    calls: Mapping[str, Block],
    opening: bool,
    asked: Asked | None = None,
) -> tuple[Fact, ...]:
    """Return the facts of one message.

    `calls` maps a call id to the block that makes it, for results. `opening` says that this is the session's first
    user message. An opening message in which the user wrote
    nothing (tags, a command) gives no goal: the next one may then be taken as the opening. `asked` is what the
    assistant said right before a user's message.
    """
    if view.role not in _ROLES:
        return ()
    into = Statements(stamp)
    texts = _texts(view)
    if view.role == "user" and texts:
        from_user("\n".join(texts), into, opening=opening)
        if asked is not None:
            from_answer("\n".join(texts), asked, into)
    elif view.role == "assistant":
        for text in texts:
            from_assistant(text, into)
    for block in view.blocks:
        _ran(block, calls, into)
    return into.facts()


def _texts(view: View) -> list[str]:
    """What was said, without a packet that came back or was pasted."""
    said = (without_packet(block.text) for block in view.blocks if block.kind == "text")
    return [text for text in said if text.strip()]


def asked_by(view: View, origin: str, before: Asked | None) -> Asked | None:
    """What a user's message after this one answers. `origin`: its digest; `before`: what it would answer else."""
    if view.role == "result":
        return before
    text = "\n".join(_texts(view))
    if view.role == "user":
        return _replied(text, before)
    if view.role != "assistant":
        return None
    pending = before.pending if before is not None and not closing_question(text) else None
    return Asked(text, origin, pending) if text.strip() or pending is not None else None


def _replied(text: str, before: Asked | None) -> Asked | None:
    """What was asked before a user's message, that a later one may have another word on."""
    if before is None or not text.strip():
        return None
    asked = before if closing_question(before.text) else before.pending
    if asked is None:
        return None
    return Asked("", "", Asked(asked.text, asked.origin, replies=(*asked.replies, text)[-MOST_REPLIES:]))


def _ran(block: Block, calls: Mapping[str, Block], into: Statements) -> None:
    """Add what a result or a user's own run says; some formats put results into user messages."""
    if block.kind == "result" and (call := calls.get(block.call_id)) is not None:
        from_result(block, call, into)
    elif block.kind == "shell" and block.text:  # no text: the user kept it from the model
        run = call_of_block(block)
        if run is not None:
            from_shell(block.text, run, block.is_error, into)
