"""Chooses values of policy keys on one half of recordings, and says what they come to on the other.

    python -m scripts.tuning --vary oldTokens=1000,1500,2500 --vary indexTokens=4000,6000 RECORDING...

Rules:
1. The halves are told by content: the recordings by the SHA-256 of their bytes, every other one in each. Nobody
   picks. Each half is tuned on, and the other confirms.
2. Chosen is, of all combinations, the one whose closed-loop cost is least, dollars together on the half that is
   tuned on, of those with a recall of `--least-recall` there; where none has that, the one with most recall.
3. Told of each combination, on both halves: closed-loop cost as a share of the host alone, dollars together and
   mean of recordings, each with its 95 % interval over recordings (`resampling`), recall, re-fetches in 100 calls.
4. A difference under RANKS ranks nothing: what is within it of the cheapest counts as `alike`.

Options behind `--` go to `ctxmgr replay`, such as `-- --prices 3,0.5,1,15`. `--json` has the figures.
"""

import argparse
import hashlib
import itertools
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from ctxmgr.study.figures import interval

RANKS = 0.01
SHARES = 3  # decimals


class RecordingFigures(msgspec.Struct, frozen=True):
    """One recording under one combination; `alone_dollars`: what the host alone costs there, closed loop."""

    closed_dollars: float
    alone_dollars: float
    seen_count: int
    named_count: int
    fetch_count: int
    call_count: int


class Spread(msgspec.Struct, frozen=True):
    """A figure with the ends of its interval."""

    figure: float
    low: float
    high: float


class HalfFigures(msgspec.Struct, frozen=True):
    """Recordings under one combination: closed-loop cost as a share of the host alone, recall, re-fetches."""

    together: Spread
    mean: Spread
    recall: float
    fetches_in_100: float


Combination = tuple[str, ...]  # KEY=VALUE each; () as it is
Measured = dict[Combination, list[RecordingFigures]]  # in the order of the recordings


def combinations(varied: Iterable[str]) -> list[Combination]:
    """Of KEY=VALUE,VALUE each: every combination, before them none of them: what holds without a key."""
    keys: list[list[str]] = []
    for one in varied:
        key, sign, values = one.partition("=")
        if not (key and sign and values):
            raise ValueError(f"{one!r} is not KEY=VALUE,VALUE")
        keys.append([f"{key}={value}" for value in values.split(",")])
    return [(), *(itertools.product(*keys) if keys else ())]


