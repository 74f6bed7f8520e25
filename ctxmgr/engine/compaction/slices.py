"""Cuts a long history into slices for a summarizing model, each with an output budget.

Rules:
1. Cuts are only between steps. A step starts at a user's message, or at an assistant's message that does not
   directly follow one as its reply: a question stays with its first reply, or neither slice says what was going on.
2. No cut separates a call from its results, however late they come or what is between them. A result belongs to the
   latest earlier call with its id (as in `turns`); one without a call stays with what precedes it.
3. A step larger than the target is its own slice. `truncation` shortens it, not a cut.
4. The cut nearest to the target is taken. "natural" takes the deepest break in reach of the target, since a summary
   of one and a half subjects is worse than one that is a quarter longer. A rest within that reach is not cut off: a
   slice of a few hundred tokens costs a call and says nothing.
5. A slice's lead repeats the whole messages right before it, as context that is not summarized. So every message is
   in exactly one slice's `messages`, in order.
6. Budgets are proportional to tokens, with a bonus for the newest slices, which the work continues from. A cap
   takes from the older slices first.

Token counts are those of the rendered messages (`render`). Knows no model and no prompt.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import msgspec

from ctxmgr.engine.compaction import cohesion
from ctxmgr.engine.compaction.render import message_text
from ctxmgr.model import Slices, Weigh
from ctxmgr.model.compaction import BranchMessage

REACH = 0.25
"""Of the target: how far from it a natural break may be, and how much more than it a last slice may weigh."""

LEAST_OUTPUT = 512
"""Tokens of output of any slice, where a cap allows them: headings alone take a hundred, and a model that is
stopped by its limit has failed. A choice of ours."""

SliceStep = tuple[BranchMessage, ...]
Depths = Callable[[Sequence[SliceStep]], Sequence[float]] | Sequence[float]


class Slice(msgspec.Struct, frozen=True):
    """Messages to summarize, and the ones right before them for context. Counts and `max_output_tokens` in
    tokens.
    """

    messages: tuple[BranchMessage, ...]
    lead: tuple[BranchMessage, ...]
    weight: int
    lead_weight: int
    max_output_tokens: int


def cut(
    messages: Sequence[BranchMessage],
    settings: Slices,
    weigh: Weigh,
    *,
    depths: Depths = cohesion.depths,
    cap: int | None = None,
) -> tuple[Slice, ...]:
    """The slices, oldest first; none for an empty history.

    `depths`: one number per step (`steps`), the depth of the break before it; only needed if `settings.breaks` is
    "natural". `cap`: the most output tokens of all slices together.
    """
    if not messages:
        return ()
    starts = step_starts(messages)
    weights = [weigh(text) if (text := message_text(message)) else 0 for message in messages]
    before = [0, *accumulate(weights)]
    deep: Sequence[float] = ()
    if settings.breaks == "natural":
        deep = depths(steps(messages)) if callable(depths) else depths
        if len(deep) != len(starts):
            raise ValueError(f"{len(deep)} depths for {len(starts)} steps")
    edges = [*starts, len(messages)]
    places = [edges[number] for number in _places([before[index] for index in edges], settings.tokens, deep)]
    outputs = budgets([before[end] - before[start] for start, end in pairwise(places)], settings, cap)
    parts = []
    for (start, end), output in zip(pairwise(places), outputs, strict=True):
        least = bisect_left(before, before[start] - settings.overlap)  # whole messages within the overlap
        lead = min(start, least) if settings.overlap else start
        parts.append(
            Slice(
                tuple(messages[start:end]),
                tuple(messages[lead:start]),
                before[end] - before[start],
                before[start] - before[lead],
                output,
            )
        )
    return tuple(parts)


def steps(messages: Sequence[BranchMessage]) -> tuple[SliceStep, ...]:
    """The messages by step (rules 1 and 2), in order."""
    edges = [*step_starts(messages), len(messages)]
    return tuple(tuple(messages[start:end]) for start, end in pairwise(edges))


def step_starts(messages: Sequence[BranchMessage]) -> list[int]:
    """Indices where a step starts, beginning with 0; none for an empty list."""
    calls: dict[str, int] = {}
    opens: list[int] = []
    last = ""  # who spoke last, of the messages shown
    for index, message in enumerate(messages):
        for block in message.view.blocks:
            if block.kind == "call":
                calls[block.call_id] = index
            elif block.kind == "result" and block.call_id in calls:
                while opens and opens[-1] > calls[block.call_id]:
                    opens.pop()
        speaker = message.content.speaker
        if index == 0 or speaker == "user" or (speaker == "assistant" and last != "user"):
            opens.append(index)
        last = speaker or last
    return opens


def _places(before: list[int], target: int, deep: Sequence[float]) -> list[int]:
    """The steps where slices start, and the number after the last. `before`: the tokens before each step, and the
    total. Uses binary searches only: linear in slices times the reach.
    """
    last = len(before) - 1
    places = [0]
    for number in range(last):
        if before[number + 1] - before[number] > target:  # rule 3
            _part(before, target, deep, places, number)
            places += [number + 1] if places[-1] == number else [number, number + 1]
    _part(before, target, deep, places, last)
    if places[-1] < last:
        places.append(last)
    return places


def _part(before: list[int], target: int, deep: Sequence[float], places: list[int], end: int) -> None:
    """Adds the cuts of a run of steps, none larger than the target, from the last place up to step `end`."""
    most = target + int(target * REACH)
    while before[end] - before[places[-1]] > most:
        start = places[-1]
        aim = before[start] + target
        if deep:
            low = bisect_left(before, aim - int(target * REACH), start + 1, end)
            high = bisect_right(before, aim + int(target * REACH), low, end)
            if low < high:
                places.append(
                    max(range(low, high), key=lambda index: (deep[index], -abs(before[index] - aim), -index))
                )
                continue
        after = bisect_left(before, aim, start + 1, end)
        nearer = after - 1 if after - 1 > start and aim - before[after - 1] <= before[after] - aim else after
        if nearer >= end:
            return
        places.append(nearer)


def budgets(weights: Sequence[int], settings: Slices, cap: int | None = None) -> list[int]:
    """Output tokens for slices of these sizes, oldest first (rule 6); the sum never exceeds `cap`."""
    newest = max(0, len(weights) - settings.newest)
    wanted = [max(LEAST_OUTPUT, int(weight * settings.ratio)) for weight in weights]
    wanted[newest:] = [int(tokens * settings.newest_boost) for tokens in wanted[newest:]]
    if cap is None:
        return wanted
    for group in (range(newest), range(newest, len(weights))):
        over = sum(wanted) - cap
        spare = sum(max(0, wanted[index] - LEAST_OUTPUT) for index in group)
        if over > 0 and spare:
            keep = max(0, spare - over)
            for index in group:
                wanted[index] = LEAST_OUTPUT + max(0, wanted[index] - LEAST_OUTPUT) * keep // spare
    if sum(wanted) > cap:  # not even the minimum for each: the same for all
        return [cap // len(weights)] * len(weights)
    return wanted
