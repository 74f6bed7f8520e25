"""What a compaction or a branch summary is made from, and the model calls for it.

A format (`ctxmgr.formats`) builds a branch from the host's entries, the engine decides where to cut, and a summary
strategy asks for completions. A strategy is a generator: it yields a tuple of `CompletionRequest`s that may run in
parallel, and receives as many `Completion`s in the same order. This package does not know who runs them (the host,
an endpoint, a test).
"""

from collections.abc import Generator, Sequence
from typing import Literal, TypeVar

import msgspec

from ctxmgr.model.messages import View

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
    "WITHOUT_MODEL",
    "Weigher",
    "in_list",
    "places_in_list",
    "uses_model",
]

EntryKind = Literal["message", "note", "branch", "compaction", "edit", ""]
Speaker = Literal["user", "assistant", "result", ""]


class MessageContent(msgspec.Struct, frozen=True, gc=False):
    """One message as shown to a summarizer, unshortened. A message with `speaker` "" is not shown.

    `text`: an assistant's text blocks joined by newlines, None without any; for others, all text blocks.
    `thinking`: None without such a block. `calls`: (tool, arguments as "name=JSON, name=JSON") for each call, with
    JSON as the host's own language spells it. `tool` and `is_error`: of a result.
    """

    speaker: Speaker
    text: str | None = None
    thinking: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    tool: str = ""
    is_error: bool = False


class SystemPromptChange(msgspec.Struct, frozen=True, gc=False):
    """How a system message changes the prompt, in UTF-16 units as the host counts them.

    `text_units`: of its content. `sections`: (name, units), None for a removed one. `added`: tools with the units
    of their JSON. `dated`: whether it has a time. The host does not treat a list of undated system messages as a
    prompt.
    """

    text_units: int = 0
    sections: tuple[tuple[str, int | None], ...] = ()
    added: tuple[tuple[str, int], ...] = ()
    removed: tuple[str, ...] = ()
    dated: bool = False


class BranchMessage(msgspec.Struct, frozen=True):
    """One message that an entry adds to the model's list, after edits by the host's user.

    `raw`: its JSON. `utf16_units`: the UTF-16 units that the host itself counts (an image counts 4,800).
    `opens_turn`: whether it starts a turn, for a cut. `cuttable`: whether a kept part may start with it.
    `reading_tokens`: the tokens that the provider counted up to and including this message, 0 without a reliable
    count. `system`: whether it belongs to the prompt instead of the conversation. `prompt`: what it changes in the
    prompt. `nested`: (tool, path) of the calls that a tool made itself, according to its result.
    """

    raw: bytes
    view: View
    content: MessageContent
    utf16_units: int
    opens_turn: bool = False
    cuttable: bool = False
    reading_tokens: int = 0
    system: bool = False
    prompt: SystemPromptChange | None = None
    nested: tuple[tuple[str, str], ...] = ()


class Details(msgspec.Struct, frozen=True, gc=False):
    """What a compaction or branch summary says about files. `ours`: ctxmgr wrote it."""

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    ours: bool = False


class BranchEntry(msgspec.Struct, frozen=True):
    """One entry. `id`: "" without one. Kind "" is not part of the context; "edit" replaces or omits another entry's
    messages.

    `messages`: what it currently adds to the list; empty for metadata, and if edited away. `visible`: whether its
    kind adds messages, even if edited away. `answers`: whether it is an assistant's message. `summary`,
    `first_kept`, `details` and `from_hook` are set for a compaction or branch summary; `target` and `replaces`
    (another content, not an omission) for an edit. `time_ms`: in milliseconds since the epoch. `unedited`: what it
    adds without edits, None if that is `messages`. `system`: whether its message belongs to the prompt, even if
    edited away.
    """

    id: str
    parent: str | None
    kind: EntryKind
    messages: tuple[BranchMessage, ...] = ()
    visible: bool = False
    answers: bool = False
    summary: str = ""
    first_kept: str | None = None
    details: Details = Details()
    from_hook: bool = False
    target: str | None = None
    replaces: bool = False
    time_ms: int | None = None
    unedited: tuple[BranchMessage, ...] | None = None
    system: bool = False


