"""Figures of several recordings as one row a policy: dollars together, and the mean of recordings.

A recording counts in `together` by what it costs, in `mean` as any other. Shares of what is asked (kept, in place,
recall, far, grounding) are pooled: each byte or question counts the same; `worstKept` is of one recording. A policy
is held against `off` on the recordings that it was measured on. The floor has a row of its own.
"""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from rich.table import Table

from ctxmgr.study.console import figures_table, plain

SUMS = ("billed", "closed", "all")
ASKED = {
    "kept": ("kept",),
    "recall": ("recall", "overall"),
    "far": ("recall", "far"),
    "inPlace": ("recall", "inPlace"),
    "grounding": ("grounding",),
}
FLOOR = "floor"
NONE = "-"

Figures = dict[str, Any]


def totals(parts: Sequence[Sequence[Figures]], base: str) -> list[Figures]:
    """`parts`: for each recording a row a policy, with "preset" and "measures", and "floor" in the first."""
    measured = [{one["preset"]: one["measures"] for one in part} for part in parts]
    names = dict.fromkeys(name for part in measured for name in part)
    rows = [_row(name, [part for part in measured if name in part], base) for name in names]
    floor = sum(part[0]["floor"]["money"] for part in parts)
    billed, closed = (_sum(measured, base, name) for name in ("billed", "closed"))
    together = {"billed": _ratio(floor, billed), "closed": _ratio(floor, closed), "all": None}
    return [*rows, {"preset": FLOOR, "recordings": len(parts), "money": {"billed": floor}, "together": together}]


def _row(name: str, parts: Sequence[Figures], base: str) -> Figures:
    mine = [part[name] for part in parts]
    calls = sum(one["closedLoop"]["calls"] for one in mine)
    fetches = sum(one["closedLoop"]["fetches"] for one in mine)
    kept = [one["kept"]["share"] for one in mine]
    return {
        "preset": name,
        "recordings": len(mine),
        "calls": calls,
        "money": {kind: round(_sum(parts, name, kind), 4) for kind in SUMS},
        "together": {kind: _ratio(_sum(parts, name, kind), _sum(parts, base, kind)) for kind in SUMS},
        "parts": _parts(parts, name, base),
        "mean": {
            **{kind: _mean([one["closedLoop"][f"{kind}OfOff"] for one in mine]) for kind in SUMS},
            "kept": _mean(kept),
        },
        "worstKept": min((one for one in kept if one is not None), default=None),
        "fetchesIn100": _ratio(100 * fetches, calls),
        **{kind: _pooled(mine, path) for kind, path in ASKED.items()},
    }


def _sum(parts: Sequence[Figures], name: str, kind: str) -> float:
    return float(sum(part[name]["closedLoop"][kind] for part in parts))


def _parts(parts: Sequence[Figures], name: str, base: str) -> Figures:
    """What the closed-loop cost consists of, as shares of what the input of `base` alone is billed."""
    mine = [part[name]["closedLoop"]["parts"] for part in parts]
    billed = _sum(parts, base, "billed")
    return {kind: _ratio(sum(one[kind] for one in mine), billed) for kind in mine[0]}


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return round(fmean(there), 5) if there else None


def _pooled(mine: Sequence[Figures], path: Sequence[str]) -> float | None:
    shares = []
    for one in mine:
        for name in path:
            one = one[name]
        shares.append(one)
    return _ratio(sum(one["held"] for one in shares), sum(one["of"] for one in shares))


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 5) if whole else None


# views

MEANINGS = (
    "billed: warm input with the overhead of each call",
    "closed: and what a reply acts on and can not see, fetched again",
    "all: and cold caches, summaries, output",
    "kept: of what replies repeat of the old conversation, by code length",
    "floor: no policy that shows each message once costs less, billed or closed",
)

Column = tuple[str, int, Callable[[Figures], float | None]]
TOGETHER: tuple[Column, ...] = (
    ("$", 2, lambda row: row["money"].get("closed", row["money"]["billed"])),
    ("billed", 3, lambda row: row["together"]["billed"]),
    ("closed", 3, lambda row: row["together"]["closed"]),
    ("all", 3, lambda row: row["together"]["all"]),
)
MEANS: tuple[Column, ...] = (
    ("mean: billed", 3, lambda row: row.get("mean", {}).get("billed")),
    ("closed", 3, lambda row: row.get("mean", {}).get("closed")),
    ("all", 3, lambda row: row.get("mean", {}).get("all")),
    ("kept", 3, lambda row: row.get("mean", {}).get("kept")),
    ("worst", 3, lambda row: row.get("worstKept")),
)
SEEN: tuple[Column, ...] = (
    ("kept", 3, lambda row: row.get("kept")),
    ("in place", 3, lambda row: row.get("inPlace")),
    ("re-fetches in 100", 1, lambda row: row.get("fetchesIn100")),
    ("recall", 3, lambda row: row.get("recall")),
    ("far", 3, lambda row: row.get("far")),
    ("grounding", 3, lambda row: row.get("grounding")),
)


def totals_table(rows: Sequence[Figures]) -> Table:
    """Rows of `totals`."""
    several = rows[0]["recordings"] > 1
    columns = (*TOGETHER, *SEEN, *(MEANS if several else ()))
    made = figures_table("closed-loop cost" + (" over recordings" if several else ""))
    made.add_column("policy", no_wrap=True)
    for head, _, _ in columns:
        made.add_column(head, justify="right")
    for row in rows:
        cells = ((of(row), digits) for _, digits, of in columns)
        made.add_row(
            plain(row["preset"]), *(NONE if value is None else f"{value:,.{digits}f}" for value, digits in cells)
        )
    made.caption = "$: closed; the others as parts of off, of dollars together\n" + "\n".join(MEANINGS)
    return made
