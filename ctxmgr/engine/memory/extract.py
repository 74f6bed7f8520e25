"""Turns one message into facts: what the user said, how the assistant's message ends, what tools did.

Text from tools is data. Notes, packets and unknown roles give no facts. A packet that came back in another role is
recognised by its mark and gives none either.
"""

from collections.abc import Mapping

from ctxmgr.engine.memory.facts import Stamp, Statements
from ctxmgr.engine.memory.from_tools import add_plan, from_result, from_shell
from ctxmgr.engine.memory.user_words import HOSTS_REPLIES, from_user, texts_of, users_text, without_packet
from ctxmgr.engine.memory.wording import both_ends, last_paragraph
from ctxmgr.engine.tools import Approval, approval_in, call_of_block, file_text, plan_proposed_by, plan_title
from ctxmgr.model import Block, View
from ctxmgr.model.saved import GOING_ON, Fact

LAST_CHARACTERS = 400  # of the last paragraph of an assistant's message


def from_message(
    view: View,
    *,
    stamp: Stamp,
    calls: Mapping[str, Block],
    opening: bool,
    turn: str = "",
    before: View | None = None,
) -> tuple[Fact, ...]:
    """The facts of one message.

    `calls` maps a call id to the block that makes the call, for results. `opening`: the user has asked nothing
    before. `turn`: the digest of the user's message that an assistant's message answers. `before`: the message
    before it, as returned by `speaker`.
    """
    into = Statements(stamp)
    if view.role == "user":
        from_user(users_text(view, before), into, opening=opening)
        if (approval := approval_in(texts_of(view))) and (plan := _approved(approval, before, calls)):
            add_plan(plan_title({"plan": plan}), plan, into)
    elif view.role == "assistant":
        from_assistant(view, turn, into)
    for block in view.blocks if view.role in ("user", "assistant", "result", "shell") else ():
        call = (
            calls.get(block.call_id) if block.kind == "result" and not block.is_told else None
        )  # also in a user's message
        # without text, the user kept the run from the model
        run = call_of_block(block) if block.kind == "shell" and block.text else None
        if call is not None:
            from_result(block, call, into, calls)
        if run is not None:
            from_shell(block.text, run, block.is_error, into)
    return into.facts()


def speaker(before: View | None, view: View) -> View | None:
    """The message that the next one answers: `view`, or `before` if nobody speaks in `view`."""
    says_nothing = view.role == "prompt" or (view.role == "user" and not users_text(view, before))
    return before if says_nothing else view


def _approved(approval: Approval, before: View | None, calls: Mapping[str, Block]) -> str:
    """The plan that the user approved, or "" if its text is not known."""
    if approval.plan or approval.path:
        return approval.plan or file_text(approval.path, calls.values())
    proposed = before.blocks if before is not None and before.role == "assistant" else ()
    earlier = reversed(list(calls.values())) if approval.anywhere else ()
    return next(filter(None, map(plan_proposed_by, (*reversed(proposed), *earlier))), "")


def from_assistant(view: View, turn: str, into: Statements) -> None:
    """Adds how the message ends. `turn`: the digest of the user's message that it answers."""
    texts = [without_packet(block.text) for block in view.blocks if block.is_text]
    text = next((text for text in reversed(texts) if text.strip()), "")
    if text and text.strip() not in HOSTS_REPLIES:
        status = GOING_ON if any(block.kind == "call" for block in view.blocks) else ""
        ending = both_ends(last_paragraph(text), LAST_CHARACTERS)
        into.add("said", into.stamp.origin, ending, "assistant", status, turn)
