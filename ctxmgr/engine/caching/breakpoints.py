"""Chooses the messages that should end with a cache mark, given how a list compares with the previous one.

A provider with marks caches the prefix of a request up to each mark. At a mark it reads what it cached up to there,
or up to fewer than `look_back_blocks` content blocks before. Rules, most valuable mark first:

1. *The end*: the newest message, so that the next call reads the whole list. If that message cannot carry a mark,
   the newest one before it that can.
2. *Within reach*: the longest prefix that an earlier mark cached must be found. If it ends too far before the mark
   of rule 1, it is marked again. If the list changed behind it, the end of the unchanged part is marked instead, if
   that is within reach.
3. *The join*: the end of the part that the last change left intact is where the next change may find something to
   read. Its mark is repeated while one is free, since a prefix that is never read is dropped. If only one mark is
   left beside the end's, and the earlier mark cached less than the part behind it, the join gets it: what is
   written twice now is read at every change from then on.
4. With a single mark, rule 2 means: on a list that only grew, the mark is as far on as it still finds the cached
   prefix, since otherwise everything would be written again. If the list changed, it is written again anyway, and
   the end gets the mark.
"""

from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.model import CacheRule
from ctxmgr.model.saved import MarkedStart

MOST_REMEMBERED = 12  # prefixes; one or two of each recent call


class MarkInputs(msgspec.Struct, frozen=True):
    """What places the marks. `message_count`: of the list to send. `same_count`: how many messages at its start are
    those of the previous list; None if it is that list plus new messages. `own_marks`: the host's, outside of the
    list. `rule`: with the current lifetime. `blocks`: content blocks of the messages [start, end). `may_bear`:
    whether this message can end with a mark.
    """

    rule: CacheRule
    message_count: int
    same_count: int | None
    own_marks: int
    blocks: Callable[[int, int], int]
    may_bear: Callable[[int], bool]
    time_ms: int | None = None


class Breakpoints(msgspec.Struct, frozen=True):
    """`indices`: messages that end with a mark, ascending. `starts`: to remember for the next call."""

    indices: tuple[int, ...] = ()
    starts: tuple[MarkedStart, ...] = ()


def placed(inputs: MarkInputs, before: Sequence[MarkedStart]) -> Breakpoints:
    """The marks for this list. `before`: what was remembered of earlier calls."""
    room = inputs.rule.most_marks - inputs.own_marks
    if inputs.rule.kind != "marks":
        return Breakpoints()
    known = [start for start in before if _holds(start, inputs)]
    end = _bearing(inputs, inputs.message_count)
    if room < 1 or not end:
        return Breakpoints((), tuple(known))
    ends = _wanted(inputs, known, end, room)[:room]
    join = inputs.same_count if inputs.same_count in ends else None
    joins = {join, *(start.message_count for start in known if start.is_join)}
    marked = [MarkedStart(end, inputs.time_ms, end in joins) for end in ends]
    others = [start for start in known if start.message_count not in ends]
    return Breakpoints(tuple(sorted(end - 1 for end in ends)), _remembered([*others, *marked]))


def _wanted(inputs: MarkInputs, known: Sequence[MarkedStart], end: int, room: int) -> list[int]:
    """The ends of prefixes to mark, most important first."""
    longest = max((start.message_count for start in known), default=0)
    changed = inputs.same_count is not None
    if not longest or _reaches(inputs, longest, end):
        wanted = [end]
    elif room == 1 and not changed:  # rule 4
        bearing = (count for count in range(end, longest, -1) if inputs.may_bear(count - 1))
        return [next((count for count in bearing if _reaches(inputs, longest, count)), end)]
    else:
        wanted = [end, longest]
    stayed = _bearing(inputs, inputs.same_count or 0)
    if changed and stayed > longest:
        # what was cached before
        outweighs = room == 2 and inputs.blocks(longest, stayed) > inputs.blocks(0, longest)
        instead = outweighs or _reaches(inputs, longest, stayed)
        if longest in wanted and instead:
            wanted.remove(longest)
        wanted.append(stayed)
    joins = [start.message_count for start in known if start.is_join]
    return list(dict.fromkeys([*wanted, *joins[-1:]]))


def _holds(start: MarkedStart, inputs: MarkInputs) -> bool:
    """Whether the list begins with it and the provider may still have it."""
    kept = inputs.message_count if inputs.same_count is None else inputs.same_count
    lived = inputs.time_ms - start.time_ms if inputs.time_ms is not None and start.time_ms is not None else 0
    return start.message_count <= kept and lived <= inputs.rule.lifetime_ms


def _reaches(inputs: MarkInputs, start: int, end: int) -> bool:
    """Whether a mark at `end` finds what was cached up to `start`."""
    look_back = inputs.rule.look_back_blocks
    return start == end or not look_back or inputs.blocks(start, end) < look_back


def _bearing(inputs: MarkInputs, end: int) -> int:
    """The end of the newest of the first `end` messages that can carry a mark; 0 if none can."""
    return next((count for count in range(end, 0, -1) if inputs.may_bear(count - 1)), 0)


def _remembered(starts: Sequence[MarkedStart]) -> tuple[MarkedStart, ...]:
    """Ascending. If there are too many, the shortest that are no joins are dropped: a list rarely changes there."""
    newest = sorted(starts, key=lambda start: (start.is_join, start.message_count))[-MOST_REMEMBERED:]
    return tuple(sorted(newest, key=lambda start: start.message_count))
