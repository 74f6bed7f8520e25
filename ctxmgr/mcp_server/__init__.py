"""Tools for the model of a program that runs behind a proxy: an MCP server on standard streams, which asks the
proxy.

It needs the extra `mcp`, and knows no session: whatever it gives, the proxy of its run gave.
"""

from ctxmgr.mcp_server.asking import TOKEN, URL

__all__ = ["TOKEN", "URL"]
