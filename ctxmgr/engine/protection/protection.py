"""What of a list stays as it is: every preset, the cut on arrival and the last fit read it here and nowhere else.

1. A protected tool's calls and results stay as they are, and so do instructions and the task within their budgets:
   all of them also where pins cannot.
2. Pins hold whole messages, and so do texts that came back lately through `retrieve`. A pin by digest holds each
   message with it; by call id, the message that makes the call and its results; by tool, its calls and their
   results; by path, calls that name such a file in their arguments, patch or command line, and their results.
3. A path is a glob (`*` also over `/`), met by the whole path or by its end from a `/` on: `parser.py` and
   `src/*.py` mean the files that a model reads by relative and by absolute paths alike.
4. Pairs: who pins a call wants its result, and a result says little without its call. By digest alone the one
   message is meant; that its pair is not parted is a promise of every projection.
5. A result came back through `retrieve` when its call names the handle: that is cheaper than looking for the text
   in every result, and sure, whatever the host wraps around it.
6. User messages stay while all of them fit their share; beyond it the longest leave, of equally long ones the
   oldest first. What must stay does (`invariants`), and what holds more than text.
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
from ctxmgr.engine.tools import ToolCall, calls_of
from ctxmgr.model import Message, Pin, Policy


class Protection(msgspec.Struct, frozen=True):
    """`pinned`: messages that are pinned or came back lately, by index, asked for only where something is to leave.
    `share_tokens`: so many of instructions stay in place, and of the task what they leave of twice as many.
    `summary`: the newest that the host told of."""

    conversation: ConversationIndex
    policy: Policy
    pinned: Callable[[], frozenset[int]] = frozenset
    share_tokens: float = math.inf
    summary: str = ""

    def names(self, tool: str) -> bool:
        """Whether this tool is protected. Names are the same in whatever case: one host calls `Read` what another
        calls `read`."""
        return is_among(tool, self.policy.protected_tools)

    def is_of_tool(self, ref: BlockRef) -> bool:
        """Whether it is a result of a protected tool."""
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
        """How much of both budgets messages take that are not dropped."""
        weigh = self.conversation.block_weight
        instructions, task = (
            sum(weigh(ref) for ref in blocks if ref.message_index not in dropped)
            for blocks in (self.instructions().blocks, self.task().blocks)
        )
        return InPlace(self.share_tokens, instructions, task)

    def messages(self) -> frozenset[int]:
        """All that stays, by index."""
        told = self.instructions().messages(self.conversation) | self.task().messages(self.conversation)
        return self.pinned() | told | self.calling()

    def blocks(self) -> frozenset[BlockRef]:
        """The results that are never shortened, the texts of instructions and the blocks of the task."""
        pinned = frozenset(ref for index in self.pinned() for ref, _ in self.conversation.results(index))
        return pinned | self.told() | self.results()

    def unpinned(self) -> "Protection":
        """The same without pins."""
        return msgspec.structs.replace(self, pinned=frozenset)


class _OfTools(msgspec.Struct, frozen=True):
    """The results of some tools, and the indices of messages that call one of them and are answered."""

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
    """Each tool result from a message on."""
    return (ref for index in range(start, conversation.size) for ref, _ in conversation.results(index))


def is_among(tool: str, names: Sequence[str]) -> bool:
    """Whether a tool is among these, in whatever case."""
    folded = tool.casefold()
    return any(name.casefold() == folded for name in names)


def summaries(conversation: ConversationIndex, digests: Iterable[str]) -> frozenset[int]:
    """The indices of user messages that a list begins anew with, known by these digests: no user wrote them, and
    they say what was before."""
    by_digest = _users(conversation)
    return frozenset(index for digest in digests for index in by_digest.get(digest, ()))


@carried
def _users(
    conversation: ConversationIndex, before: dict[str, tuple[int, ...]] | None, start: int
) -> dict[str, tuple[int, ...]]:
    """The indices of user messages by their digest."""
    users = dict(before or {})
    for index in range(start, conversation.size):
        message = conversation.messages[index]
        if message.view.role == "user":
            users[message.digest] = (*users.get(message.digest, ()), index)
    return users


class UserTexts(msgspec.Struct, frozen=True):
    """User messages that hold text alone. `order`: (-tokens, index), sorted as they leave (rule 6); `sums[n]`:
    tokens of the first `n` of them; `indices` of all."""

    order: tuple[tuple[int, int], ...] = ()
    sums: tuple[int, ...] = (0,)
    indices: frozenset[int] = frozenset()

    def having(self, conversation: ConversationIndex, users: Iterable[int]) -> "UserTexts":
        """With those among these messages of users."""
        new = [
            index
            for index in users
            if all(block.kind == "text" and not block.media for block in conversation.messages[index].view.blocks)
        ]
        order = sorted((*self.order, *((-conversation.messages[index].weight, index) for index in new)))
        sums = accumulate(map(itemgetter(0), order), sub, initial=0)
        return UserTexts(tuple(order), tuple(sums), self.indices.union(new))

    def leaving(self, conversation: ConversationIndex, over: float, stays: Iterable[int]) -> frozenset[int]:
        """Those that leave so that `over` tokens do. Costs what `stays`: of these messages, by index."""
        count = bisect_left(self.sums, over)
        for weight, index in sorted((-conversation.messages[index].weight, index) for index in stays):
            if bisect_left(self.order, (weight, index)) < count:
                over -= weight
                count = bisect_left(self.sums, over)
        return frozenset(map(itemgetter(1), self.order[:count])).difference(stays)


RETURNED_EPOCHS = 2  # so many epochs pass before what was asked for again may leave again
HANDLE_ARGUMENT = 200  # characters: a longer argument is no handle, whatever a host wraps around one


class _Pinned(msgspec.Struct, frozen=True):
    """The messages that `pins` hold, by index, and the calls whose results they hold: (message index, call id)."""

    pins: tuple[Pin, ...]
    indices: frozenset[int] = frozenset()
    calls: frozenset[tuple[int, str]] = frozenset()


def pinned(conversation: ConversationIndex, pins: Iterable[Pin]) -> frozenset[int]:
    """Indices of the messages that these pins hold."""
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
            elif block.kind == "result":  # rule 2 for results whose call the list does not hold, too
                asked = conversation.pairs.get(BlockRef(index, number))
                if held or (asked is not None and (asked, block.call_id) in calls):
                    indices.update((index,) if asked is None else (index, asked))
    return _Pinned(pins, frozenset(indices), frozenset(calls))


def returned_positions(conversation: ConversationIndex, returned: Mapping[str, int], epoch: int) -> frozenset[int]:
    """Indices of results that `retrieve` gave back too lately for `epoch`, the one to be opened, to take them away.

    `returned`: handles, and the epoch in force when each came back.
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
    """Indices of what is pinned, and of what came back lately, for `epoch`, the one to be opened."""
    if not pins and not returned:
        return frozenset()
    return pinned(conversation, pins) | returned_positions(conversation, returned, epoch)


def _naming(message: Message, glob: re.Pattern[str] | None) -> frozenset[int]:
    """The numbers of the blocks of a message that name such a file."""
    calls = enumerate(calls_of(message)) if glob is not None else ()
    return frozenset(number for number, call in calls if glob and call is not None and _meets(glob, call))


def _meets(glob: re.Pattern[str], call: ToolCall) -> bool:
    return any(len(path) <= PATH_CHARACTERS and glob.match(path) for path in call.paths)


@lru_cache(maxsize=64)
def _glob(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    """Rule 3, one matcher for all of them; None without any. What is longer than any path means none."""
    if not patterns:
        return None
    spelled = (pattern.replace("\\", "/").removeprefix("./") for pattern in patterns)
    return globs(pattern for pattern in spelled if len(pattern) <= PATH_CHARACTERS)


def _named(arguments: Mapping[str, Any]) -> set[str]:
    """What in a call's arguments may be a handle."""
    return {
        handle
        for value in arguments.values()
        if isinstance(value, str) and len(value) <= HANDLE_ARGUMENT
        for handle in handles_in(value)
    }
