"""Indexes a list of messages: turns, calls, keys, token counts.

Rules:
1. A turn starts at a message that opens a turn (a user message). What precedes the first one is the headless first
   turn: after a split compaction, or in an autonomous run, a list may start without a user.
2. A result belongs to the latest earlier call with its id. Ids are unique only within a session, and some recorded
   sessions reuse them, so "latest earlier" is the only safe reading. A call with the id of an open call, which has
   no result and was not given up, is tied to it: the provider would take the result for either.
3. A step of a turn is an assistant message and the results up to the next one; items that join form one message.
4. Prompts belong to no turn, whether they are before the first or inside one, and are not removed with a turn. A
   prompt that leads an assistant's message belongs to that message's turn.

5. Decisions name a message by its digest plus, from its second occurrence on, `#` and the number. They name a block
   by its message's key plus, except for the first block, `/` and the number (some formats have several results in a
   message).

Appended messages extend it without a rebuild, so a call costs its new messages. Other values that follow from a
list are `carried` from the previous list in the same way.
"""

import hashlib
import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from ctxmgr.model import Block, Call, Message, View, plain_numbers

SPECIAL = ("summary", "packet")  # roles of messages that may be removed from inside a turn, or stand for others
LONGEST_WAIT = 200  # messages after which a call is no longer waited for


class Turn(msgspec.Struct, frozen=True, gc=False):
    """Messages [start, end). `weight` in tokens. `specials`: indices of summaries and returned packets. `results`:
    indices of messages with tool results. `separable`: no result at or after its start answers a call before it;
    hosts that queue user messages while tools run produce others.
    """

    start: int
    end: int
    weight: int
    headless: bool = False
    specials: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    separable: bool = True


def turn_at(turns: Sequence[Turn], position: int) -> int:
    """The number of the turn with the message at `position`; 0 for an empty list."""
    return max(0, bisect_right(turns, position, key=attrgetter("start")) - 1)


def step_spans(messages: Sequence[Message], turn: Turn) -> tuple[range, ...]:
    """The steps of one turn, oldest first: each an assistant message and the results up to the next one, by index.
    What precedes the first assistant message belongs to none. Items that join form one message.
    """
    starts = [
        index
        for index in range(turn.start, turn.end)
        if messages[index].view.role == "assistant" and not (index > turn.start and goes_on(messages, index))
    ]
    return tuple(itertools.starmap(range, itertools.pairwise([*starts, turn.end])))


def goes_on(messages: Sequence[Message], index: int) -> bool:
    """Whether this item of an assistant's message belongs to the previous item."""
    if not messages[index].view.joins:
        return False
    before = messages[index - 1].view
    return before.joins and before.role == "assistant"


class BlockRef(msgspec.Struct, frozen=True, order=True, gc=False):
    """Block `block_index` of message `message_index`; sorted in list order."""

    message_index: int
    block_index: int


class Sums(msgspec.Struct, frozen=True):
    """Totals of a list as it came: tokens, bytes of its messages, and the number of pictures and documents."""

    weight: int = 0
    size_bytes: int = 0
    media_count: int = 0


class ConversationIndex(msgspec.Struct, frozen=True, dict=True):
    """A whole list, and what is known of it.

    `calls` maps a call id to the index of its latest call. `pairs` maps a result to the index of its call's message
    (rule 2), without results that have no call. `digest_counts` counts each digest; `repeats` holds the occurrence
    number (1, 2, ...) of repeated messages. `prompts`: indices of messages that belong to no turn (rule 4). `ties`
    maps an id that blocks share to the newest message that opens it, and to the number of blocks that had it since.
    `tied` maps a message to those that opened what it continues, or that called by the same id (rule 2).
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
        """The index of the newest message that opens a turn, -1 if there is none."""
        newest = self.turns[-1] if self.turns else None  # only the first turn may be headless
        return -1 if newest is None or newest.headless else newest.start

    @property
    def newest_reply(self) -> int:
        """The index of the assistant's newest message, -1 if there is none."""
        newest = range(self.size - 1, -1, -1)
        return next((index for index in newest if self.messages[index].view.role == "assistant"), -1)

    def digest(self, message_index: int) -> str:
        """Of a message as it came."""
        return self.messages[message_index].digest

    def key(self, message_index: int) -> str:
        """The key that decisions about a message use."""
        digest, repeat = self.messages[message_index].digest, self.repeats.get(message_index)
        return message_key(digest, repeat) if repeat else digest

    def block_key(self, ref: BlockRef) -> str:
        """The key that decisions about a block use."""
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
        """The results in the messages from `start` on, each with the index of its call's message."""
        if not start:
            return self.pairs.items()  # in list order
        refs = (ref for index in range(start, self.size) for ref, _ in self.results(index))
        return ((ref, self.pairs[ref]) for ref in refs if ref in self.pairs)

    def halves(self, start: int = 0) -> Iterable[tuple[int, int]]:
        """For each tied message from `start` on, its index and that of the message it continues."""
        yield from ((ref.message_index, asked_at) for ref, asked_at in self.answers(start))
        if self.tied:
            for index in range(start, self.size):
                yield from ((index, opened_at) for opened_at in self.tied.get(index, ()))

    def call_of(self, ref: BlockRef) -> Call:
        """The call that a result answers; if the list does not hold it, what the result itself says of it."""
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
    """A value that follows from a list alone, made from that of the list it extends. `grow` receives the previous
    value (None at first) and the index of the first message it does not cover. It may copy the value but not change
    it, since another list may extend it too. Other arguments must be hashable.
    """
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
    """Like `carried`, for values that also depend on objects that change with the list. `grow` is called each time,
    and must check whether the previous value is of the same objects. It keeps no reference to these, since they may
    hold the list.
    """
    name = f"{grow.__module__}.{grow.__qualname__}"

    def known(conversation: ConversationIndex, /, *args: With.args, **more: With.kwargs) -> Value:
        values: dict[Any, tuple[Any, int]] = vars(conversation).setdefault(CARRIED, {})
        value = grow(conversation, *values.get(name, (None, 0)), *args, **more)
        values[name] = value, conversation.size
        return value

    known.__name__, known.__doc__ = grow.__name__, grow.__doc__
    return known


