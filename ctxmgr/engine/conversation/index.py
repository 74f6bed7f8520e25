"""Turns a list of messages into an object that answers what is asked of it: turns, calls, keys, weights.

Rules:
1. A turn starts at a message that opens a turn (a user message). What comes before the first of them is the
   headless first turn: after a split compaction, or in an autonomous run, a list may start without a user.
2. A result belongs to the latest earlier call with its id. Ids are unique only within a session, and some
   recorded sessions use them again, so "latest earlier" is the only safe reading. A call that has the id of one
   that has no result yet, and was not given up, is tied to it: the provider would take the result for either.
3. A step of a turn is an assistant message and the results up to the next one; items that join make one message.
4. Prompts belong to no turn, whether they stand before the first or inside one: no turn takes them with it. One
   that leads an assistant's message belongs to the turn of that.

5. Decisions name a message by its digest and, from the second message with it on, `#` and its number. They name a
   block by its message's key and, but for the first block, `/` and its number (some formats have several results in
   a message).

It is extended, not rebuilt, when messages are appended: a call costs its new messages. What else follows from a
list is `carried` from the list before in the same way.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from ctxmgr.model import Block, Call, Message

SPECIAL = ("summary", "packet")  # roles of messages that may leave from inside a turn, or stand for others
LONGEST_WAIT = 200  # messages: behind so many a call is not waited for any more


class Turn(msgspec.Struct, frozen=True, gc=False):
    """Messages [start, end). `weight` in tokens; `specials` are indices of summaries and returned packets;
    `results` are indices of messages with tool results. `separable`: no result at or after its start answers a call
    before it; hosts that queue user messages while tools run produce others."""

    start: int
    end: int
    weight: int
    headless: bool = False
    specials: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    separable: bool = True


class StepSpan(msgspec.Struct, frozen=True, gc=False):
    """One assistant message and the results up to the next one: messages [start, end)."""

    start: int
    end: int


def turn_at(turns: Sequence[Turn], position: int) -> int:
    """The number of the turn that holds the message at `position`; 0 for an empty list."""
    return max(0, bisect_right(turns, position, key=attrgetter("start")) - 1)


def step_spans(messages: Sequence[Message], turn: Turn) -> tuple[StepSpan, ...]:
    """The steps of one turn, oldest first; what precedes the first assistant message belongs to none. Items that
    join make one message."""
    starts = [
        index
        for index in range(turn.start, turn.end)
        if messages[index].view.role == "assistant" and not (index > turn.start and goes_on(messages, index))
    ]
    if not starts:
        return ()
    return tuple(StepSpan(start, end) for start, end in zip(starts, [*starts[1:], turn.end], strict=True))


def goes_on(messages: Sequence[Message], index: int) -> bool:
    """Whether this item of an assistant's message belongs to the item before it."""
    if not messages[index].view.joins:
        return False
    before = messages[index - 1].view
    return before.joins and before.role == "assistant"


class BlockRef(msgspec.Struct, frozen=True, order=True, gc=False):
    """Block `block_index` of the view of message `message_index`; sorted as the list is."""

    message_index: int
    block_index: int


class Sums(msgspec.Struct, frozen=True):
    """Of a list as it came: tokens, bytes of its messages, and how many pictures and documents they hold."""

    weight: int = 0
    size_bytes: int = 0
    media_count: int = 0


