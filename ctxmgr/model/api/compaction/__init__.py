"""The params and answers of what writes compactions, branch summaries and the scratchpad, and what ctxmgr asks of
a host's models for it.

They know the words of plans and strategies, and nothing of how a summary is made.
"""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ctxmgr.model.api.lifecycle import (
    Count,
    Deadline,
    Entries,
    Instructions,
    LeafId,
    Number,
    ProgressToken,
    RawList,
    Seq,
    SessionId,
    Token,
    Wire,
)
from ctxmgr.model.compaction import Format, Strategy, Weigher

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

At = Annotated[
    Number | None,
    Meta(
        description="The host's time, in milliseconds since the epoch: whether the provider still has the last "
        "request in its cache. Absent: as of the newest message."
    ),
]


class CutSettings(Wire, frozen=True):
    """Settings for one call; what is absent is as the policy says."""

    enabled: Annotated[bool | None, Meta(description="Goes into the answer's `settings`, nothing else.")] = None
    reserve_tokens: Annotated[Count | None, Meta(description="Tokens kept free for the reply.")] = None
    keep_recent_tokens: Annotated[Count | None, Meta(description="Tokens of the newest messages that stay.")] = None
    weigher: Annotated[Weigher | None, Meta(description="How these tokens are counted.")] = None
    context_window: Annotated[
        Count | None, Meta(description="Window of the model that writes the summary, in tokens.")
    ] = None


class FileOps(Wire, frozen=True, omit_defaults=False):
    """Paths by what was done to them, over all earlier compactions."""

    read: Annotated[tuple[str, ...], Meta(description="Read.")] = ()
    written: Annotated[tuple[str, ...], Meta(description="Written.")] = ()
    edited: Annotated[tuple[str, ...], Meta(description="Edited.")] = ()


class SettingsUsed(Wire, frozen=True, omit_defaults=False):
    """The settings a plan was made with."""

    enabled: Annotated[bool, Meta(description="As the call or the policy says.")]
    reserve_tokens: Annotated[int, Meta(description="Tokens kept free for the reply.")]
    keep_recent_tokens: Annotated[int, Meta(description="Tokens of the newest messages that stay.")]
    weigher: Annotated[Weigher, Meta(description="How these tokens were counted.")]


class Preparation(Wire, frozen=True, omit_defaults=False):
    """A compaction before it is written, in pi's names. Messages are as the host holds them."""

    first_kept_entry_id: Annotated[
        str,
        Meta(
            description='The first entry that stays in the list; "" where no entry has an id: what stays is what '
            "follows the messages listed here."
        ),
    ]
    messages_to_summarize: Annotated[tuple[msgspec.Raw, ...], Meta(description="What the summary is to stand for.")]
    turn_prefix_messages: Annotated[
        tuple[msgspec.Raw, ...], Meta(description="Of a turn that is cut in two, the part before the cut.")
    ]
    is_split_turn: Annotated[bool, Meta(description="The cut is inside a turn.")]
    tokens_before: Annotated[int, Meta(description="Tokens of the list now.")]
    file_ops: Annotated[FileOps, Meta(description="Files by what was done to them.")]
    settings: Annotated[SettingsUsed, Meta(description="The settings that were used.")]
    previous_summary: Annotated[
        str | None, Meta(description="The summary of the compaction before, which this one carries on.")
    ] = None


class Prompt(Wire, frozen=True, omit_defaults=False):
    """One model call: one user message under a system prompt."""

    purpose: Annotated[str, Meta(description="What it is for.")]
    system: Annotated[str, Meta(description="The system prompt.")]
    prompt: Annotated[str, Meta(description="The user message.")]
    max_tokens: Annotated[int, Meta(description="The longest answer in tokens.")]


class PlanCompactionParams(Wire, frozen=True):
    """What is to be planned on: `entries`, or without them what the session holds."""

    session_id: Annotated[
        str | None, Meta(description="The session; its policy and its weigher count. May be absent with `entries`.")
    ] = None
    entries: Entries = None
    leaf_id: LeafId = None
    settings: Annotated[CutSettings | None, Meta(description="Settings for this call.")] = None
    custom_instructions: Instructions = None
    format: Annotated[Format | None, Meta(description="The format of the summary that the prompts ask for.")] = None
    serialize: Annotated[bool | None, Meta(description="True: the conversation as text comes with the answer.")] = (
        None
    )


