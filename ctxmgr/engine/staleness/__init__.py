"""Finds the results in a list that later calls made outdated, from the list's `history` of its files. Knows no
budget and no plan.

1. A result that shows only files is outdated if each of them was read or written as a whole since. A partial read
   does not count as a whole.
2. So is a result if the same call (a read, a look, a check) was made again, and no file that it shows changed in
   between.
3. A failed result is never outdated and makes none so: what went wrong stays readable. The same holds for a result
   that a host cut or cleared, or whose failure a shell hid.
4. A path seen from a directory that a shell entered in an earlier call may be another file, since hosts differ in
   whether their shell stays there. It counts as a separate file.
"""

import json
import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, carried
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import FileEffect, ToolCall, calls_of, identity, outcome, paths
from ctxmgr.model import Block, Message, once

__all__ = ["history", "superseded"]

Reason = Literal["read again", "written later", "repeated"]
AWAY = "\0"  # between a directory that a shell entered, and a path seen from there (rule 4)
READ_LINES = 2_000  # the most a read shows without a limit (pi, Claude Code, OpenCode)
HEAD_CHARACTERS, END_CHARACTERS = 600, 1_000  # where a host's own notes appear
_GOES_ON = (" to continue", "to read beyond line")  # in such a note if the file has more lines
_TRUNCATED = ("tokens ", "characters ", "chars ", "lines ", "utput ", "[", "…")  # what precedes the word
_CUT = ("<response clipped>", "only part of this file has been shown", "Full output: ", "Full output saved to")
_UNFINISHED = ("Process running with session ID", "Script running with cell ID")
_HIDDEN = (": No such file", ": Permission denied", ": Is a directory", "can't read ", "cannot open ")
_CLEARED = ("old tool result content cleared", "file unchanged since")

_encode = msgspec.json.Encoder(order="deterministic").encode


class _Result(msgspec.Struct, frozen=True):
    """One result. `files`: what its call did to which. `same`: identifies repetitions of the call, "" if repeating
    it shows nothing of this. `failed`, or may have.
    """

    ref: BlockRef
    files: tuple[tuple[FileEffect, str], ...]
    same: str
    is_shell: bool
    failed: bool

    @property
    def reads(self) -> list[str]:
        """The files that it shows."""
        return [path for effect, path in self.files if effect.kind == "read"]


Asked = tuple[str, ...]
"""What a call asks for, with the state in which each file is that it reads: what is equal shows the same."""


class History(msgspec.Struct, frozen=True):
    """What calls did to files, from the list. Results are numbered in order.

    `asked`: by number. `went`: the directory that a shell last entered. `paths`: all named ones, and the relative
    ones that are `known` to be an absolute one. `changes` of each file. `whole`: when each was last read or written
    as a whole, and by which. `again`: when the same call was last made and shown whole.
    """

    results: list[_Result] = []
    numbers: dict[BlockRef, int] = {}
    asked: list[Asked] = []
    went: str = ""
    paths: dict[str, None] = {}
    known: Mapping[str, str] = {}
    changes: dict[str, int] = {}
    whole: dict[str, tuple[int, Reason]] = {}
    again: dict[Asked, int] = {}

    def reason(self, number: int) -> Reason | None:
        """Why a result is outdated, or None."""
        result = self.results[number]
        if result.failed:
            return None
        reads = [self.known.get(path, path) for path in result.reads]
        shows_files = bool(reads) and len(reads) == len(result.files)
        if shows_files and all(self.whole.get(path, NEVER)[0] > number for path in reads):
            return self.whole[reads[0]][1]
        if self.again.get(self.asked[number], -1) > number:
            return "read again" if len(reads) == len(result.files) else "repeated"
        return None

    def reason_of(self, ref: BlockRef) -> Reason | None:
        """The same by position."""
        number = self.numbers.get(ref)
        return None if number is None else self.reason(number)


NEVER: tuple[int, Reason] = (-1, "read again")


def superseded(conversation: ConversationIndex) -> dict[BlockRef, Reason]:
    """The outdated results in list order, with the reason. Linear in the list."""
    told = history(conversation)
    reasons = ((result.ref, told.reason(number)) for number, result in enumerate(told.results))
    return dict(sorted((ref, reason) for ref, reason in reasons if reason is not None))


