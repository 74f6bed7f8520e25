"""How much of a list is old: made once where a list arrives, and passed on to all that ask it."""

import msgspec

from ctxmgr.engine.conversation.index import ConversationIndex
from ctxmgr.model import Decision, Keep, Plan, Zone
from ctxmgr.model.saved import LastProjection


class Delta(msgspec.Struct, frozen=True):
    """`shared_count`: so many messages at the head are those of the list before; `appended`: what comes after
    them, as it came. `unchanged_count`: so many at the head are as they were in the last projection, whoever
    made it; that is seen once the new messages are read."""

    shared_count: int
    appended: tuple[bytes, ...] = ()
    unchanged_count: int = 0


class Incoming(msgspec.Struct, frozen=True):
    """A list that is to be projected, as it stands to what was shown before.

    `last_projection`: the last projection, where this list begins with the one that was of; `last_plan`: its
    plan, where that is still at hand, and the list only adds to what was answered then. None where it was
    written anew. `cut_tokens`: so much of what came since is cut as it arrives.
    """

    conversation: ConversationIndex
    delta: Delta
    last_projection: LastProjection | None = None
    last_plan: Plan | None = None
    cut_tokens: int = 0

    def untouched(self, zone: Zone, decisions: dict[str, Decision]) -> Plan:
        """The list as it came; what was decided is only remembered."""
        conversation = self.conversation
        return Plan(
            pieces=(Keep(0, conversation.size),) if conversation.size else (),
            zone=zone,
            floor=0,
            weight=conversation.raw_weight,
            raw_weight=conversation.raw_weight,
            decisions=decisions,
            turns_kept=len(conversation.turns),
        )

    def outgoing_weight(self, else_weight: int) -> int:
        """In tokens, of what would be sent if nothing were decided now: the last projection and what came since;
        `else_weight` where there is none."""
        if self.last_projection is None:
            return else_weight
        came = range(self.last_projection.message_count, self.conversation.size)
        return self.last_projection.weight + self.conversation.weight_of(came) - self.cut_tokens
