"""Closed-loop cost: the cost of the input if the model fetches again what it needs and cannot see.

`billed`: the input of all lists, as if the cache were never cold. `closed`: `billed` and the re-fetches. `all`:
`closed` with cold caches, with summaries as if a model had written them, and with the recorded output of all calls.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from ctxmgr.closed_loop import KeyedMessage, ListMessage, LoopCall, LoopMeter, MeasuredCall
from ctxmgr.model import currency
from ctxmgr.study.figures.cost import marker
from ctxmgr.study.figures.metric import (
    COUNT,
    DOLLARS,
    PER_100,
    Figures,
    Measures,
    Metric,
    Unit,
    of_base,
    rounded,
    share,
)
from ctxmgr.study.observations import (
    SUMMARY,
    MessageCache,
    Observation,
    PriceSheet,
    ProjectedMessage,
    dollars,
    in_place,
    new_messages,
)
from ctxmgr.study.recordings import HostMessage


class ClosedLoop(msgspec.Struct, frozen=True):
    """One session under one policy. All values are in dollars, except for the counts."""

    calls: tuple[LoopCall, ...]

    @property
    def billed(self) -> float:
        return sum(call.list_dollars for call in self.calls)

    @property
    def closed(self) -> float:
        return sum(call.warm + call.refetched for call in self.calls)

    @property
    def all(self) -> float:
        return sum(call.actual + call.refetched + call.output + call.summary_dollars for call in self.calls)

    @property
    def fetches(self) -> int:
        return sum(call.fetches for call in self.calls)

    @property
    def in_100(self) -> float | None:
        """Re-fetches per 100 calls."""
        return 100 * self.fetches / len(self.calls) if self.calls else None


def closed_loop(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> ClosedLoop:
    """The closed-loop cost of all calls of one session, oldest first. `known` counts the tokens."""
    meter = LoopMeter(known, marker=marker(sheet))
    return ClosedLoop(tuple(meter.call(call, sheet) for call in _seen(sights, known)))


def _seen(sights: Sequence[Observation], known: MessageCache) -> Iterator[MeasuredCall]:
    def keyed(message: HostMessage) -> KeyedMessage:
        return KeyedMessage((message.id, message.raw), known.message(message.raw))

    def placed(message: ProjectedMessage, sight: Observation) -> ListMessage:
        item = sight.items[message.index] if in_place(sight, message) else None
        return ListMessage(message.raw, None if item is None else (item.id, item.raw))

    last: Observation | None = None
    for sight, came in zip(sights, new_messages(sights), strict=True):
        summaries: tuple[bytes, ...] = ()
        if last is not None:
            there = {shown.raw for shown in last.items if shown.role == SUMMARY}
            summaries = tuple(
                shown.raw for shown in sight.items if shown.role == SUMMARY and shown.raw not in there
            )
        yield MeasuredCall(
            tuple(map(keyed, came)),
            tuple(placed(message, sight) for message in sight.projected_messages),
            (keyed(sight.reply),),
            sight.time_ms,
            summaries,
        )
        last = sight


def floor_dollars(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> float:
    """The least that any policy costs that shows each message once, in dollars: the overhead is read at each call
    and every message is written once, at the prices of the lowest tier.
    """
    tokens = sum(known.weight(message.raw) for came in new_messages(sights) for message in came)
    return dollars(sheet.prices.tier(0), read=len(sights) * sheet.overhead_tokens, written=tokens)


PREFIX = "closedLoop."
MEANINGS = (
    "billed: warm input with the overhead of each call; closed: and what a reply acts on and cannot see, fetched "
    "again; all: and cold caches, summaries, output"
)


def of_session(session: Measures) -> ClosedLoop:
    return closed_loop(session.observations, session.known, session.sheet)


def floor(dollars: float, base: Measures) -> Figures:
    """The least that any policy costs that shows each message once, in dollars and as shares of the cost of
    `off`.
    """
    loop = base.once(of_session)
    return {
        "money": rounded(dollars, DOLLARS),
        "billedOfOff": share(dollars, loop.billed),
        "closedOfOff": share(dollars, loop.closed),
    }


def _metric(
    key: str, title: str, unit: Unit, about: str, of: Callable[[ClosedLoop], float | int | None], **more: Any
) -> Metric:
    return Metric(
        path=PREFIX + key,
        title=title,
        unit=unit,
        about=about,
        of=lambda session: of(session.once(of_session)),
        **more,
    )


CLOSED = _metric(
    "closed",
    f"{currency.SIGN} closed",
    DOLLARS,
    "Billed cost plus the cost of fetching again each original that a reply uses but that is not in the list.",
    lambda loop: loop.closed,
    shown=("brief",),
    total="money.closed",
    columns=("closed_dollars",),
)
BILLED = _metric(
    "billed",
    f"{currency.SIGN} billed",
    DOLLARS,
    "Cost of the input, including the overhead of each call, with a cache that never expires.",
    lambda loop: loop.billed,
    total="money.billed",
    columns=("billed_dollars",),
)
ALL = _metric(
    "all",
    f"{currency.SIGN} all",
    DOLLARS,
    "Closed cost plus cold caches, summaries and output.",
    lambda loop: loop.all,
    total="money.all",
)
METRICS = (
    CLOSED,
    BILLED,
    ALL,
    of_base(
        CLOSED,
        path="closedLoop.closedOfOff",
        title="closed",
        about="Closed cost as a share of that of preset off.",
        shown=("brief", "page"),
        total="together.closed",
    ),
    of_base(
        BILLED,
        path="closedLoop.billedOfOff",
        title="billed",
        about="Billed cost as a share of that of preset off.",
        shown=("brief",),
        total="together.billed",
    ),
    of_base(
        ALL,
        path="closedLoop.allOfOff",
        title="all",
        about="The same, including cold caches, summaries and output.",
        total="together.all",
    ),
    _metric(
        "calls",
        "calls",
        COUNT,
        "Calls that were answered and followed by a recorded reply.",
        lambda loop: len(loop.calls),
        columns=("call_count",),
    ),
    _metric(
        "fetches",
        "fetches",
        COUNT,
        "Originals fetched again.",
        lambda loop: loop.fetches,
        columns=("fetch_count",),
    ),
    _metric(
        "fetchesIn100",
        "re-fetches",
        PER_100,
        "Originals fetched again, in 100 calls.",
        lambda loop: loop.in_100,
        shown=("brief", "page"),
        total="fetchesIn100",
        columns=("fetches_in_100",),
    ),
)