@carried
def history(conversation: ConversationIndex, before: History | None, start: int) -> History:
    """Takes time in proportion to what is new, and, if that names a new file, to the names of all files."""
    before = before or History()
    new, went = _results(conversation, start, before.went)
    named = before.paths | {path: None for result in new for _, path in result.files if AWAY not in path}
    known = before.known if len(named) == len(before.paths) else paths.same(named)
    if any(known.get(path) != before.known.get(path) for path in (*before.known, *known) if path in before.paths):
        before, new = History(), [*before.results, *new]  # an earlier name means another file now
    grown = History(
        results=[*before.results, *new],
        numbers=before.numbers | {result.ref: number for number, result in enumerate(new, len(before.results))},
        asked=list(before.asked),
        went=went,
        paths=named,
        known=known,
        changes=dict(before.changes),
        whole=dict(before.whole),
        again=dict(before.again),
    )
    for number, result in enumerate(new, len(before.results)):
        _add(grown, number, result, conversation.block(result.ref).text)
    return grown


def _add(history: History, number: int, result: _Result, text: str) -> None:
    """Adds a result. Reads its text only if it may make an earlier one outdated."""
    known, changes = history.known, history.changes
    for effect, path in reversed(result.files):
        path = known.get(path, path)
        is_first = path not in changes
        changes[path] = changes.get(path, 0) + (effect.kind in ("write", "edit"))
        if effect.kind == "write" and effect.whole and not result.failed:
            history.whole[path] = number, "written later"
        elif effect.kind == "read" and effect.whole and (is_first or _shows_all(result, text)):
            history.whole[path] = number, "read again"
    reads = (known.get(path, path) for path in result.reads)
    asked = (result.same, *(f"{path} {changes[path]}" for path in reads))
    history.asked.append(asked)
    if result.same and not result.failed and (asked not in history.again or _is_whole(text)):
        history.again[asked] = number


def _results(conversation: ConversationIndex, start: int, went: str) -> tuple[list[_Result], str]:
    """The results in the messages from `start` on, and the directory that a shell last entered. `went`: before
    them.
    """
    results: list[_Result] = []
    for ref, asked_at in conversation.answers(start):
        block = conversation.block(ref)
        call, same = _calls(conversation.messages[asked_at]).get(block.call_id, (None, ""))
        if call is None:
            continue
        away = f"{went}{AWAY}" if call.kind == "run" and went else ""
        files = tuple(
            (effect, effect.path if paths.is_absolute(effect.path) else f"{away}{effect.path}")
            for effect in call.effects
            if effect.path or effect.kind not in ("read", "write", "edit")
        )
        failed = outcome(call, block.text, block.is_error, block.doubtful) == "failed" or block.doubtful
        results.append(_Result(ref, files, same and away + same, call.kind == "run", failed or block.is_error))
        if call.shell is not None and call.shell.directory:
            went = call.shell.directory
    return results, went


@once
def _calls(message: Message) -> dict[str, tuple[ToolCall, str]]:
    """The calls of a message by id, each with its repetition key."""
    pairs = zip(message.view.blocks, calls_of(message), strict=True)
    return {
        block.call_id: (call, _same(block) if call.repeats else "")
        for block, call in pairs
        if block.kind == "call" and call is not None
    }


def _same(block: Block) -> str:
    arguments = identity(block.arguments or {})
    try:
        encoded = _encode(arguments)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):  # JSON cannot express it
        encoded = json.dumps(arguments, sort_keys=True, default=str).encode()
    return f"{block.tool} {encoded.decode()}"


def _is_whole(text: str) -> bool:
    """Whether a host neither cut nor cleared this, and its run has ended."""
    head = text[:HEAD_CHARACTERS]
    if head.lstrip("[< \n").casefold().startswith(_CLEARED):
        return False
    if marker.is_marker(text) or any(words in text for words in _CUT):
        return False
    cuts = (text.endswith(_TRUNCATED, 0, match.start()) for match in re.finditer("truncated", text))
    return not any(cuts) and not any(words in head for words in _UNFINISHED)


def _shows_all(result: _Result, text: str) -> bool:
    """Whether a read of whole files shows them whole."""
    if result.failed or not text.strip() or not _is_whole(text):
        return False
    if result.is_shell:
        return not any(words in text for words in _HIDDEN)
    return text.count("\n") < READ_LINES and not any(words in text[-END_CHARACTERS:] for words in _GOES_ON)
