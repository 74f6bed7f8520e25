"""Turns how a list stands to the one before into the messages whose end bears a cache mark.

A provider with marks keeps the start of a request up to each of them, and reads at a mark what it kept up to there,
or up to fewer than `look_back_blocks` content blocks before. Rules, in the order of what a mark is worth:

1. *The end*: the newest message, so that the next call reads the whole list. Where that can bear no mark, the
   newest before it that can.
2. *Within reach*: the longest start that an earlier mark kept must be found. Where it ends too far before the
   mark of rule 1, it is marked again; where a list changed behind it, the end of what stayed is marked
   instead, if that is within reach.
3. *The join*: the end of what stayed at the last change is where the next one may find something to read. Its
   mark is set again while there is one to spare, for what nobody reads is dropped. Where there is one mark beside
   the end's, and an earlier mark kept less than stayed behind it, the join has it: what is written twice now is
   read at every change from then on.
4. Of a single mark rule 2 makes this: on a list that only grew it stands as far on as it still finds what was
   kept; all else would be written anew. Where the list changed that must be written anyway: it is the end's.
"""

from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.model import CacheRule
from ctxmgr.model.saved import MarkedStart

MOST_REMEMBERED = 12  # starts: of the newest calls one or two each


class MarkInputs(msgspec.Struct, frozen=True):
    """What marks are placed by. `message_count`: of the list to send; `same_count`: so many messages it has in
    common with the one before from its start on, None where it is that one and what came since. `own_marks`: the
    host's, outside of the list. `rule`: with the lifetime in force. `blocks`: content blocks of the messages
    [start, end); `may_bear`: whether this message can end with a mark."""

    rule: CacheRule
    message_count: int
    same_count: int | None
    own_marks: int
    blocks: Callable[[int, int], int]
    may_bear: Callable[[int], bool]
    time_ms: int | None = None


class Breakpoints(msgspec.Struct, frozen=True):
    """`indices` of the messages whose end bears a mark, ascending; `starts` to be remembered for the next call."""

    indices: tuple[int, ...] = ()
    starts: tuple[MarkedStart, ...] = ()


def placed(inputs: MarkInputs, before: Sequence[MarkedStart]) -> Breakpoints:
    """Where marks belong on this list. `before`: what was remembered of the calls until now."""
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
    """The ends of starts to be marked, the most needed first."""
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
        outweighs = room == 2 and inputs.blocks(longest, stayed) > inputs.blocks(0, longest)  # what was kept before
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
    """Whether a mark at `end` finds what was kept up to `start`."""
    look_back = inputs.rule.look_back_blocks
    return start == end or not look_back or inputs.blocks(start, end) < look_back


def _bearing(inputs: MarkInputs, end: int) -> int:
    """The end of the newest of the first `end` messages that can bear a mark; 0 where none can."""
    return next((count for count in range(end, 0, -1) if inputs.may_bear(count - 1)), 0)


def _remembered(starts: Sequence[MarkedStart]) -> tuple[MarkedStart, ...]:
    """Ascending. Where there are too many the shortest go that are no joins: a list rarely changes there."""
    newest = sorted(starts, key=lambda start: (start.is_join, start.message_count))[-MOST_REMEMBERED:]
    return tuple(sorted(newest, key=lambda start: start.message_count))
