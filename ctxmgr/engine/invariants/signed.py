"""Signed: only words of tools and users and arguments of calls are edited, and nothing that a signature may cover.

1. A result may be written anew where it is not signed itself; cut to fit may also be what a user, a note or a
   user's shell run says.
2. A call's arguments may be shortened or cut where nothing in its message is signed; where several items make one
   answer, in none of them.
"""

from collections.abc import Sequence

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants.rule import Rule, Walk
from ctxmgr.model import BlockEdit, EditKind, Message, View

CUT_ROLES = ("user", "note", "shell", "result")  # whose own words may be cut to fit; beside results hosts remind


class Signed(Rule):
    """Tally: was something edited that may not be?"""

    name = "signed"

    def edited(self, tally: bool, walk: Walk, edit: BlockEdit) -> bool:
        return tally or not self.may_edit(
            walk.conversation, BlockRef(edit.message_index, edit.block_index), edit.kind
        )

    def may_edit(self, conversation: ConversationIndex, ref: BlockRef, kind: EditKind) -> bool:
        block = conversation.block(ref)
        if kind == "shortened" or (kind == "cut" and block.kind == "call"):
            return block.kind == "call" and _unsigned(conversation.messages, ref.message_index)
        if kind == "cut" and (block.kind in ("text", "shell") or block.media):
            return conversation.messages[ref.message_index].view.role in CUT_ROLES and not block.signed
        return block.kind == "result" and not block.signed


def _unsigned(messages: Sequence[Message], at: int) -> bool:
    """Rule 2."""
    if not _is_plain(messages[at].view):
        return False
    for step in (-1, 1):
        other = at + step
        while 0 <= other < len(messages) and messages[at].view.joins:
            view = messages[other].view
            if view.role != "assistant" or not view.joins:
                break
            if not _is_plain(view):
                return False
            other += step
    return True


def _is_plain(view: View) -> bool:
    return view.role == "assistant" and not any(block.signed for block in view.blocks)
