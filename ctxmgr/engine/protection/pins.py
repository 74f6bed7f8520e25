"""Turns pins, and texts that came back through `retrieve`, into the places of messages that must stay as they are.

Rules:
1. By digest: each message with it. By call id: the message that makes the call and its results. By tool: its calls
   and their results. By path: calls that name such a file in their arguments, patch or command line, and their
   results.
2. A path is a glob (`*` also over `/`), met by the whole path or by its end from a `/` on: `parser.py` and
   `src/*.py` mean the files that a model reads by relative and by absolute paths alike.
3. Pairs: who pins a call wants its result, and a result says little without its call. By digest alone the one
   message is meant; that its pair is not parted is a promise of every projection.
4. A result came back through `retrieve` when its call names the handle: that is cheaper than looking for the text
   in every result, and sure, whatever the host wraps around it.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions import Globs
from ctxmgr.engine.rewriting import handles_in
from ctxmgr.engine.tools import ToolCall, calls_of
from ctxmgr.model import Message, Pin

RETURNED_EPOCHS = 2  # so many epochs pass before what was asked for again may leave again
HANDLE_ARGUMENT = 200  # characters: a longer argument is no handle, whatever a host wraps around one
PATH_CHARACTERS = 4_096  # as Linux has it; a longer argument is no path


def pinned(conversation: ConversationIndex, pins: Collection[Pin]) -> frozenset[int]:
    """Indices of the messages that these pins hold."""
    by: dict[str, set[str]] = {"digest": set(), "callId": set(), "tool": set(), "path": set()}
    for pin in pins:
        by[pin.by].add(pin.value)
    found: set[int] = set()
    if not by["digest"].isdisjoint(conversation.digest_counts):
        found.update(at for at, message in enumerate(conversation.messages) if message.digest in by["digest"])
    if by["callId"] or by["tool"] or by["path"]:
        glob = _glob(tuple(sorted(by["path"])))
        naming = _naming(conversation.messages, glob)
        found |= _of_calls(conversation, by["callId"], by["tool"], naming)
    return frozenset(found)


def returned_positions(conversation: ConversationIndex, returned: Mapping[str, int], epoch: int) -> frozenset[int]:
    """Indices of results that `retrieve` gave back too lately for `epoch`, the one to be opened, to take them away.

    `returned`: handles, and the epoch in force when each came back.
    """
    held = {handle for handle, at in returned.items() if epoch - at <= RETURNED_EPOCHS}
    if not held:
        return frozenset()
    calls = [
        (at, block.call_id)
        for at, message in enumerate(conversation.messages)
        for block in message.view.blocks
        if block.kind == "call" and block.arguments and not held.isdisjoint(_named(block.arguments))
    ]
    return frozenset(_answers(conversation, set(calls)))


def protected_by_pins(
    conversation: ConversationIndex,
    pins: Collection[Pin],
    returned: Mapping[str, int],
    epoch: int,
) -> frozenset[int]:
    """Indices of what is pinned, and of what came back lately, for `epoch`, the one to be opened."""
    if not pins and not returned:
        return frozenset()
    return pinned(conversation, pins) | returned_positions(conversation, returned, epoch)


def _of_calls(
    conversation: ConversationIndex, ids: set[str], tools: set[str], naming: Container[tuple[int, int]]
) -> set[int]:
    """Rule 1 for calls, and for results whose call the list does not hold. `naming`: calls that name a pinned
    file."""
    found: set[int] = set()
    calls: set[tuple[int, str]] = set()
    for at, message in enumerate(conversation.messages):
        for number, block in enumerate(message.view.blocks):
            if block.kind == "call":
                if block.call_id in ids or block.tool in tools or (at, number) in naming:
                    calls.add((at, block.call_id))
            elif block.kind == "result" and (block.call_id in ids or block.tool in tools):
                found.add(at)
                if (asked := conversation.pairs.get(BlockRef(at, number))) is not None:
                    found.add(asked)
    found.update(at for at, _ in calls)
    return found | _answers(conversation, calls)


def _answers(conversation: ConversationIndex, calls: set[tuple[int, str]]) -> set[int]:
    """Indices of the results that answer these calls (message index, call id)."""
    if not calls:
        return set()
    return {
        ref.message_index
        for ref, asked in conversation.pairs.items()
        if (asked, conversation.block(ref).call_id) in calls
    }


def _naming(messages: Sequence[Message], glob: Globs | None) -> set[tuple[int, int]]:
    """(message index, block index) of the calls that name such a file."""
    if glob is None:
        return set()
    return {
        (at, number)
        for at, message in enumerate(messages)
        for number, call in enumerate(calls_of(message))
        if call is not None and message.view.blocks[number].kind == "call" and _meets(glob, call)
    }


def _meets(glob: Globs, call: ToolCall) -> bool:
    return any(len(path) <= PATH_CHARACTERS and glob.met(path) for path in call.paths)


@lru_cache(maxsize=64)
def _glob(patterns: tuple[str, ...]) -> Globs | None:
    """Rule 2, one matcher for all of them; None without any. What is longer than any path means none."""
    if not patterns:
        return None
    spelled = (pattern.replace("\\", "/").removeprefix("./") for pattern in patterns)
    return Globs([pattern for pattern in spelled if len(pattern) <= PATH_CHARACTERS])


def _named(arguments: Mapping[str, Any]) -> set[str]:
    """What in a call's arguments may be a handle."""
    return {
        handle
        for value in arguments.values()
        if isinstance(value, str) and len(value) <= HANDLE_ARGUMENT
        for handle in handles_in(value)
    }
