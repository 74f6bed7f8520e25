"""Shows where policies are in the plane of bill and `kept`, over many recordings: for developing a policy.

    python -m scripts.plane RECORDING... --policy balanced --policy balanced:keep=careful --window 200000

1. Each recording is driven in each window under `off` and each policy as in `ctxmgr replay`: with its modelled host
   and its prices, without probes. `--jobs` recordings run at a time.
2. One row for each window and policy. Billed and closed: dollars of all recordings together, as shares of the host
   alone. Kept, place (recall in place), ground: pooled; kept also as the mean and the minimum over recordings.
3. Recordings with fewer tokens than `--least` are skipped. Results of `off` are cached in the folder `--base`, by
   recording and window, and not computed again. Empty it when preset off or a measure has changed.
4. Peers are policies by name; `--peers` means all of them. Their results are cached in `--base`, too.
5. `--cold`: the host does not say that its cache is never cold, and epochs open in the recorded pauses.
"""

import argparse
import hashlib
import json
import multiprocessing
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from ctxmgr.study.corpus import tasks
from ctxmgr.study.driving import PEERS, ReplayOptions, drive, peers
from ctxmgr.study.figures import CodeLengths, Measures, figures, totals
from ctxmgr.study.observations import MessageCache, PriceSheet, message_reader
from ctxmgr.study.recordings import Recording, readers
from ctxmgr.study.replay import HostModel

LEAST_TOKENS = 60_000  # shorter conversations fit any window, and show little
SHEET = PriceSheet(overhead_tokens=HostModel().overhead_tokens)
Figures = dict[str, Any]


class PlaneTask(msgspec.Struct, frozen=True):
    """One recording. `windows` in tokens. `base`: the folder of rule 3."""

    path: Path
    windows: tuple[int, ...]
    policies: tuple[tasks.CorpusPolicy, ...]
    least_tokens: int
    base: Path | None
    host: HostModel = HostModel()


def measured(task: PlaneTask) -> dict[int, list[Figures]]:
    """By window, one row for each policy, with "preset" and "measures"; empty if it has too few tokens."""
    source = readers.source(task.path)
    recorded = readers.read(source)
    known, lengths = MessageCache(message_reader()), CodeLengths()
    messages = (entry.message for entry in recorded.entries if entry.kind == "message")
    if sum(map(known.weight, messages)) < task.least_tokens:
        return {}
    digest = hashlib.sha256(source.content).hexdigest()
    out: dict[int, list[Figures]] = {}
    for window in task.windows:
        warmth = "warm" if task.host.stays_warm else "cold"
        rows = out[window] = []
        for policy in task.policies:
            is_base = task.base is not None and policy.name in (tasks.BASE, *PEERS)
            stored = task.base / f"{digest[:32]}-{window}-{warmth}-{policy.name}.json" if is_base else None
            if stored is not None and stored.exists():
                rows.append(json.loads(stored.read_bytes()))
                continue
            rows.append(_driven(recorded, policy, _options(task.host, policy, window), known, lengths))
            if stored is not None:
                stored.write_text(json.dumps(rows[-1]))
    return out


def _options(host: HostModel, policy: tasks.CorpusPolicy, window: int) -> ReplayOptions:
    return ReplayOptions(
        preset=policy.preset,
        window=window,
        measure=True,
        policy={**host.policy(SHEET.prices), **policy.keys},
        host=host.limits(window),
        write=host.write(),
    )


def _driven(
    recorded: Recording,
    policy: tasks.CorpusPolicy,
    options: ReplayOptions,
    known: MessageCache,
    lengths: CodeLengths,
) -> Figures:
    is_peer = policy.preset in PEERS
    outcome = peers.driven(recorded, policy.preset, options) if is_peer else drive(recorded, options)
    made = figures(Measures(outcome.observations, known, SHEET, lengths), None)
    del made["series"]
    return {"preset": policy.name, "file": recorded.name, "measures": made, "failures": outcome.failures}


