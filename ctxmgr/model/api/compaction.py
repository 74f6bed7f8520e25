"""The params and answers of what writes compactions, branch summaries and the scratchpad, as on the wire."""

from typing import Annotated, Any, Literal

import msgspec

from ctxmgr.model.api.lifecycle import Count, Number, RawList, Wire
from ctxmgr.model.compaction import Format, Strategy, Weigher

Token = str | int | Annotated[float, msgspec.Meta(multiple_of=1)]  # a whole number may be written 1.0


class CutSettings(Wire, frozen=True):
    """Settings for one call; what is absent is as the policy says. Tokens by `weigher`: "tokens" are real ones,
    "chars4" are UTF-16 units / 4, as pi counts. `contextWindow` of the summarising model."""

    enabled: bool | None = None
    reserve_tokens: Count | None = None
    keep_recent_tokens: Count | None = None
    weigher: Weigher | None = None
    context_window: Count | None = None


class FileOps(Wire, frozen=True, omit_defaults=False):
    """Paths by what was done to them, over all earlier compactions."""

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


class SettingsUsed(Wire, frozen=True, omit_defaults=False):
    enabled: bool
    reserve_tokens: int
    keep_recent_tokens: int
    weigher: Weigher


class Preparation(Wire, frozen=True, omit_defaults=False):
    """What a compaction would summarise; messages as the host holds them. Names are pi's."""

    first_kept_entry_id: str
    messages_to_summarize: tuple[msgspec.Raw, ...]
    turn_prefix_messages: tuple[msgspec.Raw, ...]
    is_split_turn: bool
    tokens_before: int
    file_ops: FileOps
    settings: SettingsUsed
    previous_summary: str | None = None


class Prompt(Wire, frozen=True, omit_defaults=False):
    """One model call that a host can run by itself: one user message under a system prompt."""

    purpose: str
    system: str
    prompt: str
    max_tokens: int


class PlanCompactionParams(Wire, frozen=True):
    """`entries`: the host's session tree, of which the path to `leafId` (absent: to the last) is meant. Without
    them, what the session holds is planned on. `serialize`: the conversation as text comes with the answer, for a
    host with prompts of its own."""

    session_id: str | None = None
    entries: RawList | None = None
    leaf_id: str | None = None
    settings: CutSettings | None = None
    custom_instructions: str | None = None
    format: Format | None = None
    serialize: bool | None = None


class Serialized(Wire, frozen=True, omit_defaults=False):
    """Messages as text that a model does not take for a conversation to go on with; tool results are cut to 2,000
    characters. As pi writes it."""

    history: str
    turn_prefix: str


class PlanCompactionResult(Wire, frozen=True, omit_defaults=False):
    """`reason` says why there is nothing to compact where `preparation` is null."""

    preparation: Preparation | None
    prompts: tuple[Prompt, ...]
    reason: str | None = None
    serialized: Serialized | None = None


class CompactParams(Wire, frozen=True):
    """As planCompaction; `deadlineMs` from now on. With `progressToken`, `$/progress` tells how far it is."""

    session_id: str | None = None
    entries: RawList | None = None
    leaf_id: str | None = None
    settings: CutSettings | None = None
    custom_instructions: str | None = None
    strategy: Strategy | None = None
    format: Format | None = None
    deadline_ms: Count | None = None
    progress_token: Token | None = None


class Compaction(Wire, frozen=True, omit_defaults=False):
    """A finished compaction. `details` are `{readFiles, modifiedFiles, ctxmgr: {...how it was made}}`."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: dict[str, Any]


class CompactResult(Wire, frozen=True, omit_defaults=False):
    compaction: Compaction


class GivenSettings(Wire, frozen=True):
    """Of a host's preparation; what is no number counts as absent."""

    reserve_tokens: Any = None
    keep_recent_tokens: Any = None


class HostPreparation(Wire, frozen=True):
    """A compaction as the host has prepared it, in pi's names. Members that are not listed are passed over."""

    first_kept_entry_id: str
    messages_to_summarize: RawList | None = None
    turn_prefix_messages: RawList | None = None
    is_split_turn: bool | None = None
    tokens_before: Number | None = None
    previous_summary: str | None = None
    file_ops: Any = None
    settings: GivenSettings | None = None


class TreePreparation(Wire, frozen=True):
    """A move in the session tree as the host has prepared it, in pi's names."""

    entries_to_summarize: RawList | None = None
    target_id: str | None = None
    old_leaf_id: str | None = None
    common_ancestor_id: str | None = None
    user_wants_summary: bool | None = None
    custom_instructions: str | None = None
    replace_instructions: bool | None = None


class BeforeCompactParams(Wire, frozen=True):
    """`preparation` is the host's own plan; with `branchEntries` (the whole tree) ctxmgr plans by itself."""

    session_id: str
    preparation: msgspec.Raw
    branch_entries: RawList | None = None
    leaf_id: str | None = None
    custom_instructions: str | None = None
    reason: str | None = None
    deadline_ms: Count | None = None
    progress_token: Token | None = None


class BeforeCompactResult(Wire, frozen=True):
    """Empty: the host goes on by itself. `cancel`: another compaction of this branch is running."""

    cancel: bool | None = None
    compaction: Compaction | None = None


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


class StrReplace(Wire, frozen=True, tag_field="op", tag="str_replace"):
    """The one place where `oldText` stands becomes `newText`."""

    old_text: Annotated[str, msgspec.Meta(min_length=1)]
    new_text: str


class Insert(Wire, frozen=True, tag_field="op", tag="insert"):
    """`text` after line `line`, counted from 1; 0 is before the first line, absent is at the end."""

    text: str
    line: Count | None = None


class Overwrite(Wire, frozen=True, tag_field="op", tag="overwrite"):
    """The whole text anew."""

    text: str


ScratchpadOperation = StrReplace | Insert | Overwrite


class EditScratchpadParams(Wire, frozen=True):
    """Applied in order, all or none."""

    session_id: str
    operations: list[ScratchpadOperation]


class ScratchpadResult(Wire, frozen=True, omit_defaults=False):
    """The model's own notes; `tokens` is their weight."""

    text: str
    tokens: int
    seq: int


class CompleteParams(Wire, frozen=True):
    """One model call for the host to run: one user message under a system prompt, no tools."""

    session_id: str | None
    purpose: str
    system: str
    prompt: str
    max_tokens: int


class CompleteResult(Wire, frozen=True):
    """`stopReason`: "stop", "length", "toolUse", "error" or "aborted"; only "stop" is taken for an answer."""

    text: str = ""
    stop_reason: str = "stop"
    usage: Any = None
    error_message: str | None = None


class EmbedParams(Wire, frozen=True):
    """Texts to turn into vectors, by a model of the host."""

    session_id: str | None
    texts: tuple[str, ...]


class EmbedResult(Wire, frozen=True):
    """One vector a text, in their order, all of one length."""

    vectors: list[list[float]]


class ProgressValue(Wire, frozen=True):
    """`percentage` from 0 to 100."""

    kind: Literal["begin", "report", "end"]
    message: str | None = None
    percentage: int | None = None


class ProgressParams(Wire, frozen=True):
    token: Token
    value: ProgressValue
