"""Runs the provider from the command line, for demonstrations: any prompt makes the program at the other end look
through the modules of a work tree, which is made if it is not there. What came is told at the end (Ctrl-C)."""

import argparse
import asyncio
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.provider.faults import failing
from tests.provider.record import Record
from tests.provider.scripts import looking, script
from tests.provider.server import WINDOW_TOKENS, Provider
from tests.provider.tree import MODULES, make_tree


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("scripts/provider", description=__doc__)
    parser.add_argument("--steps", type=int, default=30, help="of a session (default: %(default)s)")
    parser.add_argument("--tree", type=Path, help="the work tree (default: a new one)")
    parser.add_argument(
        "--window", type=int, default=WINDOW_TOKENS, help="tokens of the model (default: %(default)s)"
    )
    parser.add_argument("--fail", action="append", default=[], metavar="CALL=STATUS", help="such as 3=529")
    given = parser.parse_args(arguments)
    if not 0 < given.steps < MODULES:
        parser.error(f"--steps is 1 to {MODULES - 1}")
    asyncio.run(_serve(given))
    return 0


async def _serve(given: argparse.Namespace) -> None:
    tree = given.tree or Path(tempfile.mkdtemp(prefix="provider-")) / "tree"
    if not tree.exists():
        make_tree(tree)
    faults = {int(call): failing(int(status), 1) for call, _, status in (one.partition("=") for one in given.fail)}
    played = script("", *looking(given.steps), final=f"All {given.steps} steps are done.")
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    root = tree.resolve()
    async with Provider(played, root=root, window_tokens=given.window, faults=faults) as provider:
        print(f"{provider.url}\nwork tree: {root}", flush=True)
        await ended.wait()
    print(summary(provider.record), file=sys.stderr)


def summary(record: Record) -> str:
    usage = record.usage
    return "\n".join(
        [
            f"{len(record.answered)} calls answered, {len(record.refused)} refused",
            f"{record.distinct_results} distinct tool results",
            f"{usage.sent} tokens sent: {usage.fresh} fresh, {usage.written} written, {usage.read} read",
            f"{record.billed:.0f} billed",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
