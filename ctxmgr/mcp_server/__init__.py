"""Tools for the model of a program that runs behind a proxy: an MCP server on standard streams, which asks the
proxy.

It needs the extra `mcp`, and knows no session: whatever it gives, the proxy of its run gave.
"""

import sys
from argparse import Namespace

from ctxmgr.mcp_server.asking import TOKEN, URL, NotAnswered

__all__ = ["TOKEN", "URL", "run"]


def run(parsed: Namespace) -> int:
    """Serves until standard input ends; the exit code. The SDK is imported here alone."""
    from ctxmgr.mcp_server import server

    try:
        return server.run()
    except NotAnswered as refused:
        print(f"ctxmgr mcp: {refused}", file=sys.stderr)
        return 2
