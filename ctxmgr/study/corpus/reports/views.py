"""Turns figures of a corpus into tables for the terminal."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.study.console import figure, figures_table, plain
from ctxmgr.study.corpus.reports.against import FigureChange
from ctxmgr.study.corpus.reports.reporting import CorpusReport, Figures

COLUMNS: tuple[tuple[str, str, int], ...] = (  # head, figure, digits
    ("recordings", "recordings", 0),
    ("closed, of off", "closedOfOff", 3),
    ("billed, of off", "billedOfOff", 3),
    ("re-fetches", "fetchesIn100", 1),
    ("kept", "kept", 3),
    ("mean", "keptMean", 3),
    ("worst", "keptWorst", 3),
    ("in place", "inPlace", 3),
    ("recall", "recall", 3),
    ("probes", "probes", 3),
    ("epochs", "epochsIn100", 1),
    ("breaks", "unannouncedBreaks", 0),
    ("faults", "faults", 0),
    ("bad", "bad", 0),
)
ABOUT = (
    "closed: what the input costs with what is fetched again;\n"
    "re-fetches and epochs in 100 calls; kept: of what replies repeat, all together,\n"
    "and its mean and its worst; recall of the names used next, and in place;\n"
    "probes: what was used later and can still be answered; breaks outside an epoch"
)


def tables(of: CorpusReport) -> RenderableType:
    """All but what one recording alone came to."""
    overall = _figures("all recordings, each counting the same", of.all, ("policy",))
    overall.caption = ABOUT
    parts: list[RenderableType] = [overall]
    for name, rows in of.groups.items():
        if len({row["name"] for row in rows}) > 1:
            parts.append(_figures(f"by {name}", rows, ("name", "policy")))
    parts += [_probes(of.probes, of.names)] if of.probes else []
    parts += [_pairs(of.pairs)] if of.pairs else []
    parts += [_worst(of.worst)] if of.worst else []
    parts += [_bad(of.bad)] if of.bad else []
    return Group(*parts)


def changes_table(some: Sequence[FigureChange]) -> Table:
    made = figures_table("against the other results", ("policy", "figure", "recordings", "before", "now", ""))
    for one in some:
        cells = (one.figure, str(one.recording_count), one.before, one.now)
        made.add_row(plain(one.policy), *cells, plain("worse", "red") if one.is_worse else "")
    return made


def _figures(title: str, rows: Sequence[Figures], names: Sequence[str]) -> Table:
    made = figures_table(title, (*names, *(head for head, _, _ in COLUMNS)))
    for row in rows:
        cells = (figure(row[name], digits) for _, name, digits in COLUMNS)
        made.add_row(*(plain(str(row[name] or "-")) for name in names), *cells)
    return made


def _probes(rows: Sequence[Figures], names: Sequence[str]) -> Table:
    made = figures_table("memory probes of what was used later, by policy", ("kind", "probes", *names))
    kinds: dict[str, dict[str, Any]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], {})[row["policy"]] = row
    for kind, by_policy in kinds.items():
        most = max(row["usedProbes"] for row in by_policy.values())
        shares = (by_policy[name]["used"] if name in by_policy else None for name in names)
        made.add_row(plain(kind), str(most), *(figure(share, 3) for share in shares))
    return made


def _pairs(rows: Sequence[Figures]) -> Table:
    heads = ("first less second", "figure", "recordings", "mean", "95 % from", "to")
    made = figures_table("policies in pairs, on the same recordings", heads)
    for row in rows:
        numbers = (f"{row[name]:+.4f}" for name in ("mean", "low", "high"))
        pair = f"{row['first']} - {row['second']}"
        made.add_row(plain(pair), row["figure"], str(row["recording_count"]), *numbers)
    return made


def _worst(rows: Sequence[Figures]) -> Table:
    heads = ("recording", "policy", "host", "tokens", "calls", "closed, of off", "re-fetches", "kept", "faults")
    made = figures_table("where it paid least", heads)
    for row in rows:
        cells = (
            f"{row['rawTokens']:,}",
            str(row["calls"]),
            figure(row["closedOfOff"], 3),
            figure(row["fetchesIn100"], 1),
            figure(row["kept"], 3),
            str(row["faults"]),
        )
        made.add_row(plain(row["name"]), plain(row["policy"]), plain(row["host"]), *cells)
    return made


def _bad(rows: Sequence[Figures]) -> Table:
    made = figures_table("without figures", ("recording", "policies", "why"))
    for row in rows:
        made.add_row(plain(row["name"]), str(row["policies"]), plain(row["reason"]))
    made.columns[-1].justify = "left"
    return made
