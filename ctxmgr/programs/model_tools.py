"""Has a program give its model the tools of `ctxmgr mcp`: what is told to the program, and where that can be.

Rules:
1. The program's own MCP servers stay, but for one of its own that is named `ctxmgr`.
2. Address and token are in the environment of the program alone, not among its arguments, which others can see.
"""

import importlib.util
import secrets

from ctxmgr import isolation
from ctxmgr.mcp_server import TOKEN, URL
from ctxmgr.programs.program import Launch, Program, with_environ

COMMAND = isolation.command("mcp")
TOKEN_BYTES = 32


def are_there(program: Program) -> bool:
    """Can this program's model have them here? The extra `mcp` has to be installed."""
    return program.with_tools is not None and importlib.util.find_spec("mcp") is not None


def new_token() -> str:
    """For one run."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def given(program: Program, launch: Launch, base_url: str, token: str) -> Launch:
    """The launch with the tools in it, where the program can take them."""
    if program.with_tools is None or not token:
        return launch
    return with_environ(program.with_tools(launch, COMMAND), **{URL: base_url, TOKEN: token})
