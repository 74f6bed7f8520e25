"""The command `drive`: its arguments, and what runs it."""

import argparse
from collections.abc import Sequence

from ctxmgr.cli.arguments import add_peer

OWN_HELP = True  # `add_arguments` adds --help itself
DESCRIPTION = (
    "Spawns a sidecar, sends it the host's lines of a transcript, and compares what comes with the "
    "lines of ctxmgr, in which placeholders may stand for what differs from run to run. The exit code is 1 "
    "where something is not as expected, 2 where the script or the command is none."
)
EXAMPLE = "ctxmgr drive protocol/examples/first-session.jsonl --show"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("-h", "--help", action=_HelpWithFormat, help="show this, and the format of scripts")
    command.add_argument("scripts", metavar="SCRIPT", nargs="+", help="a script; - reads it from standard input")
    add_peer(command)
    command.add_argument("--show", action="store_true", help="print each message as it goes or comes")


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.study import conformance

    return conformance.drive(parsed)


class _HelpWithFormat(argparse.Action):
    """Loads the format's page when it is asked for: no other command waits for that."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from ctxmgr.study.conformance import FORMAT

        example, parser.epilog = parser.epilog, None
        parser.print_help()
        print(f"\n{FORMAT}\n{example}")
        parser.exit()
