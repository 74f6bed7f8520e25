"""Tells what edits put into files where their calls are no longer shown: a next edit is made from that.

Rules:

1. Of each file its newest change that did not fail, the newest first. Where that is shown, or the whole file was
   read since and that is shown, nothing is told of it; nor of a file that was deleted, alone or with its directory.
   A shell's call that failed may have changed some of its files, and git may have brought back any: then nobody
   knows what they hold. What else ran may have changed them too, and the heading says so.
2. A text is told by its first lines where it is over MOST_TOKENS, with how many lines it has.
3. A line begins as in a diff, whatever ended the one before it, so that no text can be taken for a heading of the
   packet's own.
4. All of it never weighs more than its budget: a file that does not fit is left out, and smaller ones behind it
   are told.
"""

import re
from collections.abc import Container, Sequence
from itertools import accumulate

import msgspec

from ctxmgr.engine.text import one_line
from ctxmgr.engine.tools import CHANGES, GitCall, ToolCall, calls_of, git_calls, outcome_by, paths, written
from ctxmgr.model import CHARACTERS_A_TOKEN, Block, Message, Weigh

HEADING = "## What the last edits put there (their calls left; what ran since may have changed it)"
MOST_TOKENS = 200  # of one file's text
LINE_CHARACTERS = 240
PATH_CHARACTERS = 200
_NOT_MADE = re.compile(
    r"^(?:error\b|no (?:replacement|changes?|edits?|match)|.{0,40}verification failed)", re.IGNORECASE
)
# verbs of git that put other texts into files; and those that do so with some words alone, or but for some
_BRING_BACK = frozenset(("am", "apply", "cherry-pick", "clean", "merge", "pull", "rebase", "restore", "revert"))
_IN_PARTS = {
    "reset": lambda words: not {"--hard", "--merge", "--keep"}.isdisjoint(words),
    "checkout": lambda words: {"-b", "-B", "--orphan"}.isdisjoint(words),
    "switch": lambda words: {"-c", "-C", "--create", "--orphan"}.isdisjoint(words),
    "stash": lambda words: {"list", "show", "drop"}.isdisjoint(words),
}


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
            if done[2].shell is not None:
                _follow_shell(newest, done, block)
            elif not _failed(block):
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
    """By what its result is marked as, or by its first line: not every host marks an edit that was not made."""
    first = block.text.lstrip().split("\n", 1)[0]
    return block.is_error or bool(_NOT_MADE.search(first)) or outcome_by(None, first, False, True) == "failed"


def _follow_shell(newest: dict[str, _Change], done: tuple[int, Block, ToolCall], result: Block) -> None:
    """What a shell's call did to files, as far as it says."""
    call = done[2]
    line = call.shell.command if call.shell is not None else ""
    if "git" in line and any(_brings_back(one) for one in git_calls(line)):
        newest.clear()
        return
    _follow(newest, done, False)
    if result.is_error:
        for effect in call.effects:
            newest.pop(effect.path, None)


def _brings_back(one: GitCall) -> bool:
    """May it have put other texts into files than edits did?"""
    asked = _IN_PARTS.get(one.verb)
    return one.verb in _BRING_BACK or (asked is not None and asked(one.words))


def _follow(newest: dict[str, _Change], done: tuple[int, Block, ToolCall], is_shown: bool) -> None:
    """What a call did to files. `is_shown`: its result."""
    at, block, call = done
    for effect in call.effects:
        if effect.kind in CHANGES:
            newest.pop(effect.path, None)
        if effect.kind in ("delete", "move"):
            for path in [path for path in newest if path.startswith(f"{effect.path}/")]:
                del newest[path]
        if effect.kind in ("write", "edit") and effect.path:
            newest[effect.path] = _Change(at, effect.path, block)
        elif effect.kind == "read" and is_shown and effect.start is None and effect.end is None:
            newest.pop(effect.path, None)


def _told(path: str, text: str) -> str:
    """Rules 2 and 3; "" where the call does not hold the text."""
    lines = text.strip("\r\n").splitlines() if text.strip() else []
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
