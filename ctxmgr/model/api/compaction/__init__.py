"""The params and answers of the methods that write compactions, branch summaries and the scratchpad, and the model
calls that ctxmgr requests from a host for them.

They use the terms of plans and strategies, and know nothing of how a summary is written.
"""

from __future__ import annotations  # evaluated at the first call that needs them, not at start

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
        description="The host's time, in milliseconds since the epoch. It shows whether the last request is still "
        "in the prompt cache. Default: the time of the newest message."
    ),
]


class CutSettings(Wire, frozen=True):
    """Settings for one call. Missing ones have the policy's value."""

    enabled: Annotated[bool | None, Meta(description="Copied to the answer's `settings`, otherwise unused.")] = None
    reserve_tokens: Annotated[Count | None, Meta(description="Tokens reserved for the reply.")] = None
    keep_recent_tokens: Annotated[
        Count | None, Meta(description="Tokens of the newest messages that are kept.")
    ] = None
    weigher: Annotated[Weigher | None, Meta(description="How these tokens are counted.")] = None
    context_window: Annotated[
        Count | None, Meta(description="Context window of the model that writes the summary, in tokens.")
    ] = None


class FileOps(Wire, frozen=True, omit_defaults=False):
    """Paths by what was done to them, including all earlier compactions."""

    read: Annotated[tuple[str, ...], Meta(description="Read.")] = ()
    written: Annotated[tuple[str, ...], Meta(description="Written.")] = ()
    edited: Annotated[tuple[str, ...], Meta(description="Edited.")] = ()


class SettingsUsed(Wire, frozen=True, omit_defaults=False):
    """The settings of a plan."""

    enabled: Annotated[bool, Meta(description="From the call or the policy.")]
    reserve_tokens: Annotated[int, Meta(description="Tokens reserved for the reply.")]
    keep_recent_tokens: Annotated[int, Meta(description="Tokens of the newest messages that are kept.")]
    weigher: Annotated[Weigher, Meta(description="How these tokens were counted.")]


class Preparation(Wire, frozen=True, omit_defaults=False):
    """A compaction before it is written, in pi's names. Messages are as the host has them."""

    first_kept_entry_id: Annotated[
        str,
        Meta(
            description='The first entry that stays in the list. "" if no entry has an id: what follows the '
            "messages listed here stays."
        ),
    ]
    messages_to_summarize: Annotated[tuple[msgspec.Raw, ...], Meta(description="The messages to summarize.")]
    turn_prefix_messages: Annotated[
        tuple[msgspec.Raw, ...], Meta(description="If a turn is split: its messages before the cut.")
    ]
    is_split_turn: Annotated[bool, Meta(description="The cut is inside a turn.")]
    tokens_before: Annotated[int, Meta(description="Current tokens of the list.")]
    file_ops: Annotated[FileOps, Meta(description="Files, by what was done to them.")]
    settings: Annotated[SettingsUsed, Meta(description="The settings that were used.")]
    previous_summary: Annotated[
        str | None, Meta(description="The previous compaction's summary, which this one continues.")
    ] = None


class Prompt(Wire, frozen=True, omit_defaults=False):
    """One model call: one user message under a system prompt."""

    purpose: Annotated[str, Meta(description="The purpose of the call.")]
    system: Annotated[str, Meta(description="The system prompt.")]
    prompt: Annotated[str, Meta(description="The user message.")]
    max_tokens: Annotated[int, Meta(description="The longest answer in tokens.")]


class PlanCompactionParams(Wire, frozen=True):
    """What to plan for: `entries`, or what the session knows."""

    session_id: Annotated[
        str | None, Meta(description="The session, for its policy and token counts. Optional with `entries`.")
    ] = None
    entries: Entries = None
    leaf_id: LeafId = None
    settings: Annotated[CutSettings | None, Meta(description="Settings for this call.")] = None
    custom_instructions: Instructions = None
    format: Annotated[Format | None, Meta(description="The format of the summary that the prompts ask for.")] = None
    serialize: Annotated[bool | None, Meta(description="True: the answer includes the conversation as text.")] = (
        None
    )


