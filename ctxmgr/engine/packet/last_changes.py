"""Tells what edits put into files where their calls are no longer shown: a next edit is made from that.

Rules:

1. Of each file its newest change that did not fail, the newest first. Where that is shown, or the whole file was
   read since and that is shown, nothing is told of it; nor of a file that was deleted.
2. A text is told by its first lines where it is over MOST_TOKENS, with how many lines it has.
3. A line begins as in a diff, so that no text can be taken for a heading of the packet's own.
4. All of it never weighs more than its budget: a file that does not fit is left out, and smaller ones behind it
   are told.
"""

from collections.abc import Container, Sequence
from itertools import accumulate

import msgspec

from ctxmgr.engine.text import one_line
from ctxmgr.engine.tools import CHANGES, ToolCall, calls_of, outcome_by, paths, written
from ctxmgr.model import CHARACTERS_A_TOKEN, Block, Message, Weigh

HEADING = "## What the last edits put there (their calls left; look before you rely on the rest of a file)"
MOST_TOKENS = 200  # of one file's text
LINE_CHARACTERS = 240
PATH_CHARACTERS = 200


class _Change(msgspec.Struct, frozen=True, gc=False):
    """The newest change of a file: the block of its call, and where that stands."""

    message_index: int
    path: str
    block: Block


def last_changes(messages: Sequence[Message], shown: Container[int], budget: int, weigh: Weigh) -> str:
    """In at most so many tokens; "" where nothing is to be told. `shown`: indices of messages that stand as they
    came."""
    room = budget - weigh(HEADING)
    parts: list[str] = []
    for change in reversed(_newest(messages, shown).values()) if room > 0 else ():
        if change.message_index in shown:
            continue
        text = _told(change.path, written(change.block).get(change.path, ""))
        weight = weigh(text) + 1 if text else 0
        if 0 < weight <= room:
            parts.append(text)
            room -= weight
    whole = "\n".join((HEADING, *parts))
    return whole if parts and weigh(whole) <= budget else ""


def _newest(messages: Sequence[Message], shown: Container[int]) -> dict[str, _Change]:
    """By path, the file that was changed last at the end (rule 1)."""
    newest: dict[str, _Change] = {}
    asked: dict[str, tuple[int, Block, ToolCall]] = {}
    for at, message in enumerate(messages):
        for block, call in zip(message.view.blocks, calls_of(message), strict=True):
            if block.kind == "call" and call is not None:
                asked[block.call_id] = (at, block, call)
                continue
            if block.kind == "shell" and call is not None:
                done = (at, block, call)
            elif block.kind == "result" and block.call_id in asked:
                done = asked.pop(block.call_id)
            else:
                continue
            if done[2].shell is not None or not _failed(block):
                _follow(newest, done, at in shown)
    whole = paths.same(newest)
    for path in [path for path in newest if path in whole]:  # a shell named it from where it was
        change = newest.pop(path)
        other = newest.get(whole[path])
        if other is None or other.message_index < change.message_index:
            newest.pop(whole[path], None)
            newest[whole[path]] = change
    return dict(sorted(newest.items(), key=lambda one: one[1].message_index))


def _failed(block: Block) -> bool:
    return outcome_by(None, block.text, block.is_error, block.doubtful or block.untold) == "failed"


def _follow(newest: dict[str, _Change], done: tuple[int, Block, ToolCall], is_shown: bool) -> None:
    """What a call did to files. `is_shown`: its result."""
    at, block, call = done
    for effect in call.effects:
        if effect.kind in CHANGES:
            newest.pop(effect.path, None)
        if effect.kind in ("write", "edit") and effect.path:
            newest[effect.path] = _Change(at, effect.path, block)
        elif effect.kind == "read" and is_shown and effect.start is None and effect.end is None:
            newest.pop(effect.path, None)


def _told(path: str, text: str) -> str:
    """Rules 2 and 3; "" where the call does not hold the text."""
    lines = text.strip("\n").split("\n") if text.strip() else []
    if not lines:
        return ""
    shortened = [line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…" for line in lines]
    sums = accumulate(len(line) + 2 for line in shortened)
    fitting = sum(size <= MOST_TOKENS * CHARACTERS_A_TOKEN for size in sums)
    if not fitting:
        return ""
    cut = f" (first {fitting} of {len(lines)} lines)" if fitting < len(lines) else ""
    head = f"- {one_line(path, PATH_CHARACTERS)}{cut}"
    return "\n".join((head, *(f"+{line}" for line in shortened[:fitting])))
