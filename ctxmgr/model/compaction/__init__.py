"""What a compaction or a branch summary is made from, and what is asked of a model for it.

A format (`ctxmgr.formats`) makes a branch from the host's entries, the engine decides where to cut, and a
strategy of summarising asks for completions. A strategy is a generator: it yields a tuple of
`CompletionRequest`s that may run side by side, and gets as many `Completion`s back, in their order. Who runs
them (the host, an endpoint, a test) is not known here.
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
    "Weigher",
    "in_list",
    "places_in_list",
]

EntryKind = Literal["message", "note", "branch", "compaction", "edit", ""]
Speaker = Literal["user", "assistant", "result", ""]


class MessageContent(msgspec.Struct, frozen=True, gc=False):
    """One message as a summariser is shown it, nothing shortened. `speaker` "" is not shown at all.

    `text`: of an assistant its text blocks joined by newlines, None without one; of others all text blocks.
    `thinking` None without such a block. `calls`: (tool, arguments as "name=JSON, name=JSON") each, as the
    host's own language spells JSON. `tool` and `is_error` are those of a result.
    """

    speaker: Speaker
    text: str | None = None
    thinking: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    tool: str = ""
    is_error: bool = False


class SystemPromptChange(msgspec.Struct, frozen=True, gc=False):
    """What a system message changes of the prompt, in UTF-16 units as the host counts them.

    `text_units` of its content; of a section None takes it away; `added` tools with the units of their JSON.
    `dated`: it has a time (the host takes a list of system messages without any for no prompt).
    """

    text_units: int = 0
    sections: tuple[tuple[str, int | None], ...] = ()
    added: tuple[tuple[str, int], ...] = ()
    removed: tuple[str, ...] = ()
    dated: bool = False


class BranchMessage(msgspec.Struct, frozen=True):
    """One message that an entry gives to the model's list, with edits of the host's user applied.

    `raw` is its JSON; `utf16_units` the UTF-16 units that the host itself counts (an image 4,800). `opens_turn`:
    starts a turn, for a cut; `cuttable`: a kept part may start with it. `reading_tokens`: tokens the provider
    counted up to and with this message, 0 where there is none to trust. `system`: prompt, no conversation; `prompt`
    what it changes of it. `nested`: (tool, path) of the calls that a tool made by itself, as its result tells.
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
    """What a compaction or branch summary says of files. `ours`: ctxmgr wrote it."""

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    ours: bool = False


class BranchEntry(msgspec.Struct, frozen=True):
    """One entry. `id` "" where it has none; kind "" is no context; "edit" replaces or omits another entry's
    messages.

    `messages` is what it gives to the list now; empty for metadata, and for what was edited away. `visible`: it
    gives messages by its kind, edited away or not; `answers`: it is an assistant's message. `summary`,
    `first_kept`, `details` and `from_hook` are those of a compaction or branch summary; `target` and `replaces`
    (another content, not an omission) those of an edit. `time_ms` in milliseconds since the epoch.
    `unedited` is what it gives by itself, before edits: None where that is `messages`. `system`: its message is
    prompt, edited away or not.
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
    """Places in a branch path of the entries that make the model's list now, in its order (pi's projection).

    The newest compaction first, then what it kept (from its `first_kept` on, prompts left out: the compaction
    carries them), then what came after it. Without a compaction: the whole path. An older compaction among them
    gives no messages any more.
    """
    newest = next((number for number in reversed(range(len(path))) if path[number].kind == "compaction"), None)
    if newest is None:
        return tuple(range(len(path)))
    kept = path[newest].first_kept
    first = next((number for number in range(newest) if kept and path[number].id == kept), newest)
    tail = (number for number in range(first, newest) if not path[number].system)
    return (newest, *tail, *range(newest + 1, len(path)))


def in_list(path: Sequence[BranchEntry]) -> tuple[BranchEntry, ...]:
    """Those entries, in that order; older compactions without their messages."""
    entries = [path[number] for number in places_in_list(path)]
    return tuple(
        msgspec.structs.replace(entry, messages=()) if number and entry.kind == "compaction" else entry
        for number, entry in enumerate(entries)
    )


Strategy = Literal[
    "single-shot", "parallel-stitch", "sequential-accumulated", "sequential-rolling", "incremental", "extractive"
]
Format = Literal["structured", "nine-section", "handoff", "continue"]
Weigher = Literal["tokens", "chars4"]


class FileLists(msgspec.Struct, frozen=True):
    """Paths by what was done to them, each once, in the order they were first seen."""

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


class CutBudget(msgspec.Struct, frozen=True):
    """Tokens, as `weigher` counts them: real ones, or UTF-16 units / 4 as pi does."""

    keep_recent_tokens: int = msgspec.field(default=20_000, name="keep_recent")
    reserve_tokens: int = msgspec.field(default=16_384, name="reserve")
    weigher: Weigher = "tokens"


class CompactionPlan(msgspec.Struct, frozen=True):
    """A compaction before it is written.

    `history` is what the summary is to stand for beside `previous`; of a split turn `prefix` is its part before
    the cut. `recent` are the messages from the cut on. Weights in tokens by the settings' weigher.
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
    """There is nothing to compact; `reason` is a sentence for people, without conversation in it."""

    reason: str


class BranchSummaryPlan(msgspec.Struct, frozen=True):
    """A branch summary before it is written. `ancestor`: deepest entry on both paths, None without one.

    `messages` fit the budget, oldest first; `left_out` did not. `entries` are all that were left, by id.
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
    """One model call. `max_tokens` of output. `label` says for people what it is ("slice 2 of 5").
    `on_context`: the prompt is one message more at the end of the host's own list, beside no system prompt."""

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
    """What came of an ask. `fault` says what went wrong where `stop` is "error", in words without conversation.

    `settled`: asking again is of no use, or was done already by whoever ran it.
    """

    text: str = ""
    stop: Stop = "stop"
    usage: CompletionUsage | None = None
    fault: str = ""
    settled: bool = False


LATE = Completion(stop="cancelled", fault="the deadline had passed")  # of an ask that nobody answers any more

Result = TypeVar("Result")
Asking = Generator[tuple[CompletionRequest, ...], tuple[Completion, ...], Result]
