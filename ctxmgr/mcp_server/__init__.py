"""Tools for the model of a program that runs behind a proxy: an MCP server on standard streams, which asks the
proxy.

It needs the extra `mcp`, and knows no session: whatever it gives, the proxy of its run gave.
"""

from ctxmgr.mcp_server.asking import TOKEN, URL, NotAnswered

__all__ = ["NotAnswered", "TOKEN", "URL", "run_server"]


def run_server() -> int:
    """Until standard input ends; the exit code. Raises NotAnswered where no run is told of. The SDK is imported
    here alone."""
    from ctxmgr.mcp_server import server

    return server.run()
