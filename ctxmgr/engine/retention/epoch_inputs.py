"""What a plan of preset `balanced` is computed from, beside the list."""

import msgspec

from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention.layout import Layout
from ctxmgr.engine.retention.packet_writing import ListRoom, PacketWriter
from ctxmgr.engine.retention.worth import Worth
from ctxmgr.model import Epoch, Opening, Plan, Zone


class WorthTerms(msgspec.Struct, frozen=True):
    """What decides an epoch, beside the list.

    `layout`: the current one. `pressed_by`: why a list over its limit is pressed. `cached_count`: how many of the
    list's messages the provider may have cached; 0 if its cache is cold. `overhead`: what the host adds to each
    list, unseen, in tokens.
    """

    zone: Zone
    layout: Layout
    room: ListRoom
    worth: Worth
    cached_count: int
    protection: Protection
    writer: PacketWriter
    overhead: float = 0.0
    pressed_by: Opening = "red"


class WorthInputs(msgspec.Struct, frozen=True):
    """What a plan is computed from, beside the list.

    `last_plan`: the previous plan, and `last_count` its number of messages, if this list continues that one;
    otherwise the decisions count. `replaced`: the list does not continue the last one. `reopen`: why an epoch is
    due whatever the price. `time_ms`: the call's time in milliseconds. `terms`: what decides an epoch.
    """

    terms: WorthTerms
    epoch: Epoch
    reopen: Opening | None = None
    last_plan: Plan | None = None
    last_count: int = 0
    time_ms: int | None = None
    replaced: bool = False
