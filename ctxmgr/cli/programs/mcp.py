"""The command `mcp`: its arguments, and what runs it."""

import argparse
import sys

DESCRIPTION = (
    "An MCP server on standard input and output with which the model of a program searches and retrieves what left "
    "its conversation, pins, and keeps notes. A program that `ctxmgr run` started starts it; it asks the proxy of "
    "that run, and knows of no other."
)
EXAMPLE = "ctxmgr mcp"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """None: address and token come from the environment."""


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.mcp_server import NotAnswered, run_server

    try:
        return run_server()
    except NotAnswered as refused:
        print(f"ctxmgr mcp: {refused}", file=sys.stderr)
        return 2
