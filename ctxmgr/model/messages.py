"""The decoded view of a message: what the engine may know of it, whatever the host's format.

A format (`ctxmgr.formats`) turns raw JSON into a `View`; the session keeps the raw bytes beside it. Nothing here
knows JSON, tokens or a format.
"""

from collections.abc import Callable, Mapping
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import msgspec

from ctxmgr.model.media import Media
from ctxmgr.model.tools import DeclaredTools

BlockKind = Literal["text", "thinking", "call", "result", "image", "shell", "summary", "other"]
PACKET_MARK = "[ctxmgr packet]"
"""The first line of every packet. It identifies packets that come back in a message."""

PACKET_END = "[end of ctxmgr packet]"
"""The line between a packet and the user's words, if both are in one message."""

Role = Literal["user", "assistant", "result", "shell", "note", "summary", "packet", "prompt", "other"]
SummaryKind = Literal["", "compaction", "branch"]

Of = TypeVar("Of")
With = ParamSpec("With")
Found = TypeVar("Found")


def once(make: Callable[Concatenate[Of, With], Found]) -> Callable[Concatenate[Of, With], Found]:
    """Caches a pure function of a frozen object. The results are stored in the object itself, beside its fields,
    and are freed with it. Other arguments must be hashable.
    """
    name = f"{make.__module__}.{make.__qualname__}"

    def remembered(of: Of, /, *args: With.args, **more: With.kwargs) -> Found:
        known: dict[Any, Any] = of.__dict__
        key = (name, *args) if args else name
        if key not in known:
            known[key] = make(of, *args, **more)
        value: Found = known[key]
        return value

    remembered.__name__, remembered.__doc__ = make.__name__, make.__doc__
    return remembered


class Usage(msgspec.Struct, frozen=True, gc=False):
    """What a provider reported for one call, in tokens. `total_tokens`: the size from which the next call starts.
    `has_cache_read`: whether it reported cache reads, even 0.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    total_tokens: int = 0
    has_cache_read: bool = False


class Block(msgspec.Struct, frozen=True, dict=True):
    """One content block of a message: a text, a thought, a call, a result, an image.

    `text`: what is counted in tokens: the text, the thinking, the joined texts of a result, or for a call its name,
    a space and its arguments as JSON. `arguments`: a call's decoded arguments (never mutated). `media`: the images
    and documents in the block, counted separately. `content_index`: its index in the message's content, -1 if the
    message itself is the block. `can_edit`: whether the format can replace its text or arguments. For texts, only
    those of users and notes. `must_lead`: a signed thought without which the provider refuses a turn that began
    with it. `declared`: for a call, what its host declares about its tools. `marked`: whether the host itself marks
    the result as an error. `tie`: an id that it shares with other blocks, besides a call and its result: something
    that the provider ran and its outcome, a call and the program that made it, a request and its approval.
    `closes`: whether the provider refuses it without an earlier block with that id. `loads`: tools that the model
    may call from then on. `doubtful`: the format has no error flag, and this result may be an error, so it is
    protected like one. Together with `is_error`: by its first words it is an error, unless the call shows a text.
    `untold`: the format has no error flag, and nothing in the result says how the call ended. `is_told`: a result
    that the host reports as a user's text: it has no call.
    """

    kind: BlockKind
    content_index: int = -1
    text: str = ""
    call_id: str = ""
    tool: str = ""
    arguments: dict[str, Any] | None = None
    is_error: bool = False
    signed: bool = False
    can_edit: bool = False
    media: tuple[Media, ...] = ()
    doubtful: bool = False
    untold: bool = False
    declared: DeclaredTools = ()
    marked: bool = False
    must_lead: bool = False
    tie: str = ""
    closes: bool = False
    loads: tuple[str, ...] = ()
    is_told: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it is a text in its message, whatever it says."""
        return self.kind == "text" or self.is_told

    @property
    def made(self) -> "Call":
        """This block as a call."""
        return Call(self.tool, self.arguments or {}, self.declared)


class View(msgspec.Struct, frozen=True):
    """One message as the engine sees it.

    Role "prompt" is what the host says to the model outside the conversation (and what only the provider can read
    of the past): it belongs to no turn and is never removed. "result" contains tool results and nothing from a
    user. `opens_turn`: a user message that starts a turn. `summary`: set by the host's own mark, or by the words
    that it is known to put before one; in a message with another role than "summary", its block has that kind.
    `time_ms`: milliseconds since the epoch, or None if unknown. `stop` and `error`: an assistant message's stop
    reason and error text; the stop reason is stop, length, toolUse, error, aborted, or another one as the host
    spells it. `joins`: one of several items that together form an assistant's message. `leads`: a prompt that
    belongs right before the assistant's message that follows it: it stays or is removed with that message.
    """

    role: Role
    blocks: tuple[Block, ...] = ()
    opens_turn: bool = False
    summary: SummaryKind = ""
    time_ms: int | None = None
    usage: Usage | None = None
    stop: str = ""
    error: str = ""
    joins: bool = False
    leads: bool = False

    @property
    def summary_text(self) -> str:
        """The text of its summary, or "" if only the provider can read it."""
        return "\n".join(block.text for block in self.blocks if block.kind == "summary")


class Message(msgspec.Struct, frozen=True, dict=True):
    """A message in a session: the raw bytes as received, its view, and its weights in tokens (uncalibrated).

    `digest`: 16 hex characters over the raw bytes. `weights`: one number for each block of the view. `media_count`:
    the number of its images and documents.
    """

    raw: bytes
    digest: str
    view: View
    weights: tuple[int, ...]
    weight: int
    media_count: int = 0


class Call(msgspec.Struct, frozen=True):
    """A tool call as a later result refers to it. `declared`: what its host declares about its tools."""

    tool: str
    arguments: Mapping[str, Any]
    declared: DeclaredTools = ()
