"""Frozen structs that all others speak in: messages, plans, policy, prices, errors. Imports msgspec alone.

`api` has the params and answers of calls, `compaction` what is planned and asked there, `saved` what outlives a
restart. Knows nothing of what is done with any of it.
"""

from ctxmgr.model import faults, media, policy, policy_keys, prices, rules
from ctxmgr.model.archive import ArchiveAnswer, ArchiveHit, ArchiveRow
from ctxmgr.model.epochs import Epoch, EvictedItem, LeftKind, Opening, Pin, PinBy, Receipt
from ctxmgr.model.errors import CallError, CallFailed, InvalidParams, invalid_params, path_of
from ctxmgr.model.estimate import CHARACTERS_A_TOKEN, ESTIMATE, WEIGHER, estimate
from ctxmgr.model.media import Media
from ctxmgr.model.messages import PACKET_MARK, Block, Call, Message, SummaryKind, Usage, View, once
from ctxmgr.model.policy import (
    ZONES,
    Archive,
    CompactionPolicy,
    Endpoint,
    EndpointApi,
    PacketTokens,
    Policy,
    Preset,
    Slices,
    SummaryPrompts,
    Zone,
)
from ctxmgr.model.policy_keys import InvalidPolicy
from ctxmgr.model.prices import (
    IMPLICIT,
    MARKS,
    NO_CACHE,
    OWN_MARKS,
    BasePrices,
    BaseTier,
    CacheKind,
    CacheRule,
    CallTokens,
    PriceTier,
    Rates,
    TieredPrices,
)
from ctxmgr.model.projection import (
    BlockEdit,
    Decision,
    EditKind,
    HeavyMessage,
    Keep,
    Packet,
    Piece,
    Plan,
    Verdict,
    Written,
)
from ctxmgr.model.rules import RELEASES, RULES
from ctxmgr.model.spelling import plain_numbers
from ctxmgr.model.tools import DeclaredTool, DeclaredTools, check_tools, with_tools
from ctxmgr.model.weights import Weigh, WeighAll, WeighMessage, of_all

__all__ = [
    "Archive",
    "ArchiveAnswer",
    "ArchiveHit",
    "ArchiveRow",
    "CHARACTERS_A_TOKEN",
    "CacheKind",
    "CacheRule",
    "Call",
    "CallError",
    "CallFailed",
    "CallTokens",
    "CompactionPolicy",
    "Decision",
    "DeclaredTool",
    "DeclaredTools",
    "ESTIMATE",
    "BasePrices",
    "BaseTier",
    "BlockEdit",
    "EditKind",
    "Endpoint",
    "EndpointApi",
    "Epoch",
    "EvictedItem",
    "IMPLICIT",
    "InvalidParams",
    "HeavyMessage",
    "InvalidPolicy",
    "Keep",
    "LeftKind",
    "MARKS",
    "Media",
    "Message",
    "NO_CACHE",
    "OWN_MARKS",
    "Opening",
    "PACKET_MARK",
    "Packet",
    "PacketTokens",
    "Piece",
    "Pin",
    "PinBy",
    "Plan",
    "Policy",
    "Preset",
    "PriceTier",
    "RELEASES",
    "RULES",
    "Rates",
    "Receipt",
    "Slices",
    "SummaryPrompts",
    "SummaryKind",
    "TieredPrices",
    "Block",
    "Usage",
    "Verdict",
    "View",
    "WEIGHER",
    "Weigh",
    "WeighAll",
    "WeighMessage",
    "Written",
    "ZONES",
    "Zone",
    "check_tools",
    "estimate",
    "faults",
    "invalid_params",
    "of_all",
    "once",
    "path_of",
    "media",
    "policy",
    "policy_keys",
    "prices",
    "rules",
    "plain_numbers",
    "with_tools",
]
