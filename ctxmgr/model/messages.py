"""The decoded view of one message: what the engine may know of it, whatever the host's format.

A format (floor 1, `ctxmgr.formats`) turns raw JSON into a `View`; the session keeps the raw bytes beside it.
Nothing here knows JSON, tokens or a format.
"""

from collections.abc import Callable, Mapping
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import msgspec

from ctxmgr.model.media import Media
from ctxmgr.model.tools import DeclaredTools

BlockKind = Literal["text", "thinking", "call", "result", "image", "shell", "summary", "other"]
PACKET_MARK = "[ctxmgr packet]"
"""The first line of every packet, by which a message that comes back is known for one."""

PACKET_END = "[end of ctxmgr packet]"
"""The line between a packet and the user's words, where both stand in one message."""

Role = Literal["user", "assistant", "result", "shell", "note", "summary", "packet", "prompt", "other"]
SummaryKind = Literal["", "compaction", "branch"]

Of = TypeVar("Of")
With = ParamSpec("With")
Found = TypeVar("Found")


def once(make: Callable[Concatenate[Of, With], Found]) -> Callable[Concatenate[Of, With], Found]:
    """A pure function of a frozen thing that is worked out once of each: what it gave is kept in the thing itself,
    beside its fields, and leaves memory with it. Other arguments must be hashable."""
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
    """What a provider reported for one call, in tokens. `total_tokens` is what the next call starts from;
    `has_cache_read`: it says what was read from the cache, be it nothing."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    total_tokens: int = 0
    has_cache_read: bool = False


class Block(msgspec.Struct, frozen=True, dict=True):
    """One content block of a message: a text, a thought, a call, a result, an image.

    `text` is what gets weighed: the text, the thinking, a result's texts joined, or for a call its
    name, a space and its arguments as JSON. `arguments` are a call's decoded arguments (never mutated).
    `media` are the pictures and documents in the block, weighed apart. `content_index` is where it stands in the
    message's content, -1 where the message itself is the block. `can_edit` says that the format can put another
    text, or other arguments, there. Of texts only those of users and notes say so.
    `must_lead`: of a signed thought, that the provider refuses a turn that began with one and no longer does.
    `declared`: of a call, what its host says of its tools.
    `marked`: the host itself marks the result as an error.
    `tie`: an id that it shares with blocks elsewhere, beside a call and its result: what the provider ran and its
    outcome, a call and the program that made it, a request and its approval. `closes`: the provider refuses it
    where no block with that id stands before it. `loads`: tools that the model may call since.
    `doubtful`: the format has no error flag, and this result may be an error: it is protected as one is. Beside
    `is_error`: by its first words it is one, unless the call shows a text. `untold`: it has none, and nothing in
    the result says how the call ended.
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

    @property
    def made(self) -> "Call":
        """The call that it is."""
        return Call(self.tool, self.arguments or {}, self.declared)


class View(msgspec.Struct, frozen=True):
    """One message as the engine sees it.

    Role "prompt" is what the host says to the model beside the conversation (and what only the provider can read
    of the past): it belongs to no turn and is never left out. "result" holds tool results and nothing of a user.
    `opens_turn`: a user message that starts a turn. `summary`: set by the host's own mark, or by the words that
    it is known to put before one; in a message of a role other than "summary" its block is of that kind.
    `time_ms`: milliseconds since the epoch, None where the host gave no time. `stop` and `error` are an
    assistant message's stop reason and error text: stop, length, toolUse, error, aborted, or as the host spells
    another. `joins`: one of several items that together make an assistant's message. `leads`: a prompt that stands
    right before the assistant's message that it is for, and nowhere else: it stays and leaves with that.
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
        """The text of its summary; "" where only the provider can read it."""
        return "\n".join(block.text for block in self.blocks if block.kind == "summary")


class Message(msgspec.Struct, frozen=True, dict=True):
    """A message as the session holds it: raw bytes as they came, view, and weights in tokens (uncalibrated).

    `digest` is 16 hex characters over the raw bytes. `weights` has one number a block of the view. `media_count`:
    of its pictures and documents.
    """

    raw: bytes
    digest: str
    view: View
    weights: tuple[int, ...]
    weight: int
    media_count: int = 0


class Call(msgspec.Struct, frozen=True):
    """A tool call as a later result refers to it. `declared`: what its host says of its tools."""

    tool: str
    arguments: Mapping[str, Any]
    declared: DeclaredTools = ()
