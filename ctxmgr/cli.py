"""The command line: serve, replay, inspect, describe."""

import argparse
import sys
from collections.abc import Sequence

from ctxmgr import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code: 0 done, 1 it found something wrong, 2 wrong usage."""
    parsed = _parser().parse_args(arguments)
    code: int = parsed.run(parsed)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ctxmgr",
        description="A sidecar that keeps a coding agent's context window small, correct and cheap. "
        "A host spawns `ctxmgr serve` and speaks JSON-RPC 2.0 with it on standard input and output.",
    )
    parser.add_argument("--version", action="version", version=f"ctxmgr {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _serve(commands)
    return parser


def _serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "serve",
        help="serve one host on standard input and output",
        description="Serves one host until it closes standard input, sends `exit`, or ends. Both framings of "
        "JSON-RPC are understood: Content-Length headers, and one message a line.",
    )
    command.add_argument("--state-dir", metavar="DIR", help="where snapshots go when the host names no stateDir")
    command.add_argument(
        "--record", metavar="FILE", help="write a transcript of everything said; it holds the conversation"
    )
    command.add_argument(
        "--preload",
        metavar="NAME",
        nargs="?",
        const="o200k_base",
        help="load this vocabulary before the first message is read, so that all weights come from it",
    )
    command.add_argument(
        "--max-message",
        metavar="MIB",
        type=int,
        default=64,
        help="largest message taken, in MiB (default: 64)",
    )
    command.set_defaults(run=_run_serve)


def _run_serve(parsed: argparse.Namespace) -> int:
    from ctxmgr.worker import Setup, serve

    if parsed.max_message < 1:
        print("ctxmgr serve: --max-message must be at least 1", file=sys.stderr)
        return 2
    setup = Setup(parsed.state_dir, parsed.record, parsed.preload, parsed.max_message << 20)
    return serve(setup)