class Serialized(Wire, frozen=True, omit_defaults=False):
    """Messages as text that a model does not take for a conversation to go on with; tool results are cut to 2,000
    characters. As pi writes it."""

    history: Annotated[str, Meta(description="What comes before the turn that is cut.")]
    turn_prefix: Annotated[str, Meta(description="That turn's part before the cut.")]


class PlanCompactionResult(Wire, frozen=True, omit_defaults=False):
    """What a compaction would summarise and keep."""

    preparation: Annotated[
        Preparation | None, Meta(description="The plan; null where there is nothing to compact.")
    ]
    prompts: Annotated[tuple[Prompt, ...], Meta(description="The model calls that make the summary, in order.")]
    reason: Annotated[str | None, Meta(description="Why there is nothing to compact.")] = None
    serialized: Annotated[
        Serialized | None, Meta(description="The conversation as text, where it was asked for.")
    ] = None


class CompactParams(Wire, frozen=True):
    """As for `planCompaction`, and how the summary is to be made."""

    session_id: Annotated[
        str | None, Meta(description="The session; its policy and its weigher count. May be absent with `entries`.")
    ] = None
    entries: Entries = None
    leaf_id: LeafId = None
    settings: Annotated[CutSettings | None, Meta(description="Settings for this call.")] = None
    custom_instructions: Instructions = None
    strategy: Annotated[
        Strategy | None, Meta(description="How the summary is made; absent, as the policy says.")
    ] = None
    format: Annotated[Format | None, Meta(description="The format of the summary; absent, as the policy says.")] = (
        None
    )
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None
    at: At = None


class Compaction(Wire, frozen=True, omit_defaults=False):
    """A finished compaction."""

    summary: Annotated[str, Meta(description="The summary.")]
    first_kept_entry_id: Annotated[str, Meta(description="The first entry that stays in the list.")]
    tokens_before: Annotated[int, Meta(description="Tokens of the list before.")]
    details: Annotated[
        dict[str, Any],
        Meta(
            description="Files, and how the summary was made. Keep them with the entry: later "
            "compactions read them."
        ),
    ]


class CompactResult(Wire, frozen=True, omit_defaults=False):
    """A finished compaction. The host applies it and sends `session_compact`."""

    compaction: Annotated[Compaction, Meta(description="The compaction.")]


class GivenSettings(Wire, frozen=True):
    """A host's own settings of a compaction. What is no number counts as absent."""

    reserve_tokens: Annotated[Any, Meta(description="Tokens kept free for the reply.")] = None
    keep_recent_tokens: Annotated[Any, Meta(description="Tokens of the newest messages that stay.")] = None


class HostPreparation(Wire, frozen=True):
    """A compaction as the host has prepared it, in pi's names. What is not listed is passed over."""

    first_kept_entry_id: Annotated[str, Meta(description="The first entry that stays in the list.")]
    messages_to_summarize: Annotated[RawList | None, Meta(description="What the summary is to stand for.")] = None
    turn_prefix_messages: Annotated[
        RawList | None, Meta(description="Of a turn that is cut in two, the part before the cut.")
    ] = None
    is_split_turn: Annotated[bool | None, Meta(description="The cut is inside a turn.")] = None
    tokens_before: Annotated[Number | None, Meta(description="Tokens of the list now.")] = None
    previous_summary: Annotated[str | None, Meta(description="The summary of the compaction before.")] = None
    file_ops: Annotated[Any, Meta(description="`{read, written, edited}`: lists of paths.")] = None
    settings: Annotated[
        GivenSettings | None, Meta(description="The host's own settings, as far as they count here.")
    ] = None


class BeforeCompactParams(Wire, frozen=True):
    """The compaction that the host is about to make."""

    session_id: SessionId
    preparation: Annotated[msgspec.Raw, Meta(description="The host's own plan.")]
    branch_entries: Annotated[
        RawList | None, Meta(description="The whole session tree: with it ctxmgr plans by itself.")
    ] = None
    leaf_id: LeafId = None
    custom_instructions: Instructions = None
    reason: Annotated[str | None, Meta(description="Why the host compacts: its own word.")] = None
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None
    at: At = None


