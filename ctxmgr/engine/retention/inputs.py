"""What a plan by worth is asked for, beside the list."""

import msgspec

from ctxmgr.engine.balanced import Layout, PacketWriter, extended, lay_out
from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention.packet_writing import Room
from ctxmgr.engine.retention.worth import Worth
from ctxmgr.model import Epoch, Opening, Plan, Zone


class WorthTerms(msgspec.Struct, frozen=True):
    """What an epoch is decided by, beside the list.

    `layout`: what is in force. `cached_count`: so many of the list's messages the provider may hold; 0 when its
    cache is cold.
    """

    zone: Zone
    layout: Layout
    room: Room
    worth: Worth
    cached_count: int
    protection: Protection
    writer: PacketWriter


class WorthInputs(msgspec.Struct, frozen=True):
    """What a plan is asked for beside the list.

    `last_plan`: the plan before, and `last_count` the number of messages it was of, where this list goes on from
    it; else the decisions tell. `reopen`: an epoch is due for this reason whatever the price. `time_ms`: the
    call's time in milliseconds. `terms` is what an epoch is decided by.
    """

    terms: WorthTerms
    epoch: Epoch
    reopen: Opening | None = None
    last_plan: Plan | None = None
    last_count: int = 0
    time_ms: int | None = None


def standing(conversation: ConversationIndex, ask: WorthInputs) -> Plan:
    """The plan if nothing is decided now (rule 1)."""
    inputs = ask.terms
    if ask.last_plan is not None:
        return extended(ask.last_plan, conversation, ask.last_count, inputs.zone, inputs.layout)
    return lay_out(conversation, inputs.zone, inputs.layout)