class ConversationIndex(msgspec.Struct, frozen=True, dict=True):
    """A whole list, and what is known of it.

    `calls` maps a call id to the index of its latest call; `pairs` maps a result to the index of the message whose
    call it belongs to (rule 2), and holds no result without a call. `digest_counts` counts each digest; `repeats`
    holds the occurrence number (1, 2, ...) of messages seen before. `prompts` are the indices of what no turn holds
    (rule 4). `ties` maps an id that blocks share to the newest message that opens it, and to how many blocks have
    had it since; `tied` a message to those that opened what it goes on from, or called by the same id (rule 2).
    """

    messages: tuple[Message, ...] = ()
    turns: tuple[Turn, ...] = ()
    calls: dict[str, int] = {}
    pairs: dict[BlockRef, int] = {}
    digest_counts: dict[str, int] = {}
    repeats: dict[int, int] = {}
    sums: Sums = Sums()
    prompts: tuple[int, ...] = ()
    ties: dict[str, tuple[int, int]] = {}
    tied: dict[int, tuple[int, ...]] = {}

    @property
    def size(self) -> int:
        """The number of messages."""
        return len(self.messages)

    @property
    def raw_weight(self) -> int:
        """Of the list as it came, in tokens."""
        return self.sums.weight

    @property
    def newest_user(self) -> int:
        """The index of the newest message that opens a turn, -1 where none does."""
        newest = self.turns[-1] if self.turns else None  # only the first turn may be headless
        return -1 if newest is None or newest.headless else newest.start

    @property
    def newest_reply(self) -> int:
        """The index of the assistant's newest message, -1 where there is none."""
        newest = range(self.size - 1, -1, -1)
        return next((index for index in newest if self.messages[index].view.role == "assistant"), -1)

    def digest(self, message_index: int) -> str:
        """Of a message as it came."""
        return self.messages[message_index].digest

    def key(self, message_index: int) -> str:
        """What a decision about a message is remembered by."""
        digest, repeat = self.messages[message_index].digest, self.repeats.get(message_index)
        return message_key(digest, repeat) if repeat else digest

    def block_key(self, ref: BlockRef) -> str:
        """What a decision about a block is remembered by."""
        key = self.key(ref.message_index)
        return block_key(key, ref.block_index) if ref.block_index else key

    def block(self, ref: BlockRef) -> Block:
        """The block itself."""
        return self.messages[ref.message_index].view.blocks[ref.block_index]

    def block_weight(self, ref: BlockRef) -> int:
        """Of a block as it came, in tokens."""
        return self.messages[ref.message_index].weights[ref.block_index]

    def weight_of(self, message_indices: Iterable[int]) -> int:
        """Of these messages as they came, in tokens."""
        messages = self.messages
        return sum([messages[index].weight for index in message_indices])

    def results(self, message_index: int) -> list[tuple[BlockRef, Block]]:
        """Each tool result in a message."""
        blocks = self.messages[message_index].view.blocks
        return [
            (BlockRef(message_index, number), block)
            for number, block in enumerate(blocks)
            if block.kind == "result"
        ]

    def answers(self, start: int = 0) -> Iterable[tuple[BlockRef, int]]:
        """The results in the messages from `start` on, each with the index of the message that holds its call."""
        if not start:
            return self.pairs.items()  # in the list's order
        refs = (ref for index in range(start, self.size) for ref, _ in self.results(index))
        return ((ref, self.pairs[ref]) for ref in refs if ref in self.pairs)

    def halves(self, start: int = 0) -> Iterable[tuple[int, int]]:
        """Of what belongs together, the index of each message from `start` on and of the one it goes on from."""
        yield from ((ref.message_index, asked_at) for ref, asked_at in self.answers(start))
        if self.tied:
            for index in range(start, self.size):
                yield from ((index, opened_at) for opened_at in self.tied.get(index, ()))

    def call_of(self, ref: BlockRef) -> Call:
        """The call that a result answers; where the list does not hold it, what the result itself tells."""
        result = self.block(ref)
        asked_at = self.pairs.get(ref)
        if asked_at is not None:
            for block in self.messages[asked_at].view.blocks:
                if block.kind == "call" and block.call_id == result.call_id:
                    return Call(result.tool or block.tool, block.arguments or {}, block.declared)
        return Call(result.tool, {})


With = ParamSpec("With")
Value = TypeVar("Value")


def carried(
    grow: Callable[Concatenate[ConversationIndex, Value | None, int, With], Value],
) -> Callable[Concatenate[ConversationIndex, With], Value]:
    """What follows from a list alone, made from what followed from the list that it extends: `grow` is given that
    (None at first), and the index of the first message that it does not know. It must not change it, for another
    list may go on from it, too: it may copy. Other arguments must be hashable."""
    name = f"{grow.__module__}.{grow.__qualname__}"

    def known(conversation: ConversationIndex, /, *args: With.args, **more: With.kwargs) -> Value:
        values: dict[Any, tuple[Any, int]] = vars(conversation).setdefault(CARRIED, {})
        key = (name, *args, *more.values())
        before, start = values.get(key, (None, 0))
        if before is None or start < conversation.size:
            before = grow(conversation, before, start, *args, **more)
            values[key] = before, conversation.size
        value: Value = before
        return value

    known.__name__, known.__doc__ = grow.__name__, grow.__doc__
    return known


def carried_with(
    grow: Callable[Concatenate[ConversationIndex, Value | None, int, With], Value],
) -> Callable[Concatenate[ConversationIndex, With], Value]:
    """The same, of a list and of objects that change with it: `grow` is asked each time, and must look for itself
    whether what followed before is of the same objects. Nothing of these is kept, for they may hold the list."""
    name = f"{grow.__module__}.{grow.__qualname__}"

    def known(conversation: ConversationIndex, /, *args: With.args, **more: With.kwargs) -> Value:
        values: dict[Any, tuple[Any, int]] = vars(conversation).setdefault(CARRIED, {})
        value = grow(conversation, *values.get(name, (None, 0)), *args, **more)
        values[name] = value, conversation.size
        return value

    known.__name__, known.__doc__ = grow.__name__, grow.__doc__
    return known


CARRIED = "carried"  # in the dict of an index: values with the size of the list that they are of, by function


@carried
def turn_weights(conversation: ConversationIndex, before: list[int] | None, start: int) -> list[int]:
    """Of the messages before each one that belong to a turn, in tokens; the last is of all."""
    weights = list(before or [0])
    for message in conversation.messages[start:]:
        weights.append(weights[-1] + (0 if _is_aside(message) else message.weight))
    return weights


def _is_aside(message: Message) -> bool:
    """Whether it is of no turn (rule 4)."""
    return message.view.role == "prompt" and not message.view.leads