CARRIED = "carried"  # in the dict of an index: values with the size of their list, by function


@carried
def turn_weights(conversation: ConversationIndex, before: list[int] | None, start: int) -> list[int]:
    """The tokens of the messages before each one that belong to a turn; the last number is the total."""
    weights = list(before or [0])
    for message in conversation.messages[start:]:
        weights.append(weights[-1] + (0 if _is_aside(message) else message.weight))
    return weights


def _is_aside(message: Message) -> bool:
    """Whether it belongs to no turn (rule 4)."""
    return message.view.role == "prompt" and not message.view.leads


class _Growing(msgspec.Struct):
    """The last turn while messages are added to it."""

    start: int
    headless: bool
    weight: int = 0
    separable: bool = True
    specials: list[int] = []
    results: list[int] = []

    @staticmethod
    def of(turn: Turn) -> "_Growing":
        specials, results = list(turn.specials), list(turn.results)
        return _Growing(turn.start, turn.headless, turn.weight, turn.separable, specials, results)

    def frozen(self, end: int) -> Turn:
        return Turn(
            self.start, end, self.weight, self.headless, tuple(self.specials), tuple(self.results), self.separable
        )


def extend(conversation: ConversationIndex, messages: tuple[Message, ...]) -> ConversationIndex:
    """The index of `messages`, which begin with those of the given index."""
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
                # made by code, whose own result is still to come
                ties[block.tie] = at, count + (block.kind != "call")
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
                asked_at = _told_of(messages, position) if block.is_told else calls.get(block.call_id)
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


def _told_of(messages: Sequence[Message], position: int) -> int | None:
    """The answer that requested a result without a call: the one right before it."""
    return position - 1 if position and messages[position - 1].view.role == "assistant" else None


def _is_over(messages: Sequence[Message], call_id: str, asked_at: int, end: int) -> bool:
    """Whether the call was answered or given up before `end`: its result follows, or an answer to a user who spoke
    after it, or too many messages.
    """
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
    """The key (rule 5) of a repeated message, after `repeat` earlier ones."""
    return f"{digest}#{repeat}"


def block_key(message_key: str, block_index: int) -> str:
    """The key (rule 5) of any block but a message's first."""
    return f"{message_key}/{block_index}"


def digest_of(key: str) -> str:
    """The digest in a key of either kind."""
    return key.partition("/")[0].partition("#")[0]


DIGEST_BYTES = 8
DIGESTS = 2
"""How they are made. By 1 a call's arguments were digested as they were spelled."""

_encode = msgspec.json.Encoder(order="deterministic").encode


def digest(view: View) -> str:
    """16 hex characters over role, call ids and texts, so that a rewritten message keeps its digest. Of a call's
    arguments the values count, in any order and spelling.
    """
    parts = [view.role.encode()]
    for block in view.blocks:
        parts.append(f"\0{block.kind}\0{block.call_id}\0".encode("utf-8", "surrogatepass"))
        parts.append(_block_bytes(block))
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BYTES).hexdigest()


def _block_bytes(block: Block) -> bytes:
    if block.arguments:
        try:
            return f"{block.tool} ".encode() + _encode(plain_numbers(block.arguments))
        # JSON cannot express it
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):
            pass
    return block.text.encode("utf-8", "surrogatepass")