def places_in_list(path: Sequence[BranchEntry]) -> tuple[int, ...]:
    """The indexes in a branch path of the entries that form the model's current list, in its order (pi's
    projection).

    First the newest compaction, then what it kept (from its `first_kept` on, without prompts, which the compaction
    includes), then what came after it. Without a compaction: the whole path. An older compaction among them adds no
    messages.
    """
    newest = next((number for number in reversed(range(len(path))) if path[number].kind == "compaction"), None)
    if newest is None:
        return tuple(range(len(path)))
    kept = path[newest].first_kept
    first = next((number for number in range(newest) if kept and path[number].id == kept), newest)
    tail = (number for number in range(first, newest) if not path[number].system)
    return (newest, *tail, *range(newest + 1, len(path)))


def in_list(path: Sequence[BranchEntry]) -> tuple[BranchEntry, ...]:
    """The entries of the list, in its order. Older compactions have no messages."""
    entries = [path[number] for number in places_in_list(path)]
    return tuple(
        msgspec.structs.replace(entry, messages=()) if number and entry.kind == "compaction" else entry
        for number, entry in enumerate(entries)
    )


Strategy = Literal[
    "single-shot", "parallel-stitch", "sequential-accumulated", "sequential-rolling", "incremental", "extractive"
]
WITHOUT_MODEL: Strategy = "extractive"
Format = Literal["structured", "nine-section", "handoff", "continue"]
Weigher = Literal["tokens", "chars4"]


def uses_model(strategy: Strategy) -> bool:
    """Whether a model writes the summary. Otherwise it consists of facts and extracts."""
    return strategy != WITHOUT_MODEL


class FileLists(msgspec.Struct, frozen=True):
    """Paths by what was done to them, each once, in the order in which they were first seen."""

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


class CutBudget(msgspec.Struct, frozen=True):
    """Token budgets, as counted by `weigher`: actual tokens, or UTF-16 units / 4 like pi."""

    keep_recent_tokens: int = msgspec.field(default=20_000, name="keep_recent")
    reserve_tokens: int = msgspec.field(default=16_384, name="reserve")
    weigher: Weigher = "tokens"


class CompactionPlan(msgspec.Struct, frozen=True):
    """A compaction before it is written.

    `history`: what the summary covers, in addition to `previous`. `prefix`: the part of a split turn before the
    cut. `recent`: the messages from the cut on. Weights in tokens by the settings' weigher.
    """

    first_kept: str
    history: tuple[BranchMessage, ...]
    prefix: tuple[BranchMessage, ...]
    split: bool
    tokens_before: int
    previous: str | None
    files: FileLists
    settings: CutBudget
    recent: tuple[BranchMessage, ...] = ()


class NothingToCompact(msgspec.Struct, frozen=True, gc=False):
    """There is nothing to compact. `reason` is a sentence for people, without conversation text."""

    reason: str


class BranchSummaryPlan(msgspec.Struct, frozen=True):
    """A branch summary before it is written. `ancestor`: the deepest entry on both paths, or None.

    `messages` fit the budget, oldest first; `left_out` did not. `entries`: the ids of all entries of the abandoned
    branch.
    """

    ancestor: str | None
    entries: tuple[str, ...]
    messages: tuple[BranchMessage, ...]
    left_out: tuple[BranchMessage, ...]
    files: FileLists
    weight: int = 0


Purpose = Literal["history", "turn-prefix", "slice", "merge", "branch", "short"]
Stop = Literal["stop", "length", "toolUse", "error", "cancelled"]


class CompletionRequest(msgspec.Struct, frozen=True):
    """One model call. `max_tokens`: of output. `label`: what it is, for people ("slice 2 of 5"). `on_context`: the
    prompt is one more message at the end of the host's own list, without a system prompt of its own.
    """

    purpose: Purpose
    system: str
    prompt: str
    max_tokens: int
    label: str = ""
    on_context: bool = False


class CompletionUsage(msgspec.Struct, frozen=True):
    """Tokens as the provider reported them."""

    input_tokens: int = 0
    output_tokens: int = 0


class Completion(msgspec.Struct, frozen=True):
    """The result of a request. `fault`: what went wrong if `stop` is "error", without conversation text.

    `settled`: a retry is useless, or was already made by whoever ran it.
    """

    text: str = ""
    stop: Stop = "stop"
    usage: CompletionUsage | None = None
    fault: str = ""
    settled: bool = False


LATE = Completion(stop="cancelled", fault="the deadline had passed")  # for a request that nobody will answer

Result = TypeVar("Result")
Asking = Generator[tuple[CompletionRequest, ...], tuple[Completion, ...], Result]
