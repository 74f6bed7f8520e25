"""Closed-loop cost: what the input costs when the model fetches again what it needs and can not see."""

from collections.abc import Callable
from typing import Any

from ctxmgr.model import currency
from ctxmgr.study.closed_loop import ClosedLoop, closed_loop
from ctxmgr.study.figures.registry import (
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

PREFIX = "closedLoop."
MEANINGS = (
    "billed: warm input with the overhead of each call; closed: and what a reply acts on and can not see, fetched "
    "again; all: and cold caches, summaries, output"
)


def of_session(session: Measures) -> ClosedLoop:
    return closed_loop(session.observations, session.known, session.sheet)


def plain(session: Measures) -> Figures:
    """The figures of a session by itself, held against nothing."""
    own = (metric for metric in METRICS if not metric.part_of)
    return {metric.path.removeprefix(PREFIX): metric.plain(session, None) for metric in own}


def floor(dollars: float, base: Measures) -> Figures:
    """What no policy costs less than that shows each message once; shares of what `off` costs."""
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
    "Billed, and each original fetched again that a reply acts on and can not see.",
    lambda loop: loop.closed,
    shown=("brief",),
    total="money.closed",
    columns=("closed_dollars",),
)
BILLED = _metric(
    "billed",
    f"{currency.SIGN} billed",
    DOLLARS,
    "What the input costs with the overhead of each call and a cache that is never cold.",
    lambda loop: loop.billed,
    total="money.billed",
    columns=("billed_dollars",),
)
ALL = _metric(
    "all",
    f"{currency.SIGN} all",
    DOLLARS,
    "Closed, with cold caches, summaries and output.",
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
        about="Closed dollars as a part of those of preset off.",
        shown=("brief", "page"),
        total="together.closed",
        mean="closedOfOff",
    ),
    of_base(
        BILLED,
        path="closedLoop.billedOfOff",
        title="billed",
        about="What the input costs with the overhead of each call, never cold, as a part of that of preset off.",
        shown=("brief",),
        total="together.billed",
        mean="billedOfOff",
    ),
    of_base(
        ALL,
        path="closedLoop.allOfOff",
        title="all",
        about="The same with cold caches, summaries and output.",
        total="together.all",
        mean="allOfOff",
    ),
    _metric(
        "calls",
        "calls",
        COUNT,
        "Calls that were answered and that a recorded reply followed.",
        lambda loop: len(loop.calls),
        columns=("call_count",),
    ),
    _metric(
        "fetches",
        "fetches",
        COUNT,
        "Originals that are fetched again.",
        lambda loop: loop.fetches,
        columns=("fetch_count",),
    ),
    _metric(
        "fetchesIn100",
        "re-fetches",
        PER_100,
        "Originals that are fetched again, in 100 calls.",
        lambda loop: loop.in_100,
        shown=("brief", "page"),
        total="fetchesIn100",
        mean="fetchesIn100",
        columns=("fetches_in_100",),
    ),
)
