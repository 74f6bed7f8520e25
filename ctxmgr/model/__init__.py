"""Frozen structs that all other packages use: messages, plans, policy, prices, errors. Imports only msgspec.

`api` has the params and answers of calls, `compaction` the plans of compactions and the model calls for them,
`saved` what survives a restart. Knows nothing of what is done with any of it.
"""

from typing import TYPE_CHECKING

from ctxmgr.late import late_modules
from ctxmgr.model import currency, media, policy, policy_keys, prices
from ctxmgr.model import errors as faults
from ctxmgr.model.epochs import (
    ArchiveAnswer,
    ArchiveHit,
    ArchiveRow,
    Epoch,
    EvictedItem,
    LeftKind,
    Opening,
    Pin,
    PinBy,
    Receipt,
)
from ctxmgr.model.errors import CallError, CallFailed, InvalidParams, invalid_params
from ctxmgr.model.estimate import (
    CHARACTERS_A_TOKEN,
    ESTIMATE,
    WEIGHER,
    Weigh,
    WeighAll,
    WeighMessage,
    estimate,
    of_all,
)
from ctxmgr.model.expressions import expression
from ctxmgr.model.media import Media
from ctxmgr.model.messages import PACKET_END, PACKET_MARK, Block, Call, Message, SummaryKind, Usage, View, once
from ctxmgr.model.policy import (
    ZONES,
    Archive,
    CompactionPolicy,
    Endpoint,
    EndpointApi,
    Idle,
    KeepPoint,
    PacketTokens,
    Policy,
    Preset,
    Slices,
    SummaryPrompts,
    WorkingSet,
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
from ctxmgr.model.spelling import SURROGATE, plain_numbers, without_surrogates
from ctxmgr.model.told_results import MOST_GIVEN, ToldResult, told_result
from ctxmgr.model.tools import DeclaredTool, DeclaredTools, check_tools, with_tools
from ctxmgr.model.typos import closest, did_you_mean, misfit, misspelled, not_one_of

if TYPE_CHECKING:
    from ctxmgr.model import difference
else:
    __getattr__ = late_modules(__name__, "difference")

__all__ = [
    "MOST_GIVEN",
    "ToldResult",
    "told_result",
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
    "Idle",
    "KeepPoint",
    "LeftKind",
    "MARKS",
    "Media",
    "Message",
    "NO_CACHE",
    "OWN_MARKS",
    "Opening",
    "PACKET_END",
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
    "WorkingSet",
    "WeighAll",
    "WeighMessage",
    "Written",
    "ZONES",
    "Zone",
    "check_tools",
    "closest",
    "currency",
    "did_you_mean",
    "difference",
    "estimate",
    "expression",
    "faults",
    "invalid_params",
    "not_one_of",
    "of_all",
    "once",
    "media",
    "misfit",
    "misspelled",
    "policy",
    "policy_keys",
    "prices",
    "plain_numbers",
    "without_surrogates",
    "SURROGATE",
    "with_tools",
]
