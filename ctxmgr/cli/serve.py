"""The command `serve`: its arguments, and what runs it. Nothing else is imported before it runs."""

import argparse
import gc
import sys

DESCRIPTION = (
    "Serves one host until it closes standard input, sends `exit`, or ends. Both framings of "
    "JSON-RPC are understood: Content-Length headers, and one message a line."
)
EXAMPLE = "ctxmgr serve --state-dir /tmp/ctxmgr"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--state-dir", metavar="DIR", help="where snapshots go when the host names no stateDir")
    command.add_argument(
        "--record", metavar="FILE", help="write a transcript of everything said; it holds the conversation"
    )
    command.add_argument(
        "--preload",
        metavar="NAME",
        nargs="?",
        const="o200k_base",
        help="load this vocabulary before the first message is read; pressure goes by it while no usage is known",
    )
    command.add_argument(
        "--max-message",
        metavar="MIB",
        type=int,
        default=64,
        help="largest message taken, in MiB (default: 64)",
    )


def run(parsed: argparse.Namespace) -> int:
    if parsed.max_message < 1:
        print("ctxmgr serve: --max-message must be at least 1", file=sys.stderr)
        return 2
    gc.disable()  # until it serves: what is imported is no garbage, and a host waits
    from ctxmgr.server import Setup, serve

    setup = Setup(parsed.state_dir, parsed.record, parsed.preload, parsed.max_message << 20)
    return serve(setup)
