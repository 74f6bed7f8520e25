"""The params and answers of compactions: planned, written, or left to the host."""

from typing import Any

import msgspec

from ctxmgr.model.api.lifecycle import Count, Number, RawList, Token, Wire
from ctxmgr.model.compaction import Format, Strategy, Weigher


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
