"""The command `proxy`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    "Stands between programs and one provider until it is ended: message lists go on as ctxmgr makes them, all "
    "else passes as it comes. Point a program's base URL at the address that it prints."
)
EXAMPLE = "ctxmgr proxy --listen 127.0.0.1:8484 --upstream https://api.anthropic.com"


def add_arguments(command: argparse.ArgumentParser) -> None:
    from ctxmgr.cli.arguments import add_settings

    command.add_argument("--upstream", metavar="URL", required=True, help="the provider, or a gateway before it")
    command.add_argument(
        "--listen", metavar="HOST:PORT", default="127.0.0.1:0", help="port 0: any free one (default: %(default)s)"
    )
    command.add_argument(
        "--name",
        metavar="HOST",
        action="append",
        default=[],
        help="answer to requests for this host too; for whom the machine is reached by a name",
    )
    add_settings(command)


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.programs import proxying

    return proxying.until_ended(parsed)
