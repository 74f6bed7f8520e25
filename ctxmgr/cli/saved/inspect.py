"""The command `inspect`: its arguments, and what runs it."""

import argparse

from ctxmgr.cli.arguments import add_models

DESCRIPTION = (
    "Shows a snapshot file of the state directory: what ctxmgr knows of the session, the facts "
    "it has learned and the summaries it has heard. The file is only read. The exit code is 1 if it is "
    "broken or its end is torn."
)
EXAMPLE = "ctxmgr inspect ~/.local/state/ctxmgr/NAME.jsonl --full"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="a snapshot, NAME.jsonl in the state directory")
    command.add_argument("--full", action="store_true", help="show long texts whole")
    add_models(command)


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.inspection import inspecting

    return inspecting.run(parsed)