class BeforeCompactResult(Wire, frozen=True):
    """`{}`: the host goes on by itself. Else one of the two is there."""

    cancel: Annotated[
        bool | None, Meta(description="True: another compaction of this branch is being written.")
    ] = None
    compaction: Annotated[
        Compaction | None, Meta(description="The compaction to apply in the place of the host's own.")
    ] = None


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


class CompleteParams(Wire, frozen=True):
    """One model call for the host to run: one user message under a system prompt, no tools. Or, where there is an
    `instruction`, the host's last request once more with that at its end."""

    session_id: Annotated[
        str | None, Meta(description="The session it is for; null where the call that needs it named none.")
    ]
    purpose: Annotated[str, Meta(description="What it is for.")]
    system: Annotated[str, Meta(description='The system prompt; "" with an `instruction`.')]
    prompt: Annotated[str, Meta(description='The user message; "" with an `instruction`.')]
    max_tokens: Annotated[int, Meta(description="The longest answer in tokens.")]
    instruction: Annotated[
        str | None,
        Meta(
            description="Only where `capabilities.completeOnContext` is declared: one user message, to be appended "
            "to the session's last request and what came since (the reply, its results), with the same system "
            "prompt and the same tools. What the model answers is not to become part of the session. An answer "
            "that cannot be used, such as a tool call, is asked for again with a copy of the conversation in "
            "`prompt`."
        ),
    ] = None


class CompleteResult(Wire, frozen=True):
    """What the model answered. A failed call may be answered with an error as well."""

    text: Annotated[str, Meta(description="The text.")] = ""
    stop_reason: Annotated[
        str,
        Meta(
            description='"stop", "length", "toolUse", "error" or "aborted"; the spellings of other '
            'interfaces ("end_turn", "max_tokens", "tool_calls") are known. Only "stop" '
            "is taken for an answer."
        ),
    ] = "stop"
    usage: Annotated[
        Any,
        Meta(
            description="`{input, output, cacheRead, cacheWrite}` in tokens; what has another shape is passed over."
        ),
    ] = None
    error_message: Annotated[str | None, Meta(description="What went wrong.")] = None


class EmbedParams(Wire, frozen=True):
    """Texts to turn into vectors, by a model of the host."""

    session_id: Annotated[
        str | None, Meta(description="The session it is for; null where the call that needs it named none.")
    ]
    texts: Annotated[tuple[str, ...], Meta(description="The texts.")]


class EmbedResult(Wire, frozen=True):
    """The vectors."""

    vectors: Annotated[list[list[float]], Meta(description="One vector a text, in their order, all of one length.")]


class ProgressValue(Wire, frozen=True):
    """One step of a call."""

    kind: Annotated[Literal["begin", "report", "end"], Meta(description="Where in the call it is.")]
    message: Annotated[str | None, Meta(description="What is being done, for people.")] = None
    percentage: Annotated[int | None, Meta(description="From 0 to 100.")] = None


class ProgressParams(Wire, frozen=True):
    """How far a call is."""

    token: Annotated[Token, Meta(description="The `progressToken` of the call.")]
    value: Annotated[ProgressValue, Meta(description="How far it is.")]


class StrReplace(Wire, frozen=True, tag_field="op", tag="str_replace"):
    """Replaces one text by another. The old one has to stand there exactly once."""

    old_text: Annotated[str, Meta(min_length=1, description="What is replaced.")]
    new_text: Annotated[str, Meta(description="What takes its place.")]


class Insert(Wire, frozen=True, tag_field="op", tag="insert"):
    """Puts a text in after a line."""

    text: Annotated[str, Meta(description="The text.")]
    line: Annotated[
        Count | None, Meta(description="The line, counted from 1; 0 is before the first, absent is at the end.")
    ] = None


class Overwrite(Wire, frozen=True, tag_field="op", tag="overwrite"):
    """Writes the notes anew."""

    text: Annotated[str, Meta(description="The whole text.")]


ScratchpadOperation = StrReplace | Insert | Overwrite


class EditScratchpadParams(Wire, frozen=True):
    """Edits of the model's own notes."""

    session_id: SessionId
    operations: Annotated[list[ScratchpadOperation], Meta(description="Applied in order, all or none.")]


class ScratchpadResult(Wire, frozen=True, omit_defaults=False):
    """The model's own notes."""

    text: Annotated[str, Meta(description="The text.")]
    tokens: Annotated[int, Meta(description="Its weight.")]
    seq: Seq
