"""A branch of a host's session tree as cutting and summarising see it: entries, and what each gives to a model.

A format (floor 1, `ctxmgr.formats`) makes these from the host's entries; the engine decides on them.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from ctxmgr.model.messages import View

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
    newest = next((place for place in reversed(range(len(path))) if path[place].kind == "compaction"), None)
    if newest is None:
        return tuple(range(len(path)))
    kept = path[newest].first_kept
    first = next((place for place in range(newest) if kept and path[place].id == kept), newest)
    tail = (place for place in range(first, newest) if not path[place].system)
    return (newest, *tail, *range(newest + 1, len(path)))


def in_list(path: Sequence[BranchEntry]) -> tuple[BranchEntry, ...]:
    """Those entries, in that order; older compactions without their messages."""
    found = [path[place] for place in places_in_list(path)]
    return tuple(
        msgspec.structs.replace(one, messages=()) if number and one.kind == "compaction" else one
        for number, one in enumerate(found)
    )