def row(name: str, window: int, parts: Sequence[Figures], summed: Figures) -> Figures:
    """Rule 2. `parts`: one row for each recording. `summed`: from `totals`."""
    kept = [part["measures"]["kept"]["share"] for part in parts if part["measures"]["kept"]["of"] > 0]
    worst = min(parts, key=lambda part: part["measures"]["kept"]["share"] or 0.0)
    return {
        "window": window,
        "policy": name,
        "recordings": len(parts),
        "billed": summed["together"]["billed"],
        "kept": summed["kept"],
        "meanKept": fmean(kept) if kept else None,
        "worstKept": min(kept, default=None),
        "worst": worst["file"],
        "place": summed["inPlace"],
        "ground": summed["grounding"],
        "closed": summed["together"]["closed"],
        "recall": summed["recall"],
        "fetchesIn100": summed["fetchesIn100"],
        "epochs": sum(part["measures"]["epochs"] for part in parts),
        "sentMean": fmean(part["measures"]["sentMean"] for part in parts),
        "failures": sum(len(part["failures"]) for part in parts),
    }


def plane(results: Sequence[dict[int, list[Figures]]], windows: Sequence[int]) -> list[Figures]:
    """All rows. `results`: of each recording."""
    rows = []
    for window in windows:
        parts = [result[window] for result in results if window in result]
        for part in parts:
            _against(part)
        for summed in totals(parts, tasks.BASE)[:-1] if parts else ():
            name = summed["preset"]
            mine = [figures for part in parts for figures in part if figures["preset"] == name]
            rows.append(row(name, window, mine, summed))
    return rows


def _against(part: list[Figures]) -> None:
    """Adds what `totals` requires: shares of the cost of `off`, and a floor, which is 0 here."""
    base = next(row["measures"]["closedLoop"] for row in part if row["preset"] == tasks.BASE)
    for row in part:
        loop = row["measures"]["closedLoop"]
        loop |= {f"{kind}OfOff": loop[kind] / base[kind] for kind in ("billed", "closed", "all")}
    part[0]["floor"] = {"money": 0.0}


COLUMNS = ("billed", "kept", "meanKept", "worstKept", "place", "ground", "closed", "recall", "fetchesIn100")


def table(rows: Sequence[Figures]) -> Table:
    made = Table()
    for name in ("window", "policy", "recordings", *COLUMNS, "epochs", "sent", "failures", "worst"):
        made.add_column(name, justify="left" if name in ("policy", "worst") else "right")
    for row in rows:
        shares = [f"{row[name]:.3f}" if row[name] is not None else "-" for name in COLUMNS]
        counts = f"{row['epochs']}", f"{row['sentMean']:,.0f}", f"{row['failures']}"
        made.add_row(f"{row['window']:,}", row["policy"], f"{row['recordings']}", *shares, *counts, row["worst"])
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", metavar="RECORDING", nargs="+", type=Path)
    parser.add_argument("--policy", metavar="PRESET[:KEY=VALUE,...]", action="append")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--window", metavar="TOKENS", type=int, action="append")
    parser.add_argument("--least", metavar="TOKENS", type=int, default=LEAST_TOKENS)
    parser.add_argument("--jobs", metavar="N", type=int, default=1)
    parser.add_argument("--base", metavar="DIR", type=Path)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--json", metavar="FILE", type=Path, help="each recording's figures, and the rows")
    parsed = parser.parse_args(arguments)
    try:
        wanted = tuple(tasks.policies([*(parsed.policy or []), *(PEERS if parsed.peers else ())] or ["balanced"]))
    except tasks.CorpusFault as fault:
        parser.error(str(fault))
    if parsed.base:
        parsed.base.mkdir(parents=True, exist_ok=True)
    windows, host = tuple(parsed.window or [200_000]), HostModel(stays_warm=not parsed.cold)
    paths = sorted(parsed.recordings, key=lambda path: -path.stat().st_size)
    todo = [PlaneTask(path, windows, wanted, parsed.least, parsed.base, host) for path in paths]
    if parsed.jobs > 1:
        with ProcessPoolExecutor(parsed.jobs, multiprocessing.get_context("spawn")) as pool:
            results = list(pool.map(measured, todo))
    else:
        results = [measured(task) for task in todo]
    rows = plane(results, windows)
    if parsed.json:
        parsed.json.write_text(json.dumps({"rows": rows, "recordings": results}, indent=1))
    Console(width=None if sys.stdout.isatty() else 200).print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
