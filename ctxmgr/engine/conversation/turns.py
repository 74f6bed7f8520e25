"""Turns a list of messages into turns, and one turn into steps.

Rules:
1. A turn starts at a message that opens a turn (a user message). What comes before the first of them is the
   headless first turn: after a split compaction, or in an autonomous run, a list may start without a user.
2. A result belongs to the latest earlier call with its id. Ids are unique only within a session, and some
   recorded sessions use them again, so "latest earlier" is the only safe reading.
3. A turn may start the kept part only if no result at or after its start answers a call before it; else the
   cut would part a pair. Hosts that queue user messages while tools run produce such lists.
4. Prompts belong to no turn, whether they stand before the first or inside one: no turn takes them with it.

The index is extended, not rebuilt, when messages are appended: a call costs its new messages.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.model.messages import Message


class Turn(msgspec.Struct, frozen=True, gc=False):
    """Messages [start, end). `weight` in tokens; `specials` are indices of summaries and returned packets;
    `results` are indices of messages with tool results. `cut` says whether the kept part may start here."""

    start: int
    end: int
    weight: int
    headless: bool = False
    specials: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    cut: bool = True


class Index(msgspec.Struct, frozen=True):
    """What is known of a whole list.

    `calls` maps a call id to the index of its latest call; `pairs` maps (index, unit number) of a result to the
    index of the call it belongs to (rule 2), and holds no result without a call.
    `seen` counts each digest; `repeats` holds the occurrence number (1, 2, ...) of messages seen before.
    `users` is the number of user messages, `raw_weight` the weight of the list as it came, in tokens; `prompts`
    are the indices of what no turn holds (rule 4), `prompt_weight` is theirs, in tokens.
    """

    size: int = 0
    turns: tuple[Turn, ...] = ()
    calls: dict[str, int] = {}
    pairs: dict[tuple[int, int], int] = {}
    seen: dict[str, int] = {}
    repeats: dict[int, int] = {}
    users: int = 0
    raw_weight: int = 0
    prompts: tuple[int, ...] = ()
    prompt_weight: int = 0


class Step(msgspec.Struct, frozen=True, gc=False):
    """One assistant message and the results up to the next one: messages [start, end)."""

    start: int
    end: int


class _Growing:
    """The last turn while messages are added to it."""

    def __init__(self, start: int, headless: bool) -> None:
        self.start, self.headless = start, headless
        self.weight, self.cut = 0, True
        self.specials: list[int] = []
        self.results: list[int] = []

    @staticmethod
    def of(turn: Turn) -> "_Growing":
        growing = _Growing(turn.start, turn.headless)
        growing.weight, growing.cut = turn.weight, turn.cut
        growing.specials, growing.results = list(turn.specials), list(turn.results)
        return growing

    def frozen(self, end: int) -> Turn:
        return Turn(
            self.start, end, self.weight, self.headless, tuple(self.specials), tuple(self.results), self.cut
        )


def extend(index: Index, messages: Sequence[Message]) -> Index:
    """The index of `messages`, whose first `index.size` are those the given index was made of."""
    if index.size == len(messages):
        return index
    turns = list(index.turns)
    calls, pairs = dict(index.calls), dict(index.pairs)
    seen, repeats = dict(index.seen), dict(index.repeats)
    users, raw_weight = index.users, index.raw_weight
    prompts, prompt_weight = list(index.prompts), index.prompt_weight
    last = _Growing.of(turns.pop()) if turns else None
    for position in range(index.size, len(messages)):
        message = messages[position]
        view = message.view
        raw_weight += message.weight
        count = seen.get(message.digest, 0)
        seen[message.digest] = count + 1
        if count:
            repeats[position] = count
        if view.role == "prompt":
            prompts.append(position)
            prompt_weight += message.weight
            continue
        if view.opens_turn or last is None:
            if last is not None:
                turns.append(last.frozen(position))
            last = _Growing(position, headless=not view.opens_turn)
        last.weight += message.weight
        users += view.opens_turn
        if view.role in ("summary", "packet"):
            last.specials.append(position)
        holds_result = False
        for number, unit in enumerate(view.units):
            if unit.kind == "call":
                calls[unit.call_id] = position
            elif unit.kind == "result":
                holds_result = True
                asked_at = calls.get(unit.call_id)
                if asked_at is None:
                    continue
                pairs[position, number] = asked_at
                if asked_at < last.start:
                    last.cut = False
                    _forbid_cuts(turns, asked_at)
        if holds_result:
            last.results.append(position)
    if last is not None:
        turns.append(last.frozen(len(messages)))
    return Index(
        size=len(messages),
        turns=tuple(turns),
        calls=calls,
        pairs=pairs,
        seen=seen,
        repeats=repeats,
        users=users,
        raw_weight=raw_weight,
        prompts=tuple(prompts),
        prompt_weight=prompt_weight,
    )


def _forbid_cuts(turns: list[Turn], asked_at: int) -> None:
    """No turn that starts after the call may start the kept part (rule 3)."""
    for number in range(len(turns) - 1, -1, -1):
        if turns[number].start <= asked_at:
            return
        turns[number] = msgspec.structs.replace(turns[number], cut=False)


def key(index: Index, messages: Sequence[Message], position: int) -> str:
    """What a decision about this message is remembered by: its digest and, from the second on, its number."""
    number = index.repeats.get(position)
    digest = messages[position].digest
    return f"{digest}#{number}" if number else digest


def unit_key(index: Index, messages: Sequence[Message], position: int, number: int) -> str:
    """What a decision about one result is remembered by: its message's key and, but for the first unit, its
    number in it (some formats have several results in a message)."""
    at = key(index, messages, position)
    return f"{at}/{number}" if number else at


def digest_of(key: str) -> str:
    """The digest in a key of either kind."""
    return key.partition("/")[0].partition("#")[0]


def turn_at(turns: Sequence[Turn], position: int) -> int:
    """The number of the turn that holds the message at `position`; 0 for an empty list."""
    low, high = 0, len(turns) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if turns[middle].start <= position:
            low = middle
        else:
            high = middle - 1
    return low


def first_kept(turns: Sequence[Turn], count: int) -> int:
    """The number of the first of the newest `count` turns, moved back to where a cut is allowed (rule 3)."""
    return cut_at(turns, max(0, len(turns) - count))


def cut_at(turns: Sequence[Turn], number: int) -> int:
    """The turn of this number, or the nearest one before it where a cut is allowed (rule 3)."""
    while number > 0 and not turns[number].cut:
        number -= 1
    return number


def steps(messages: Sequence[Message], turn: Turn) -> tuple[Step, ...]:
    """The steps of one turn, oldest first; what precedes the first assistant message belongs to none. Items that
    join make one message."""
    starts = [
        at
        for at in range(turn.start, turn.end)
        if messages[at].view.role == "assistant" and not (at > turn.start and goes_on(messages, at))
    ]
    if not starts:
        return ()
    return tuple(Step(start, end) for start, end in zip(starts, [*starts[1:], turn.end], strict=True))


def goes_on(messages: Sequence[Message], at: int) -> bool:
    """Is this item of an assistant's message one with the item before it?"""
    before = messages[at - 1].view
    return messages[at].view.joins and before.joins and before.role == "assistant"
