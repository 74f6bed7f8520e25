"""What a compaction or a branch summary is planned from and asked of a model. Knows no policy and no session."""

from ctxmgr.model.compaction.branch import (
    BranchEntry,
    BranchMessage,
    Details,
    EntryKind,
    MessageContent,
    SystemPromptChange,
    in_list,
    places_in_list,
)
from ctxmgr.model.compaction.completion import (
    LATE,
    Asking,
    Completion,
    CompletionRequest,
    CompletionUsage,
    Purpose,
    Result,
    Stop,
)
from ctxmgr.model.compaction.plans import (
    BranchSummaryPlan,
    CompactionPlan,
    CutBudget,
    FileLists,
    Format,
    NothingToCompact,
    Strategy,
    Weigher,
)

__all__ = [
    "Asking",
    "BranchEntry",
    "BranchMessage",
    "BranchSummaryPlan",
    "CompactionPlan",
    "Completion",
    "CompletionRequest",
    "CompletionUsage",
    "CutBudget",
    "Details",
    "EntryKind",
    "FileLists",
    "Format",
    "LATE",
    "MessageContent",
    "NothingToCompact",
    "Purpose",
    "Result",
    "Stop",
    "Strategy",
    "SystemPromptChange",
    "Weigher",
    "in_list",
    "places_in_list",
]
