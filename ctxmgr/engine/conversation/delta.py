"""How much of a list is old: computed once when the list arrives, and passed on to everything that needs it."""

import msgspec

from ctxmgr.engine.conversation.index import ConversationIndex
from ctxmgr.model import Decision, Keep, Plan, Zone
from ctxmgr.model.saved import LastProjection


class Delta(msgspec.Struct, frozen=True):
    """`shared_count`: how many messages at the head are those of the previous list. `appended`: the rest, as it
    came. `unchanged_count`: how many at the head are as in the last projection, whoever made it; known once the new
    messages are read.
    """

    shared_count: int
    appended: tuple[bytes, ...] = ()
    unchanged_count: int = 0


class Incoming(msgspec.Struct, frozen=True):
    """A list to project, compared with what was shown before.

    `last_projection`: the last projection, if this list begins with its list. `last_plan`: its plan, if it is
    available and the list only adds to that answer; None if the list was rewritten. `cut_tokens`: how much of the
    new content is cut on arrival.
    """

    conversation: ConversationIndex
    delta: Delta
    last_projection: LastProjection | None = None
    last_plan: Plan | None = None
    cut_tokens: int = 0

    def untouched(self, zone: Zone, decisions: dict[str, Decision]) -> Plan:
        """The list as it came; decisions are only remembered."""
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
        """In tokens, of what would be sent without new decisions: the last projection and what came since;
        `else_weight` if there is none.
        """
        if self.last_projection is None:
            return else_weight
        came = range(self.last_projection.message_count, self.conversation.size)
        return self.last_projection.weight + self.conversation.weight_of(came) - self.cut_tokens
