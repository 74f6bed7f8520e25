"""Turns entries with messages in any format, or a plain list of such messages, into a branch.

For pi's own messages it uses `pi_branch`, which knows more about them. For all others it uses only their views:

1. An entry is as pi writes one; its message is in the host's format, or an array of items of one answer. Summaries
   and notes are identified by their entries. A context edit belongs to pi: here it changes nothing.
2. A message with several results, or with results beside other content, gives a message for each: a summariser
   shows and shortens them one by one. Each has a part of the JSON that is a message by itself, without duplicates.
3. A kept part may start with a user's message or an answer, but not with a result or with a message that continues
   the answer before it: providers refuse both.
4. Units are UTF-16 units of all texts; an image is 4,800, as in pi.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.formats import content
from ctxmgr.formats.message_format import MessageFormat
from ctxmgr.formats.pi_messages import pi
from ctxmgr.formats.pi_tree import branch as pi_branch
from ctxmgr.formats.pi_tree import entries
from ctxmgr.formats.pi_tree.js_spelling import entries as members_of
from ctxmgr.formats.pi_tree.js_spelling import spelled, units, whole
from ctxmgr.formats.pi_tree.message import IMAGE_UNITS
from ctxmgr.model import Block, View
from ctxmgr.model.compaction import BranchEntry, BranchMessage, EntryKind, MessageContent

STARTS = frozenset(("user", "assistant", "note", "shell"))  # roles that a kept part may start with
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def branch(fmt: MessageFormat, raws: Sequence[bytes], leaf: str | None) -> tuple[BranchEntry, ...]:
    """The path from the root to `leaf` (None: the last entry), oldest first; `raws` is the whole tree."""
    if fmt is pi:
        return pi_branch.branch(raws, leaf)
    nodes = [node for node in map(pi_branch.node, raws) if node is not None]
    placed: list[BranchEntry] = []
    before: View | None = None
    for node in entries.path(nodes, leaf):
        entry = pi_branch.entry(node)
        if entry.kind == "message" and entry.messages:
            entry = _entry(entry, _messages(fmt, entry.messages[0].raw, before))
        before = entry.messages[-1].view if entry.messages else before
        placed.append(entry)
    return tuple(placed)


def from_messages(fmt: MessageFormat, raws: Sequence[bytes], ids: Sequence[str]) -> tuple[BranchEntry, ...]:
    """The path of a session that is known only by its list; `ids` has the entry of each message, "" if unknown.

    A compaction's summary at its start, if the format has a mark for one, represents the previous compaction. Older
    token counts are ignored, because they include what was removed.
    """
    placed: list[BranchEntry] = []
    before: View | None = None
    since: int | None = None
    headed = False
    for raw, id in zip(raws, ids, strict=True):
        messages = (pi_branch.message_of(raw),) if fmt is pi else _messages(fmt, raw, before)
        before = messages[-1].view
        kind: EntryKind = "message"
        if not headed and not messages[0].system:
            headed = True
            if messages[0].view.role == "summary" and (fmt is not pi or before.summary == "compaction"):
                kind, since = "compaction", before.time_ms
        if since is not None and before.time_ms is not None and before.time_ms <= since:
            messages = tuple(msgspec.structs.replace(message, reading_tokens=0) for message in messages)
        parent = placed[-1].id or None if placed else None
        summary = before.blocks[0].text if kind == "compaction" else ""
        entry = BranchEntry(id, parent, kind, visible=True, summary=summary, time_ms=before.time_ms)
        placed.append(_entry(entry, messages))
    return tuple(placed)


def _entry(entry: BranchEntry, messages: tuple[BranchMessage, ...]) -> BranchEntry:
    return msgspec.structs.replace(
        entry,
        messages=messages,
        visible=True,
        answers=any(message.content.speaker == "assistant" for message in messages),
        system=any(message.system for message in messages),
    )


def _messages(fmt: MessageFormat, raw: bytes, before: View | None) -> tuple[BranchMessage, ...]:
    """The messages that one message of the host gives (rules 1 and 2)."""
    messages: list[BranchMessage] = []
    for item in _items(raw):
        view: View = fmt.view(item)
        parts = list(_parted(fmt, item, view))
        goes_on = bool(before and before.joins and before.role == "assistant" and view.joins)
        holds = any(block.kind == "result" for block in view.blocks)
        messages += [_message(part, part_view, not goes_on and not holds) for part, part_view in parts]
        before = view
    return tuple(messages)


def _items(raw: bytes) -> list[bytes]:
    if raw.lstrip().startswith(b"["):
        try:
            return [bytes(item) for item in _elements(raw)] or [raw]
        except content.UNREADABLE:
            pass
    return [raw]


def _parted(fmt: MessageFormat, raw: bytes, view: View) -> Iterator[tuple[bytes, View]]:
    """A message, or its results one by one and then its other content (rule 2)."""
    results = [number for number, block in enumerate(view.blocks) if block.kind == "result"]
    if not results or len(view.blocks) == 1:
        yield raw, view
        return
    every = frozenset(range(len(view.blocks)))
    for kept in (*(frozenset((number,)) for number in results), every - frozenset(results)):
        part = fmt.drop(raw, every - kept) if kept else None
        if part is not None:
            yield part, fmt.view(part)


def _pages(block: Block) -> int:
    """The pictures in a block, and the pages of its documents."""
    return sum(item.pages for item in block.media)


def _message(raw: bytes, view: View, may_start: bool) -> BranchMessage:
    counted = sum(units(block.text) + IMAGE_UNITS * _pages(block) for block in view.blocks)
    return BranchMessage(
        raw,
        view,
        _content(view),
        counted,
        opens_turn=view.opens_turn,
        cuttable=may_start and view.role in STARTS,
        reading_tokens=view.usage.total_tokens if view.usage and view.stop not in ("error", "aborted") else 0,
        system=view.role == "prompt",
    )


def _content(view: View) -> MessageContent:
    """What a summariser is shown."""
    if view.role == "assistant":
        texts = [block.text for block in view.blocks if block.kind in ("text", "summary")]
        thoughts = [block.text for block in view.blocks if block.kind == "thinking" and block.text]
        calls = tuple(_call(block) for block in view.blocks if block.kind == "call")
        text, thinking = ("\n".join(some) if some else None for some in (texts, thoughts))
        return MessageContent("assistant", text, thinking, calls)
    if view.role in ("prompt", "packet", "other"):
        return MessageContent("")
    words = whole("\n".join(block.text for block in view.blocks if block.kind in ("text", "result", "summary")))
    if view.role == "result":
        return MessageContent("result", words, tool=view.blocks[0].tool, is_error=view.blocks[0].is_error)
    return MessageContent("user", words)


def _call(block: Block) -> tuple[str, str]:
    given = block.arguments or {}
    return whole(block.tool), whole(", ".join(f"{name}={spelled(value)}" for name, value in members_of(given)))
