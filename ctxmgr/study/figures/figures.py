"""Turns measures into plain values: of one session under one preset, and the mean over several sessions.

Shares are 0 to 1, money is in dollars, weights in tokens; what nothing was asked of is null.
"""

from collections.abc import Iterable, Sequence
from math import isfinite
from statistics import fmean
from typing import Any

import msgspec

from ctxmgr.study.closed_loop import ClosedLoop, Foresight
from ctxmgr.study.figures.measures import CallMeasures, Measures
from ctxmgr.study.metrics import PriceSheet, Ratio, Recall, message_cache

LONG_TOKENS = 100_000  # weight of a recorded conversation from which on a session is one that outgrows windows
KINDS_OF_RECALL = {
    "overall": "overall",
    "inPlace": "in_place",
    "unpacked": "unpacked",
    "far": "far",
    "farInPlace": "far_in_place",
}

LOOP_SUMS = ("billed", "closed", "all")

Figures = dict[str, Any]


def figures(one: Measures, off: Measures | None) -> Figures:
    """`off`: the same recording under preset `off`."""
    bill, last = one.bill, one.last_user_text
    calls = bill.calls
    return {
        "prices": prices(one.sheet),
        "weighedBy": message_cache.weigher().name,
        "rawTokens": one.raw_tokens,
        "money": round(bill.money, 4),
        "moneyACall": round(bill.money / len(calls), 6) if calls else None,
        "ofOff": ratio(bill.money, off.bill.money) if off else None,
        "warmMoney": round(bill.warm, 4),
        "warmOfOff": ratio(bill.warm, off.bill.warm) if off else None,
        "closedLoop": _closed_loop(one, off),
        "sentMean": round(bill.tokens / len(calls), 1) if calls else None,
        "sentLargest": max((call.tokens for call in calls), default=None),
        "cachedShare": ratio(sum(call.cached for call in calls), bill.tokens),
        "cachedMean": round(fmean(call.cached for call in calls), 1) if calls else None,
        "cachedBytesMean": round(fmean(call.cached_bytes for call in calls), 1) if calls else None,
        "breaks": bill.breaks,
        "unannouncedBreaks": bill.unannounced,
        "epochs": one.epochs,
        "coldCalls": bill.cold,
        "kept": shared(one.repeats),
        "recall": recalled(one.recall),
        "grounding": shared(one.lines),
        "edits": {"seen": one.edits, "whole": one.edits_whole},
        "refetch": {
            **msgspec.to_builtins(one.refetch),
            "goneIn100": round(100 * one.refetch.missing_count / one.refetch.call_count, 3)
            if one.refetch.call_count
            else None,
        },
        "said": {
            "mean": shared(one.user_text),
            "inPlaceMean": shared(one.user_text_in_place),
            "last": shared(last.overall),
            "inPlaceLast": shared(last.in_place),
        },
        "series": [_series(call) for call in one.calls],
    }


def floor(money: float, off: Measures) -> Figures:
    """What no policy costs less than that shows each message once; shares of what `off` costs."""
    return {
        "money": round(money, 4),
        "billedOfOff": ratio(money, off.closed.billed),
        "closedOfOff": ratio(money, off.closed.closed),
    }


def _closed_loop(one: Measures, off: Measures | None) -> Figures:
    """With shares of what `off` costs by the same rules."""
    base = {name: getattr(off.closed, name) if off else 0.0 for name in LOOP_SUMS}
    shares = {f"{name}OfOff": ratio(getattr(one.closed, name), base[name]) for name in LOOP_SUMS}
    return {**_loop_sums(one.closed), **shares, **_loop_counts(one.closed)}


def closed_loop(one: ClosedLoop) -> Figures:
    """Dollars with overhead, and re-fetches; held against nothing."""
    return {**_loop_sums(one), **_loop_counts(one)}


def _loop_sums(one: ClosedLoop) -> Figures:
    return {name: round(getattr(one, name), 4) for name in LOOP_SUMS}


def _loop_counts(one: ClosedLoop) -> Figures:
    return {
        "parts": _parts(one),
        "calls": len(one.calls),
        "fetches": one.fetches,
        "fetchesIn100": None if one.in_100 is None else round(one.in_100, 3),
    }


def foresight(seen: Foresight) -> Figures:
    """Dollars. `patience` null: nothing is missed, whatever keeping it costs."""
    return {
        "free": round(seen.free, 4),
        "tried": [
            {
                "patience": patience if isfinite(patience) else None,
                "billed": round(loop.billed, 4),
                "closed": round(loop.closed, 4),
                "fetches": loop.fetches,
            }
            for patience, loop in seen.tried
        ],
    }


