"""The params and answers of what writes compactions, branch summaries and the scratchpad, as on the wire.

They know the words of plans and strategies, and nothing of how a summary is made.
"""

from ctxmgr.model.api.compaction.branches import (
    BeforeTreeParams,
    BeforeTreeResult,
    BranchSummary,
    SummarizeBranchParams,
    SummarizeBranchResult,
    TreePreparation,
)
from ctxmgr.model.api.compaction.host_calls import (
    CompleteParams,
    CompleteResult,
    EmbedParams,
    EmbedResult,
    ProgressParams,
    ProgressValue,
)
from ctxmgr.model.api.compaction.planning import (
    BeforeCompactParams,
    BeforeCompactResult,
    Compaction,
    CompactParams,
    CompactResult,
    CutSettings,
    FileOps,
    GivenSettings,
    HostPreparation,
    PlanCompactionParams,
    PlanCompactionResult,
    Preparation,
    Prompt,
    Serialized,
    SettingsUsed,
)
from ctxmgr.model.api.compaction.scratchpad import (
    EditScratchpadParams,
    Insert,
    Overwrite,
    ScratchpadOperation,
    ScratchpadResult,
    StrReplace,
)

__all__ = [
    "BeforeCompactParams",
    "BeforeCompactResult",
    "BeforeTreeParams",
    "BeforeTreeResult",
    "BranchSummary",
    "CompactParams",
    "CompactResult",
    "Compaction",
    "CompleteParams",
    "CompleteResult",
    "CutSettings",
    "EditScratchpadParams",
    "EmbedParams",
    "EmbedResult",
    "FileOps",
    "GivenSettings",
    "HostPreparation",
    "Insert",
    "Overwrite",
    "PlanCompactionParams",
    "PlanCompactionResult",
    "Preparation",
    "ProgressParams",
    "ProgressValue",
    "Prompt",
    "ScratchpadOperation",
    "ScratchpadResult",
    "Serialized",
    "SettingsUsed",
    "StrReplace",
    "SummarizeBranchParams",
    "SummarizeBranchResult",
    "TreePreparation",
]
