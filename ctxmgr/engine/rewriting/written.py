"""Turns an edit of a list into what its decision remembers of it, and that back into the text.

1. What was written in a block's place is remembered as written. It is sent again so by every later process and
   release, whatever weighs and words by then: else the list's prefix would change, and the cache be lost.
2. Lines of the original are remembered by where they stand in it, so that what is remembered stays small.
"""

from typing import Any

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.model import BlockEdit, Decision, Written

LEAST_RANGE = 32  # characters: two places and a line end take about as many bytes on disk


def as_written(decision: Decision, edit: BlockEdit, original: str) -> Decision:
    """The decision with what its edit puts in the place of a block whose text is `original`."""
    if edit.arguments is not None:  # as text, for what is decoded and encoded may get another order
        written: Written = (msgspec.json.encode(edit.arguments).decode(),)
    else:
        written = _written(edit.text, original)
    return msgspec.structs.replace(decision, written=written, weight=edit.after_tokens)


def arguments_of(written: Written) -> dict[str, Any]:
    """What was written in the place of a call's arguments."""
    found: dict[str, Any] = msgspec.json.decode(text_of(written, ""))
    return found


def cut_edit(conversation: ConversationIndex, ref: BlockRef, decision: Decision) -> BlockEdit:
    """What a decision to cut a block puts in its place."""
    block, key, before = conversation.block(ref), conversation.block_key(ref), conversation.block_weight(ref)
    arguments = arguments_of(decision.written) if block.kind == "call" else None
    text = text_of(decision.written, block.text) if arguments is None else ""
    at, number, weight = ref.message_index, ref.block_index, decision.weight
    return BlockEdit(at, number, "cut", text, key, before, weight, arguments, decision.media)


def text_of(written: Written, original: str) -> str:
    """What was written in the place of a block whose text is `original`."""
    return "".join([piece if isinstance(piece, str) else original[piece[0] : piece[1]] for piece in written])


def _written(text: str, original: str) -> Written:
    """The text by lines, those of the original, looked for in their order there, by their places."""
    pieces: list[str | tuple[int, int]] = []
    end = 0  # of what was found last
    for line in text.splitlines(keepends=True):
        last = pieces[-1] if pieces else ""
        if not isinstance(last, str) and original.startswith(line, end):
            end += len(line)
            pieces[-1] = (last[0], end)
            continue
        found = original.find(line.rstrip("\n"), end) if len(line) >= LEAST_RANGE else -1
        if found >= 0:
            at, end = found, found + len(line.rstrip("\n"))
            pieces.append((at, end))
            line = line[end - at :]
            if line and original.startswith(line, end):
                end += len(line)
                pieces[-1], line = (at, end), ""
        if line and pieces and isinstance(pieces[-1], str):
            pieces[-1] += line
        elif line:
            pieces.append(line)
    return tuple(pieces)
