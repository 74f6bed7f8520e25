"""The command `describe`: what runs it."""

import argparse

from ctxmgr import __version__

DESCRIPTION = "Prints every method, either way, with params, answers and errors, as an OpenRPC document."
EXAMPLE = "ctxmgr describe > openrpc.json"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """It has none."""


def run(parsed: argparse.Namespace) -> int:
    import json

    from ctxmgr.wire.spec import openrpc

    print(json.dumps(openrpc.document(__version__), indent=2, ensure_ascii=False))
    return 0
