"""The params and answers of branch summaries."""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ctxmgr.model.api.compaction.planning import CutSettings
from ctxmgr.model.api.lifecycle import Deadline, Instructions, ProgressToken, RawList, SessionId, Wire
from ctxmgr.model.compaction import Strategy


class TreePreparation(Wire, frozen=True):
    """A move in the session tree as the host has prepared it, in pi's names."""

    entries_to_summarize: Annotated[
        RawList | None, Meta(description="The entries that are left, oldest first.")
    ] = None
    target_id: Annotated[str | None, Meta(description="The entry the host goes to.")] = None
    old_leaf_id: Annotated[str | None, Meta(description="The entry it leaves.")] = None
    common_ancestor_id: Annotated[str | None, Meta(description="Where the two paths meet.")] = None
    user_wants_summary: Annotated[bool | None, Meta(description="Without true no summary is written.")] = None
    custom_instructions: Instructions = None
    replace_instructions: Annotated[
        bool | None, Meta(description="True: `customInstructions` take the place of the prompt's own.")
    ] = None


class SummarizeBranchParams(Wire, frozen=True):
    """The branch that is left: from `oldLeafId` back to where it meets the path of `targetId`."""

    old_leaf_id: Annotated[str | None, Meta(description="The entry the host leaves; null where it left nothing.")]
    target_id: Annotated[str | None, Meta(description="The entry it goes to; null before the first one.")]
    entries: Annotated[
        RawList | None,
        Meta(
            description="The host's session tree, oldest entry first; absent, what the session has seen, by the "
            "ids that it was told."
        ),
    ] = None
    session_id: Annotated[str | None, Meta(description="The session; its policy and its weigher count.")] = None
    settings: Annotated[CutSettings | None, Meta(description="Settings for this call.")] = None
    custom_instructions: Instructions = None
    replace_instructions: Annotated[
        bool | None, Meta(description="True: `customInstructions` take the place of the prompt's own.")
    ] = None
    strategy: Annotated[
        Strategy | None, Meta(description="How the summary is made; absent, as the policy says.")
    ] = None
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None


class BranchSummary(Wire, frozen=True, omit_defaults=False):
    """A finished branch summary."""

    summary: Annotated[str, Meta(description="The summary.")]
    details: Annotated[
        dict[str, Any], Meta(description="Files, and how the summary was made. Keep them with the entry.")
    ]


class SummarizeBranchResult(Wire, frozen=True, omit_defaults=False):
    """The summary of what was left."""

    summary: Annotated[BranchSummary | None, Meta(description="The summary; null where nothing was left.")]
    common_ancestor_id: Annotated[str | None, Meta(description="Where the two paths meet; null where they do not.")]
    entries_summarized: Annotated[int, Meta(description="How many entries were left.")]


class BeforeTreeParams(Wire, frozen=True):
    """The move that the host is about to make."""

    session_id: SessionId
    preparation: Annotated[msgspec.Raw, Meta(description="The host's own plan of it.")]
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None


class BeforeTreeResult(Wire, frozen=True):
    """`{}`: the host goes on by itself."""

    cancel: Annotated[bool | None, Meta(description="Not used yet.")] = None
    summary: Annotated[BranchSummary | None, Meta(description="The summary of what is left.")] = None