def _parts(loop: ClosedLoop) -> Figures:
    """Dollars; together they are `closed`. `refetches`: the calls for them, and what came back in later lists."""
    parts = loop.parts
    return {
        "overhead": round(parts.overhead, 4),
        "firstWrites": round(parts.first_writes, 4),
        "rewritten": round(parts.rewritten, 4),
        "reads": round(parts.reads, 4),
        "refetches": round(loop.closed - loop.billed, 4),
    }


def prices(sheet: PriceSheet) -> Figures:
    """`input`, `output` and tiers' in dollars a million tokens, `read` and `write` as shares of the input price."""
    usual = sheet.prices
    return {
        "input": usual.input,
        "read": ratio(usual.cache_read, usual.input) or 0.0,
        "write": ratio(usual.cache_write, usual.input) or 0.0,
        "ttl_ms": sheet.ttl_ms,
        "output": usual.output,
        "overheadTokens": sheet.overhead_tokens,
        **({} if sheet.rule is None else {"cache": sheet.caching}),
        "tiers": [
            {
                "aboveTokens": one.above_tokens,
                "input": one.input,
                "output": one.output,
                "cacheRead": one.cache_read,
                "cacheWrite": one.cache_write,
            }
            for one in usual.tiers
        ],
    }


def recalled(one: Recall) -> Figures:
    return {name: shared(getattr(one, field)) for name, field in KINDS_OF_RECALL.items()}


def shared(one: Ratio) -> Figures:
    return {"share": ratio(one.part, one.total), "held": one.part, "of": one.total}


def ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 5) if whole else None


def _series(call: CallMeasures) -> Figures:
    """What a plot over calls needs."""
    return {
        "at": call.time_ms,
        "sent": call.billed.tokens,
        "cached": call.billed.cached,
        "spent": round(call.spent, 6),
        "epoch": call.epoch_number,
        "broke": call.billed.broke,
        "cold": call.billed.cold,
        "own": call.own,
        "names": call.recall.overall.total,
        "recalled": call.recall.overall.part,
        "keptBytes": call.repeats.part,
        "keptOf": call.repeats.total,
        "lines": call.grounding.lines.total,
        "grounded": call.grounding.lines.part,
    }


# over recordings

MEANS = {
    "money": ("money",),
    "ofOff": ("ofOff",),
    "warmOfOff": ("warmOfOff",),
    "billedOfOff": ("closedLoop", "billedOfOff"),
    "closedOfOff": ("closedLoop", "closedOfOff"),
    "allOfOff": ("closedLoop", "allOfOff"),
    "fetchesIn100": ("closedLoop", "fetchesIn100"),
    "sentMean": ("sentMean",),
    "kept": ("kept", "share"),
    "recall": ("recall", "overall", "share"),
    "inPlace": ("recall", "inPlace", "share"),
    "unpacked": ("recall", "unpacked", "share"),
    "far": ("recall", "far", "share"),
    "farInPlace": ("recall", "farInPlace", "share"),
    "grounding": ("grounding", "share"),
    "goneIn100": ("refetch", "goneIn100"),
    "said": ("said", "mean", "share"),
    "saidLast": ("said", "last", "share"),
}


def means(some: Sequence[tuple[str, Figures]]) -> list[Figures]:
    """A row a preset and range, of (preset, figures of one recording): recordings from LONG_TOKENS on, and all.

    Each recording counts the same, whatever its length; one without a figure (no edit in it) is left out of that
    figure's mean, and `dearest` is the largest `ofOff`, `worstKept` the least `kept`.
    """
    presets = dict.fromkeys(preset for preset, _ in some)
    out = []
    for least in (LONG_TOKENS, 0):
        for preset in presets:
            mine = [one for name, one in some if name == preset and one["rawTokens"] >= least]
            if not mine:
                continue
            row: Figures = {"preset": preset, "fromTokens": least, "recordings": len(mine)}
            row.update((name, _mean(_at(one, path) for one in mine)) for name, path in MEANS.items())
            row["worstKept"] = min((one["kept"]["share"] for one in mine if one["kept"]["of"]), default=None)
            row["dearest"] = max((one["ofOff"] for one in mine if one["ofOff"] is not None), default=None)
            row["unannouncedBreaks"] = sum(one["unannouncedBreaks"] for one in mine)
            out.append(row)
    return out


def _at(one: Figures, path: Sequence[str]) -> Any:
    for name in path:
        one = one[name]
    return one


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 5) if known else None
