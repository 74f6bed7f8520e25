"""Works out what stays unchanged in a list: protected tools, pins, instructions, the user's words within their
share. Every preset, the cut on arrival and the last fit use it. It knows lists and policies, but no plan, no state
of an epoch, and no preset.

1. The calls and results of a protected tool stay unchanged, and so do instructions and the task within their
   budgets. This also holds where pins cannot be kept.
2. Pins protect whole messages, and so does a recent return of a text through `retrieve`. A pin by digest protects
   each message with that digest; by call id, the message with the call and its results; by tool, its calls and
   their results; by path, calls that name such a file in their arguments, patch or command line, and their results.
3. A path is a glob (`*` also matches `/`). It matches the whole path, or the part after any `/`: `parser.py` and
   `src/*.py` mean the files that a model reads by relative and by absolute paths.
4. Pairs: a pinned call needs its result, and a result says little without its call. A pin by digest means only the
   one message; every projection promises that its pair is not separated.
5. A result came back through `retrieve` if its call names the handle. That is cheaper than searching every result
   for the text, and reliable whatever the host wraps around it.
6. User messages stay while all of them fit their share. Beyond it, the longest are removed first, of equally long
   ones the oldest. Messages that must stay (`invariants`), and those with more than text, are not removed.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter, sub
from typing import Any

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, carried, carried_with
from ctxmgr.engine.instructions import PATH_CHARACTERS, InPlace, Instructions, Task, globs, instructions, task
from ctxmgr.engine.rewriting import handles_in
from ctxmgr.engine.tools import calls_of
from ctxmgr.model import Message, Pin, Policy

__all__ = ["Protection", "RETURNED_EPOCHS", "UserTexts", "is_among", "pinned", "protected_by_pins", "summaries"]


class Protection(msgspec.Struct, frozen=True):
    """`pinned`: returns the indices of messages that are pinned or came back recently; called only if something is
    to be removed. `share_tokens`: how many tokens of instructions stay in place; the task gets what they leave of
    twice as many. `summary`: the newest that the host reported.
    """

    conversation: ConversationIndex
    policy: Policy
    pinned: Callable[[], frozenset[int]] = frozenset
    share_tokens: float = math.inf
    summary: str = ""

    def names(self, tool: str) -> bool:
        """Whether this tool is protected. Case is ignored, because one host writes `Read` and another `read`."""
        return is_among(tool, self.policy.protected_tools)

    def is_of_tool(self, ref: BlockRef) -> bool:
        """Whether the block is a result of a protected tool."""
        return bool(self.policy.protected_tools) and self.names(self.conversation.call_of(ref).tool)

    def results(self) -> frozenset[BlockRef]:
        """The results of protected tools."""
        return _of_tools(self.conversation, self.policy.protected_tools).results

    def calling(self) -> frozenset[int]:
        """The indices of messages that call a protected tool."""
        return _of_tools(self.conversation, self.policy.protected_tools).calling

    def all_instructions(self) -> Instructions:
        """What others told the model and still holds."""
        return instructions(self.conversation, self.policy.protected_instructions)

    def whole_task(self) -> Task:
        """What the user wants and still holds."""
        return task(self.conversation, self.policy.protected_instructions, self.summary)

    def instructions(self) -> Instructions:
        """What others told the model and still holds, within its budget."""
        held = self.all_instructions()
        if self.share_tokens == math.inf:
            return held
        return held.within(self.conversation, self.share_tokens)

    def task(self) -> Task:
        """What the user wants and still holds, within its budget."""
        held = self.whole_task()
        if self.share_tokens == math.inf or not held.parts:
            return held
        left = 2 * self.share_tokens - self.instructions().weight(self.conversation)
        return held.within(self.conversation, left)

    def told(self) -> frozenset[BlockRef]:
        """The blocks of instructions and of the task."""
        return self.instructions().blocks | self.task().blocks

    def in_place(self, dropped: Container[int]) -> InPlace:
        """How much of both budgets is used by messages that are not dropped."""
        return InPlace.of(self.conversation, self.share_tokens, self.instructions(), self.task(), dropped)

    def messages(self) -> frozenset[int]:
        """The indices of all messages that stay."""
        told = self.instructions().messages(self.conversation) | self.task().messages(self.conversation)
        return self.pinned() | told | self.calling()

    def blocks(self) -> frozenset[BlockRef]:
        """The results that are never shortened, the texts of instructions and the blocks of the task."""
        pinned = frozenset(ref for index in self.pinned() for ref, _ in self.conversation.results(index))
        return pinned | self.told() | self.results()

    def unpinned(self) -> "Protection":
        """The same protection without pins."""
        return msgspec.structs.replace(self, pinned=frozenset)


class _OfTools(msgspec.Struct, frozen=True):
    """The results of some tools, and the indices of messages with an answered call of one of them."""

    results: frozenset[BlockRef] = frozenset()
    calling: frozenset[int] = frozenset()


@carried
def _of_tools(
    conversation: ConversationIndex, before: _OfTools | None, start: int, names: tuple[str, ...]
) -> _OfTools:
    before, pairs = before or _OfTools(), conversation.pairs
    new = [ref for ref, _ in conversation.answers(start)] if names else []
    if not new:
        return before
    results = (ref for ref in new if is_among(conversation.call_of(ref).tool, names))
    calling = (
        asked
        for asked in {pairs[ref] for ref in new}
        if any(is_among(block.tool, names) for block in conversation.messages[asked].view.blocks)
    )
    return _OfTools(before.results.union(results), before.calling.union(calling))


def _results(conversation: ConversationIndex, start: int) -> Iterator[BlockRef]:
    """Each tool result from the message `start` on."""
    return (ref for index in range(start, conversation.size) for ref, _ in conversation.results(index))


def is_among(tool: str, names: Sequence[str]) -> bool:
    """Whether a tool is among these names, ignoring case."""
    folded = tool.casefold()
    return any(name.casefold() == folded for name in names)


def summaries(conversation: ConversationIndex, digests: Iterable[str]) -> frozenset[int]:
    """The indices of user messages with these digests. A host starts a list with such a message after a compaction:
    no user wrote it, and it says what came before.
    """
    by_digest = _users(conversation)
    return frozenset(index for digest in digests for index in by_digest.get(digest, ()))


@carried
def _users(
    conversation: ConversationIndex, before: dict[str, tuple[int, ...]] | None, start: int
) -> dict[str, tuple[int, ...]]:
    """The indices of user messages, by digest."""
    users = dict(before or {})
    for index in range(start, conversation.size):
        message = conversation.messages[index]
        if message.view.role == "user":
            users[message.digest] = (*users.get(message.digest, ()), index)
    return users


class UserTexts(msgspec.Struct, frozen=True):
    """User messages that contain only text. `order`: (-tokens, index), in the order of removal (rule 6). `sums[n]`:
    tokens of the first `n` of them. `indices` of all.
    """

    order: tuple[tuple[int, int], ...] = ()
    sums: tuple[int, ...] = (0,)
    indices: frozenset[int] = frozenset()

    def having(self, conversation: ConversationIndex, users: Iterable[int]) -> "UserTexts":
        """These texts, with those of the given user messages added."""
        new = [
            index
            for index in users
            if all(block.is_text and not block.media for block in conversation.messages[index].view.blocks)
        ]
        order = sorted((*self.order, *((-conversation.messages[index].weight, index) for index in new)))
        sums = accumulate(map(itemgetter(0), order), sub, initial=0)
        return UserTexts(tuple(order), tuple(sums), self.indices.union(new))

    def leaving(self, conversation: ConversationIndex, over: float, stays: Iterable[int]) -> frozenset[int]:
        """The messages to remove so that `over` tokens are removed. `stays`: the indices that must stay; the cost
        is proportional to their number.
        """
        count = bisect_left(self.sums, over)
        for weight, index in sorted((-conversation.messages[index].weight, index) for index in stays):
            if bisect_left(self.order, (weight, index)) < count:
                over -= weight
                count = bisect_left(self.sums, over)
        return frozenset(map(itemgetter(1), self.order[:count])).difference(stays)


RETURNED_EPOCHS = 2  # how many epochs pass before returned content may be removed again
HANDLE_ARGUMENT = 200  # characters; a longer argument is not a handle, whatever a host wraps around one


class _Pinned(msgspec.Struct, frozen=True):
    """The indices of the messages that `pins` protect, and the calls whose results they protect: (message index,
    call id).
    """

    pins: tuple[Pin, ...]
    indices: frozenset[int] = frozenset()
    calls: frozenset[tuple[int, str]] = frozenset()


def pinned(conversation: ConversationIndex, pins: Iterable[Pin]) -> frozenset[int]:
    """The indices of the messages that these pins protect."""
    return _pinned(conversation, tuple(pins)).indices


@carried_with
def _pinned(conversation: ConversationIndex, before: _Pinned | None, start: int, pins: tuple[Pin, ...]) -> _Pinned:
    if before is None or before.pins != pins:
        before, start = _Pinned(pins), 0
    if start == conversation.size:
        return before
    by: dict[str, set[str]] = {"digest": set(), "callId": set(), "tool": set(), "path": set()}
    for pin in pins:
        by[pin.by].add(pin.value)
    ids, tools, glob = by["callId"], by["tool"], _glob(tuple(sorted(by["path"])))
    indices, calls = set(before.indices), set(before.calls)
    for index in range(start, conversation.size):
        message = conversation.messages[index]
        if message.digest in by["digest"]:
            indices.add(index)
        naming = _naming(message, glob)
        for number, block in enumerate(message.view.blocks):
            held = block.call_id in ids or block.tool in tools
            if block.kind == "call" and (held or number in naming):
                indices.add(index)
                calls.add((index, block.call_id))
            elif block.kind == "result":  # also for results whose call is not in the list (rule 2)
                asked = conversation.pairs.get(BlockRef(index, number))
                if held or (asked is not None and (asked, block.call_id) in calls):
                    indices.update((index,) if asked is None else (index, asked))
    return _Pinned(pins, frozenset(indices), frozenset(calls))


def returned_positions(conversation: ConversationIndex, returned: Mapping[str, int], epoch: int) -> frozenset[int]:
    """The indices of results that `retrieve` returned too recently to be removed in `epoch`, the one to be opened.

    `returned`: handles, and the epoch in which each came back.
    """
    held = [handle for handle, returned_in in returned.items() if epoch - returned_in <= RETURNED_EPOCHS]
    by_handle = _answers(conversation) if held else {}
    return frozenset(index for handle in held for index in by_handle.get(handle, ()))


@carried
def _answers(
    conversation: ConversationIndex, before: dict[str, tuple[int, ...]] | None, start: int
) -> dict[str, tuple[int, ...]]:
    """The indices of results whose calls name a handle, by handle."""
    answers = dict(before or {})
    for ref in _results(conversation, start):
        for handle in _named(conversation.call_of(ref).arguments):
            answers[handle] = (*answers.get(handle, ()), ref.message_index)
    return answers


def protected_by_pins(
    conversation: ConversationIndex,
    pins: Collection[Pin],
    returned: Mapping[str, int],
    epoch: int,
) -> frozenset[int]:
    """The indices of messages that are pinned or came back recently. `epoch`: the one to be opened."""
    if not pins and not returned:
        return frozenset()
    return pinned(conversation, pins) | returned_positions(conversation, returned, epoch)


def _naming(message: Message, glob: re.Pattern[str] | None) -> frozenset[int]:
    """The indices of the message's blocks that name a matching file."""
    if glob is None:
        return frozenset()
    return frozenset(
        number
        for number, call in enumerate(calls_of(message))
        if call is not None and any(len(path) <= PATH_CHARACTERS and glob.match(path) for path in call.paths)
    )


@lru_cache(maxsize=64)
def _glob(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    """One matcher for all patterns (rule 3), or None without any. A pattern longer than any path matches
    nothing.
    """
    if not patterns:
        return None
    spelled = (pattern.replace("\\", "/").removeprefix("./") for pattern in patterns)
    return globs(pattern for pattern in spelled if len(pattern) <= PATH_CHARACTERS)


def _named(arguments: Mapping[str, Any]) -> set[str]:
    """The possible handles in a call's arguments."""
    return {
        handle
        for value in arguments.values()
        if isinstance(value, str) and len(value) <= HANDLE_ARGUMENT
        for handle in handles_in(value)
    }
