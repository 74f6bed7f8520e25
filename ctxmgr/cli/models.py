"""The command `models`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    "Shows what is known of models where no host says it: windows, limits of output, prices, how their providers "
    "cache, and where each fact is from. Of an id it is told what was found for it, and how. The exit code is 1 "
    "where nothing is known, or where FILE can not be used."
)
EXAMPLE = "ctxmgr models 'claude-*'"


def add_arguments(command: argparse.ArgumentParser) -> None:
    from ctxmgr.cli.arguments import add_models

    command.add_argument(
        "model", metavar="ID|PATTERN", nargs="?", help="a model's id, or a pattern with * and ? (default: all rows)"
    )
    command.add_argument("--json", action="store_true", help="print everything as JSON")
    add_models(command)


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.inspection import models

    return models.run(parsed)
