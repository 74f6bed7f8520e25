"""Turns a list into the results that later calls made out of date.

1. A result that shows files, and nothing else, is out of date where each of them was read or written whole since.
   A part that was read stands for no whole.
2. So is a result where the same call (a read, a look, a check) was made again, and no file that it shows was
   changed in between.
3. A result that failed is never out of date, and makes none so: what went wrong stays readable. Nor does one that
   a host cut or cleared, or of which a shell hid that it failed.
4. A path seen from a directory that a shell went to in an earlier call may be another file, as hosts differ in
   whether their shell stays there: it is one by itself.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import FileEffect, ToolCall, calls_of, identity, outcome, paths
from ctxmgr.model import Block, Message, once

Reason = Literal["read again", "written later", "repeated"]
AWAY = "\0"  # between a directory that a shell went to, and a path seen from there (rule 4)
READ_LINES = 2_000  # that a read shows at most where no limit was asked for (pi, Claude Code, OpenCode)
HEAD_CHARACTERS, END_CHARACTERS = 600, 1_000  # where a host's own notes stand
_GOES_ON = (" to continue", "to read beyond line")  # what such a note says where the file has more lines
_TRUNCATED = ("tokens ", "characters ", "chars ", "lines ", "utput ", "[", "…")  # what stands before the word
_CUT = ("<response clipped>", "only part of this file has been shown", "Full output: ", "Full output saved to")
_UNFINISHED = ("Process running with session ID", "Script running with cell ID")
_HIDDEN = (": No such file", ": Permission denied", ": Is a directory", "can't read ", "cannot open ")
_CLEARED = ("old tool result content cleared", "file unchanged since")

_encode = msgspec.json.Encoder(order="deterministic").encode


class _Result(msgspec.Struct, frozen=True):
    """One result. `files`: what its call did to which; `same`: what makes another call the same, "" where the same
    again shows nothing of this; `failed`, or may have."""

    ref: BlockRef
    files: tuple[tuple[FileEffect, str], ...]
    same: str
    is_shell: bool
    failed: bool

    @property
    def reads(self) -> list[str]:
        """The files that it shows."""
        return [path for effect, path in self.files if effect.kind == "read"]


@once
def superseded(conversation: ConversationIndex) -> dict[BlockRef, Reason]:
    """Those that are out of date, in the list's order, with the reason. Linear in the list."""
    results = list(_results(conversation))
    known = paths.same(path for result in results for _, path in result.files if AWAY not in path)
    later: dict[str, Reason] = {}  # what happened last to each file that was read or written whole
    changes: Counter[str] = Counter()
    again: set[tuple[str, ...]] = set()
    reasons: dict[BlockRef, Reason] = {}
    for result in reversed(results):
        text = conversation.block(result.ref).text
        reads = [known.get(path, path) for path in result.reads]
        same = (result.same, *(f"{path} {changes[path]}" for path in reads))
        if not result.failed and reads and len(reads) == len(result.files) and later.keys() >= set(reads):
            reasons[result.ref] = later[reads[0]]
        elif not result.failed and same in again:
            reasons[result.ref] = "read again" if len(reads) == len(result.files) else "repeated"
        if result.same and not result.failed and _is_whole(text):
            again.add(same)
        for effect, path in result.files:
            path = known.get(path, path)
            changes[path] += effect.kind in ("write", "edit")
            if effect.kind == "write" and effect.whole and not result.failed:
                later.setdefault(path, "written later")
            elif effect.kind == "read" and effect.whole and _shows_all(result, text):
                later.setdefault(path, "read again")
    return dict(sorted(reasons.items()))


def _results(conversation: ConversationIndex) -> Iterator[_Result]:
    went = ""  # where a shell was told to go to last
    for ref, asked_at in conversation.pairs.items():
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
        yield _Result(ref, files, same and away + same, call.kind == "run", failed or block.is_error)
        if call.shell is not None and call.shell.directory:
            went = call.shell.directory


@once
def _calls(message: Message) -> dict[str, tuple[ToolCall, str]]:
    """The calls of a message by their ids, each with what makes another the same."""
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
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):  # no JSON can say it
        encoded = json.dumps(arguments, sort_keys=True, default=str).encode()
    return f"{block.tool} {encoded.decode()}"


def _is_whole(text: str) -> bool:
    """Whether a host neither cut nor cleared this, and the run that printed it has ended."""
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
