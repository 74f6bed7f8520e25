"""The params and answers of branch summaries."""

from typing import Any

import msgspec

from ctxmgr.model.api.compaction.planning import CutSettings
from ctxmgr.model.api.lifecycle import Count, RawList, Token, Wire
from ctxmgr.model.compaction import Strategy


class TreePreparation(Wire, frozen=True):
    """A move in the session tree as the host has prepared it, in pi's names."""

    entries_to_summarize: RawList | None = None
    target_id: str | None = None
    old_leaf_id: str | None = None
    common_ancestor_id: str | None = None
    user_wants_summary: bool | None = None
    custom_instructions: str | None = None
    replace_instructions: bool | None = None


class SummarizeBranchParams(Wire, frozen=True):
    """The branch from `oldLeafId` back to where it meets the path of `targetId`."""

    entries: RawList
    old_leaf_id: str | None
    target_id: str | None
    session_id: str | None = None
    settings: CutSettings | None = None
    custom_instructions: str | None = None
    replace_instructions: bool | None = None
    strategy: Strategy | None = None
    deadline_ms: Count | None = None
    progress_token: Token | None = None


class BranchSummary(Wire, frozen=True, omit_defaults=False):
    """A finished branch summary; `details` as a compaction's."""

    summary: str
    details: dict[str, Any]


class SummarizeBranchResult(Wire, frozen=True, omit_defaults=False):
    """`summary` is null where nothing was left behind; `commonAncestorId` is where the two paths meet."""

    summary: BranchSummary | None
    common_ancestor_id: str | None
    entries_summarized: int


class BeforeTreeParams(Wire, frozen=True):
    """`preparation` is `{targetId, oldLeafId, commonAncestorId, entriesToSummarize[], userWantsSummary,
    customInstructions?, replaceInstructions?}`, as pi names it."""

    session_id: str
    preparation: msgspec.Raw
    deadline_ms: Count | None = None
    progress_token: Token | None = None


class BeforeTreeResult(Wire, frozen=True):
    """Empty: the host goes on by itself."""

    cancel: bool | None = None
    summary: BranchSummary | None = None