class Serialized(Wire, frozen=True, omit_defaults=False):
    """Messages as text, in a form that a model does not continue as a conversation. Tool results are cut to 2,000
    characters. The same as pi writes."""

    history: Annotated[str, Meta(description="What comes before the split turn.")]
    turn_prefix: Annotated[str, Meta(description="The part of that turn before the cut.")]


class PlanCompactionResult(Wire, frozen=True, omit_defaults=False):
    """What a compaction would summarize and keep."""

    preparation: Annotated[Preparation | None, Meta(description="The plan. null if there is nothing to compact.")]
    prompts: Annotated[tuple[Prompt, ...], Meta(description="The model calls that write the summary, in order.")]
    reason: Annotated[str | None, Meta(description="Why there is nothing to compact.")] = None
    serialized: Annotated[Serialized | None, Meta(description="The conversation as text, if requested.")] = None


class CompactParams(Wire, frozen=True):
    """As for `planCompaction`, and how to write the summary."""

    session_id: Annotated[
        str | None, Meta(description="The session, for its policy and token counts. Optional with `entries`.")
    ] = None
    entries: Entries = None
    leaf_id: LeafId = None
    settings: Annotated[CutSettings | None, Meta(description="Settings for this call.")] = None
    custom_instructions: Instructions = None
    strategy: Annotated[Strategy | None, Meta(description="How the summary is written. Default: the policy's.")] = (
        None
    )
    format: Annotated[Format | None, Meta(description="Format of the summary. Default: the policy's.")] = None
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None
    at: At = None


class Compaction(Wire, frozen=True, omit_defaults=False):
    """A finished compaction."""

    summary: Annotated[str, Meta(description="The summary.")]
    first_kept_entry_id: Annotated[str, Meta(description="The first entry that stays in the list.")]
    tokens_before: Annotated[int, Meta(description="Tokens of the list before the compaction.")]
    details: Annotated[
        dict[str, Any],
        Meta(
            description="Files, and how the summary was written. Store them with the entry, because later "
            "compactions read them."
        ),
    ]


class CompactResult(Wire, frozen=True, omit_defaults=False):
    """A finished compaction. The host applies it and sends `session_compact`."""

    compaction: Annotated[Compaction, Meta(description="The compaction.")]


class GivenSettings(Wire, frozen=True):
    """A host's own settings of a compaction. Values that are not numbers count as absent."""

    reserve_tokens: Annotated[Any, Meta(description="Tokens reserved for the reply.")] = None
    keep_recent_tokens: Annotated[Any, Meta(description="Tokens of the newest messages that are kept.")] = None


class HostPreparation(Wire, frozen=True):
    """A compaction as the host has prepared it, in pi's names. Other members are ignored."""

    first_kept_entry_id: Annotated[str, Meta(description="The first entry that stays in the list.")]
    messages_to_summarize: Annotated[RawList | None, Meta(description="The messages to summarize.")] = None
    turn_prefix_messages: Annotated[
        RawList | None, Meta(description="If a turn is split: its messages before the cut.")
    ] = None
    is_split_turn: Annotated[bool | None, Meta(description="The cut is inside a turn.")] = None
    tokens_before: Annotated[Number | None, Meta(description="Current tokens of the list.")] = None
    previous_summary: Annotated[str | None, Meta(description="The previous compaction's summary.")] = None
    file_ops: Annotated[Any, Meta(description="`{read, written, edited}`: lists of paths.")] = None
    settings: Annotated[GivenSettings | None, Meta(description="The host's own settings, if they matter here.")] = (
        None
    )