class _Growing:
    """The last turn while messages are added to it."""

    def __init__(self, start: int, headless: bool) -> None:
        self.start, self.headless = start, headless
        self.weight, self.separable = 0, True
        self.specials: list[int] = []
        self.results: list[int] = []

    @staticmethod
    def of(turn: Turn) -> "_Growing":
        growing = _Growing(turn.start, turn.headless)
        growing.weight, growing.separable = turn.weight, turn.separable
        growing.specials, growing.results = list(turn.specials), list(turn.results)
        return growing

    def frozen(self, end: int) -> Turn:
        return Turn(
            self.start, end, self.weight, self.headless, tuple(self.specials), tuple(self.results), self.separable
        )


def extend(conversation: ConversationIndex, messages: tuple[Message, ...]) -> ConversationIndex:
    """The index of `messages`, which begin with those of the given one."""
    if conversation.size == len(messages):
        return _carrying(conversation, msgspec.structs.replace(conversation, messages=messages))
    turns = list(conversation.turns)
    calls, pairs = dict(conversation.calls), dict(conversation.pairs)
    seen, repeats = dict(conversation.digest_counts), dict(conversation.repeats)
    prompts, ties, tied = list(conversation.prompts), dict(conversation.ties), dict(conversation.tied)
    last = _Growing.of(turns.pop()) if turns else None
    for position in range(conversation.size, len(messages)):
        message = messages[position]
        view = message.view
        count = seen.get(message.digest, 0)
        seen[message.digest] = count + 1
        if count:
            repeats[position] = count
        if _is_aside(message):
            prompts.append(position)
            continue
        if view.opens_turn or last is None:
            if last is not None:
                turns.append(last.frozen(position))
            last = _Growing(position, headless=not view.opens_turn)
        last.weight += message.weight
        if view.role in SPECIAL:
            last.specials.append(position)
        holds_result = False
        for number, block in enumerate(view.blocks):
            earlier = list[int]()
            if block.tie:
                at, count = ties.get(block.tie, (position, 0)) if block.closes else (position, 0)
                ties[block.tie] = at, count + (block.kind != "call")  # made by code: the code's outcome is to come
                earlier.append(at)
            if block.kind == "call":
                at = calls.get(block.call_id, position)
                if not _is_over(messages, block.call_id, at, position):
                    earlier.append(at)
                calls[block.call_id] = position
            earlier = [at for at in earlier if at != position]
            if earlier:
                tied[position] = (*tied.get(position, ()), *earlier)
            if block.kind == "result":
                holds_result = True
                asked_at = calls.get(block.call_id)
                if asked_at is not None:
                    pairs[BlockRef(position, number)] = asked_at
                    earlier.append(asked_at)
            for at in earlier:
                if at < last.start:
                    last.separable = False
                    _part_no_pair(turns, at)
        if holds_result:
            last.results.append(position)
    if last is not None:
        turns.append(last.frozen(len(messages)))
    sums = _summed(conversation.sums, messages[conversation.size :])
    grown = ConversationIndex(messages, tuple(turns), calls, pairs, seen, repeats, sums, tuple(prompts), ties, tied)
    return _carrying(conversation, grown)


def _is_over(messages: Sequence[Message], call_id: str, asked_at: int, end: int) -> bool:
    """Whether before `end` a result with this id follows its call, or an answer to a user who spoke after it, or
    too much else: then the call was given up."""
    if end - asked_at > LONGEST_WAIT:
        return True
    spoke = False
    for message in messages[asked_at + 1 : end]:
        view = message.view
        if spoke and view.role == "assistant":
            return True
        spoke |= view.role == "user"
        if any(block.kind == "result" and block.call_id == call_id for block in view.blocks):
            return True
    return False


def _carrying(before: ConversationIndex, after: ConversationIndex) -> ConversationIndex:
    vars(after)[CARRIED] = dict(vars(before).get(CARRIED, {}))
    return after


def _summed(sums: Sums, more: tuple[Message, ...]) -> Sums:
    return Sums(
        sums.weight + sum([message.weight for message in more]),
        sums.size_bytes + sum([len(message.raw) for message in more]),
        sums.media_count + sum([message.media_count for message in more]),
    )


def _part_no_pair(turns: list[Turn], asked_at: int) -> None:
    """A kept part that starts at a turn after the call would lack it."""
    for number in range(len(turns) - 1, -1, -1):
        if turns[number].start <= asked_at:
            return
        turns[number] = msgspec.structs.replace(turns[number], separable=False)


def message_key(digest: str, repeat: int) -> str:
    """The key (rule 5) of any but the first message with this digest: `repeat` stand before it."""
    return f"{digest}#{repeat}"


def block_key(message_key: str, block_index: int) -> str:
    """The key (rule 5) of any but a message's first block."""
    return f"{message_key}/{block_index}"


def digest_of(key: str) -> str:
    """The digest in a key of either kind."""
    return key.partition("/")[0].partition("#")[0]
