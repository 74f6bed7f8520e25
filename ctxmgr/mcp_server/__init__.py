"""Tools for the model of a program that runs behind a proxy: an MCP server on standard streams that calls the
proxy.

Requires the extra `mcp`. It knows no session: everything it returns comes from the proxy of its run.
"""

import sys
from argparse import Namespace

from ctxmgr.mcp_server.asking import TOKEN, URL, NotAnswered

__all__ = ["TOKEN", "URL", "run"]


def run(parsed: Namespace) -> int:
    """Serves until standard input ends; returns the exit code. The SDK is imported only here."""
    from ctxmgr.mcp_server import server

    try:
        return server.run()
    except NotAnswered as refused:
        print(f"ctxmgr mcp: {refused}", file=sys.stderr)
        return 2