class BeforeCompactParams(Wire, frozen=True):
    """The compaction that the host is about to make."""

    session_id: SessionId
    preparation: Annotated[msgspec.Raw, Meta(description="The host's own plan.")]
    branch_entries: Annotated[
        RawList | None, Meta(description="The whole session tree. With it, ctxmgr makes its own plan.")
    ] = None
    leaf_id: LeafId = None
    custom_instructions: Instructions = None
    reason: Annotated[str | None, Meta(description="Why the host compacts, in its own word.")] = None
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None
    at: At = None


class BeforeCompactResult(Wire, frozen=True):
    """`{}`: the host continues by itself. Otherwise one of the two members is present."""

    cancel: Annotated[
        bool | None, Meta(description="True: another compaction of this branch is being written.")
    ] = None
    compaction: Annotated[
        Compaction | None, Meta(description="The compaction to apply instead of the host's own.")
    ] = None


class TreePreparation(Wire, frozen=True):
    """A move in the session tree as the host has prepared it, in pi's names."""

    entries_to_summarize: Annotated[
        RawList | None, Meta(description="The entries that are left, oldest first.")
    ] = None
    target_id: Annotated[str | None, Meta(description="The entry that the host goes to.")] = None
    old_leaf_id: Annotated[str | None, Meta(description="The entry that it leaves.")] = None
    common_ancestor_id: Annotated[str | None, Meta(description="Where the two paths meet.")] = None
    user_wants_summary: Annotated[bool | None, Meta(description="No summary is written unless this is true.")] = (
        None
    )
    custom_instructions: Instructions = None
    replace_instructions: Annotated[
        bool | None, Meta(description="True: `customInstructions` replaces the prompt's own instructions.")
    ] = None


class SummarizeBranchParams(Wire, frozen=True):
    """The branch to leave: from `oldLeafId` back to where it meets the path of `targetId`."""

    old_leaf_id: Annotated[str | None, Meta(description="The entry that the host leaves. null if there is none.")]
    target_id: Annotated[str | None, Meta(description="The entry that it goes to. null before the first one.")]
    entries: Annotated[
        RawList | None,
        Meta(
            description="The host's session tree, oldest entry first. Default: what the session has seen, by the "
            "ids that it was given."
        ),
    ] = None
    session_id: Annotated[str | None, Meta(description="The session, for its policy and token counts.")] = None
    settings: Annotated[CutSettings | None, Meta(description="Settings for this call.")] = None
    custom_instructions: Instructions = None
    replace_instructions: Annotated[
        bool | None, Meta(description="True: `customInstructions` replaces the prompt's own instructions.")
    ] = None
    strategy: Annotated[Strategy | None, Meta(description="How the summary is written. Default: the policy's.")] = (
        None
    )
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None


class BranchSummary(Wire, frozen=True, omit_defaults=False):
    """A finished branch summary."""

    summary: Annotated[str, Meta(description="The summary.")]
    details: Annotated[
        dict[str, Any], Meta(description="Files, and how the summary was written. Store them with the entry.")
    ]


class SummarizeBranchResult(Wire, frozen=True, omit_defaults=False):
    """The summary of the branch that was left."""

    summary: Annotated[BranchSummary | None, Meta(description="The summary. null if no entry was left.")]
    common_ancestor_id: Annotated[str | None, Meta(description="Where the two paths meet. null if they do not.")]
    entries_summarized: Annotated[int, Meta(description="How many entries were left.")]


class BeforeTreeParams(Wire, frozen=True):
    """The move that the host is about to make."""

    session_id: SessionId
    preparation: Annotated[msgspec.Raw, Meta(description="The host's own plan for the move.")]
    deadline_ms: Deadline = None
    progress_token: ProgressToken = None


class BeforeTreeResult(Wire, frozen=True):
    """`{}`: the host continues by itself."""

    cancel: Annotated[bool | None, Meta(description="Not used yet.")] = None
    summary: Annotated[BranchSummary | None, Meta(description="The summary of the entries that are left.")] = None


