"""Measures ctxmgr beside the floor, a bare asyncio loop with msgspec that echoes the list, in under a minute.

Both run at the same time and are called in turn, in rounds. Speed is a multiple of the floor, for lists and starts
in CPU time, since wall-clock time depends on other load. CPU time does not show waiting, such as for a disk; so
events are measured as answers per second. Of the rounds ctxmgr's best counts, divided by the floor's best. Memory
is the same in each round, so it has one round. The limits are in scripts/benching/limits.py.

    scripts/bench                    all figures
    scripts/bench --only steady      one group (steady, lists, starts, events, memory, proxy); may be repeated
    scripts/bench --json             for programs
    scripts/bench --gate             the exit code is 1 if a figure is beyond its limit; CI runs this
"""

import argparse
import sys
import tempfile
from collections.abc import Callable

import msgspec
from rich.console import Console

from scripts.benching import calls, limits, memory, proxied, steady
from scripts.benching.figures import Figure
from scripts.benching.pair import Options

PRINTED_WIDTH = 150  # columns if the output is no terminal
GROUPS: dict[str, Callable[[Options], list[Figure]]] = {
    "steady": steady.measure,
    "lists": calls.first_lists,
    "starts": calls.starts,
    "events": calls.events,
    "memory": memory.measure,
    "proxy": proxied.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON in the place of the table")
    parser.add_argument("--gate", action="store_true", help="exit with 1 if a figure is beyond its limit")
    parser.add_argument("--only", choices=tuple(GROUPS), action="append", help="measure this group alone")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each figure (default: %(default)s)")
    parsed = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="ctxmgr-bench-") as state_dir:
        for name in parsed.only or GROUPS:
            with Console(stderr=True).status(f"measuring: {name}"):
                figures += GROUPS[name](Options(state_dir, parsed.rounds))
    rows = limits.judged(figures)
    if parsed.json:
        print(msgspec.json.format(msgspec.json.encode(rows)).decode())
    else:
        out = Console()
        Console(width=out.width if out.is_terminal else PRINTED_WIDTH).print(limits.table(rows))
    for failure in limits.failures(rows):
        print(f"bench: {failure}", file=sys.stderr)
    return 1 if parsed.gate and limits.failures(rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
