"""Newest step: the newest message of the assistant is there as it came."""

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants.rule import Rule, Walk
from ctxmgr.model import BlockEdit, EditKind


class NewestStep(Rule):
    """Tally: the newest of the assistant's messages that was edited, -1 for none."""

    name = "newest step"
    tally = -1

    def edited(self, tally: int, walk: Walk, edit: BlockEdit) -> int:
        is_reply = walk.conversation.messages[edit.message_index].view.role == "assistant"
        return max(tally, edit.message_index) if is_reply else tally

    def holds(self, tally: int, walk: Walk) -> bool:
        newest = walk.conversation.newest_reply
        return newest < 0 or (newest != tally and newest not in walk.left_out)

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        newest = conversation.newest_reply
        return frozenset((newest,) if newest >= 0 else ())

    def may_edit(self, conversation: ConversationIndex, ref: BlockRef, kind: EditKind) -> bool:
        return ref.message_index != conversation.newest_reply