class CompleteParams(Wire, frozen=True):
    """One model call for the host to run: one user message with a system prompt, no tools. With an `instruction`:
    the host's last request once more, with the instruction appended."""

    session_id: Annotated[
        str | None, Meta(description="The session. null if the request that needs the call named none.")
    ]
    purpose: Annotated[str, Meta(description="The purpose of the call.")]
    system: Annotated[str, Meta(description='The system prompt; "" with an `instruction`.')]
    prompt: Annotated[str, Meta(description='The user message; "" with an `instruction`.')]
    max_tokens: Annotated[int, Meta(description="The longest answer in tokens.")]
    instruction: Annotated[
        str | None,
        Meta(
            description="Only if `capabilities.completeOnContext` is declared. One user message to append to the "
            "session's last request and what came since (the reply, its results), with the same "
            "system prompt and the same tools. The model's answer must not become part of the "
            "session. If the answer cannot be used, for example because it is a tool call, ctxmgr "
            "asks again with a copy of the conversation in `prompt`."
        ),
    ] = None


class CompleteResult(Wire, frozen=True):
    """The model's answer. A failed call may also be answered with an error."""

    text: Annotated[str, Meta(description="The text.")] = ""
    stop_reason: Annotated[
        str,
        Meta(
            description='"stop", "length", "toolUse", "error" or "aborted". Spellings of other APIs ("end_turn", '
            '"max_tokens", "tool_calls") are understood. Only "stop" counts as an answer.'
        ),
    ] = "stop"
    usage: Annotated[
        Any,
        Meta(description="`{input, output, cacheRead, cacheWrite}` in tokens. Other shapes are ignored."),
    ] = None
    error_message: Annotated[str | None, Meta(description="What went wrong.")] = None


class EmbedParams(Wire, frozen=True):
    """Texts to convert to vectors with a model of the host."""

    session_id: Annotated[
        str | None, Meta(description="The session. null if the request that needs the call named none.")
    ]
    texts: Annotated[tuple[str, ...], Meta(description="The texts.")]


class EmbedResult(Wire, frozen=True):
    """The vectors."""

    vectors: Annotated[
        list[list[float]], Meta(description="One vector per text, in the same order, all of the same length.")
    ]


class ProgressValue(Wire, frozen=True):
    """One step of a call."""

    kind: Annotated[Literal["begin", "report", "end"], Meta(description="The stage of the call.")]
    message: Annotated[str | None, Meta(description="What is being done, for people.")] = None
    percentage: Annotated[int | None, Meta(description="From 0 to 100.")] = None


class ProgressParams(Wire, frozen=True):
    """The progress of a call."""

    token: Annotated[Token, Meta(description="The `progressToken` of the call.")]
    value: Annotated[ProgressValue, Meta(description="The progress.")]


class StrReplace(Wire, frozen=True, tag_field="op", tag="str_replace"):
    """Replaces a text. The old text must occur exactly once."""

    old_text: Annotated[str, Meta(min_length=1, description="The text to replace.")]
    new_text: Annotated[str, Meta(description="The new text.")]


class Insert(Wire, frozen=True, tag_field="op", tag="insert"):
    """Inserts a text after a line."""

    text: Annotated[str, Meta(description="The text.")]
    line: Annotated[
        Count | None, Meta(description="The line, from 1. 0: before the first line. Default: at the end.")
    ] = None


class Overwrite(Wire, frozen=True, tag_field="op", tag="overwrite"):
    """Replaces all notes."""

    text: Annotated[str, Meta(description="The whole text.")]


ScratchpadOperation = StrReplace | Insert | Overwrite


class EditScratchpadParams(Wire, frozen=True):
    """Edits of the model's own notes."""

    session_id: SessionId
    operations: Annotated[list[ScratchpadOperation], Meta(description="Applied in order, all or none.")]


class ScratchpadResult(Wire, frozen=True, omit_defaults=False):
    """The model's own notes."""

    text: Annotated[str, Meta(description="The text.")]
    tokens: Annotated[int, Meta(description="Its tokens.")]
    seq: Seq