def halves(contents: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """The numbers of the recordings of each half (rule 1)."""
    order = sorted(range(len(contents)), key=lambda at: hashlib.sha256(contents[at]).digest())
    return sorted(order[0::2]), sorted(order[1::2])


def summed(some: Sequence[RecordingFigures]) -> HalfFigures:
    """Rule 3, of one half or all: at least one recording."""
    return HalfFigures(
        Spread(_together(some), *interval(some, _together)),
        Spread(_mean(some), *interval(some, _mean)),
        sum(one.seen_count for one in some) / max(1, sum(one.named_count for one in some)),
        100 * sum(one.fetch_count for one in some) / max(1, sum(one.call_count for one in some)),
    )


def _together(some: Sequence[RecordingFigures]) -> float:
    return sum(one.closed_dollars for one in some) / sum(one.alone_dollars for one in some)


def _mean(some: Sequence[RecordingFigures]) -> float:
    return fmean(one.closed_dollars / one.alone_dollars for one in some)


def chosen(sums: dict[Combination, HalfFigures], least_recall: float) -> Combination:
    """Rule 2."""
    good = {key: one for key, one in sums.items() if one.recall >= least_recall}
    if not good:
        return max(sums, key=lambda key: (sums[key].recall, -sums[key].together.figure, key))
    return min(good, key=lambda key: (good[key].together.figure, key))


def alike(sums: dict[Combination, HalfFigures], best: Combination) -> frozenset[Combination]:
    """Rule 4."""
    most = sums[best].together.figure + RANKS
    return frozenset(key for key, one in sums.items() if one.together.figure < most)


def measured(paths: Sequence[Path], policy: Combination, options: Sequence[str]) -> list[RecordingFigures]:
    """Each recording under this policy. Raises CalledProcessError where a drive failed."""
    command = [
        sys.executable,
        "-m",
        "ctxmgr",
        "replay",
        *map(str, paths),
        "--preset",
        "balanced",
        "--json",
        *options,
    ]
    for one in policy:
        command += ["--policy", one]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return [of_drive(one["measures"]) for one in json.loads(done.stdout) if one.get("preset") == "balanced"]


def of_drive(measures: dict[str, Any]) -> RecordingFigures:
    """What `ctxmgr replay --json` says of one drive."""
    loop, recall = measures["closedLoop"], measures["recall"]["overall"]
    alone = loop["closed"] / loop["closedOfOff"]
    return RecordingFigures(loop["closed"], alone, recall["held"], recall["of"], loop["fetches"], loop["calls"])


def report(found: Measured, parts: tuple[list[int], list[int]], least_recall: float) -> list[dict[str, Any]]:
    """A dict each way: which half was tuned on, what was chosen, and what each combination comes to on both."""
    out: list[dict[str, Any]] = []
    for tuned, other in (parts, parts[::-1]):
        on_tuned, on_other = (
            {key: summed([some[at] for at in half]) for key, some in found.items()} for half in (tuned, other)
        )
        best = chosen(on_tuned, least_recall)
        near = alike(on_tuned, best)
        rows = [
            {
                "policy": list(key),
                "chosen": key == best,
                "alike": key in near,
                "tuned": msgspec.to_builtins(on_tuned[key]),
                "confirmed": msgspec.to_builtins(on_other[key]),
            }
            for key in found
        ]
        out.append({"tunedOn": tuned, "confirmedOn": other, "rows": rows})
    return out


def tables(told: Sequence[dict[str, Any]]) -> Iterable[Table]:
    for one in told:
        table = Table(title=f"tuned on {len(one['tunedOn'])} recordings, confirmed on {len(one['confirmedOn'])}")
        for column in ("policy", "", "tuned: $", "mean", "recall", "re-fetches", "confirmed: $", "mean", "recall"):
            table.add_column(column)
        for row in sorted(one["rows"], key=lambda row: row["tuned"]["together"]["figure"]):
            mark = "chosen" if row["chosen"] else "alike" if row["alike"] else ""
            tuned, other = row["tuned"], row["confirmed"]
            table.add_row(
                " ".join(row["policy"]) or "as it is",
                mark,
                *(_shown(tuned[part]) for part in ("together", "mean")),
                f"{tuned['recall']:.3f}",
                f"{tuned['fetches_in_100']:.1f}",
                *(_shown(other[part]) for part in ("together", "mean")),
                f"{other['recall']:.3f}",
            )
        yield table


def _shown(spread: dict[str, float]) -> str:
    figure, low, high = (round(spread[part], SHARES) for part in ("figure", "low", "high"))
    return f"{figure:.3f} ({low:.3f} to {high:.3f})"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", metavar="RECORDING", nargs="+", type=Path)
    parser.add_argument("--vary", metavar="KEY=VALUE,VALUE", action="append", default=[], help="several times")
    parser.add_argument("--least-recall", metavar="SHARE", type=float, default=0.0, help="of what may be chosen")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = sys.argv[1:] if arguments is None else arguments
    own, options = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    parsed = parser.parse_args(own)
    if len(parsed.recordings) < 2:
        parser.error("two recordings at least: one to tune on, one to confirm")
    try:
        every = combinations(parsed.vary)
    except ValueError as fault:
        parser.error(str(fault))
    found: Measured = {}
    for policy in every:
        print(" ".join(policy) or "as it is", file=sys.stderr, flush=True)
        found[policy] = measured(parsed.recordings, policy, options)
    parts = halves([path.read_bytes() for path in parsed.recordings])
    told = report(found, parts, parsed.least_recall)
    if parsed.json:
        print(json.dumps(told, indent=1))
    else:
        for table in tables(told):
            Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
