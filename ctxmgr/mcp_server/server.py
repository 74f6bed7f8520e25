"""The MCP server: five tools over standard streams, each a call of the proxy. Requires the extra `mcp`.

Descriptions are short: like the program's own tools they are part of each of its requests, and count as overhead.

Results are short, and name the call that continues from them.
"""

from collections.abc import Callable
from typing import Annotated, Any

import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ctxmgr import __version__
from ctxmgr.mcp_server.asking import NotAnswered, ProxyOfThisRun

MASKED = "\n[secrets were masked when this was kept: where it says [masked] the original had one]"


def hits_text(result: dict[str, Any]) -> str:
    """Each hit with the arguments with which `retrieve` shows more of it."""
    hits = result["hits"]
    if not hits:
        return "Nothing that left this conversation has these words. Try fewer, or parts of a name."
    heading = (
        "This conversation has none of these words; another of this run has:\n\n" if result.get("elsewhere") else ""
    )
    return heading + "\n\n".join(
        f"{hit['rank']}. {hit['call']}\n"
        f"{hit['snippet']}\n"
        f'[retrieve handle="{hit["handle"]}" offset={hit["offset"]}; {hit["total"]:,} characters]'
        for hit in hits
    )


def page_text(result: dict[str, Any]) -> str:
    text: str = result["text"]
    if result.get("masked"):
        text += MASKED
    if result["offset"] == 0 and result["next"] is None:
        return text
    end = result["total"] if result["next"] is None else result["next"]
    goes_on = "" if result["next"] is None else f"; go on with offset {result['next']}"
    return f"{text}\n[characters {result['offset']} to {end} of {result['total']:,}{goes_on}]"


def notes_text(result: dict[str, Any]) -> str:
    return result["text"] or "The notes are empty."


def status_text(result: dict[str, Any]) -> str:
    """How full the window is, and what has been removed from the conversation so far."""
    lines = [f"zone: {result['zone']}"]
    for name, what in (("tokens", "tokens in use"), ("usableWindow", "tokens that fit"), ("epoch", "epoch")):
        if result.get(name) is not None:
            lines.append(f"{what}: {result[name]:,}")
    lines.append(f"pins: {result.get('pins', 0)}")
    lines += [str(note) for note in result.get("notes", ())]
    return "\n".join(lines)


NAME = "ctxmgr"

Query = Annotated[
    str, Field(description='Words, "a phrase", path:src/a.py, tool:bash; what was said: tool:user, tool:assistant')
]
Limit = Annotated[int, Field(description="Hits at most", ge=1, le=50)]
Handle = Annotated[str, Field(description="From a hit, or from a marker: `| retrieve f24p7u7i]`")]
Offset = Annotated[int, Field(description="First character to show", ge=0)]
Characters = Annotated[int, Field(description="Characters to show", ge=1)]
Path = Annotated[str | None, Field(description="A file, or a glob such as src/*.py")]
Tool = Annotated[str | None, Field(description="A tool's name: all its results")]
Off = Annotated[bool, Field(description="Take this pin off")]
Text = Annotated[str | None, Field(description="To add at the end, or what takes the place of `replace`")]
Replace = Annotated[str | None, Field(description="What is replaced; stands in the notes exactly once")]


def made(proxy: ProxyOfThisRun) -> MCPServer[Any]:
    """The server with its tools."""
    server: MCPServer[Any] = MCPServer(NAME, version=__version__)

    async def answer_text(method: str, params: dict[str, Any], shown: Callable[[dict[str, Any]], str]) -> str:
        try:
            return shown(await anyio.to_thread.run_sync(proxy.ask, method, params))
        except NotAnswered as refused:
            raise ToolError(str(refused)) from None

    async def search(query: Query, limit: Limit = 10) -> str:
        """Find what was taken out of this conversation to save space: earlier messages and tool output."""
        return await answer_text("search", {"query": query, "limit": limit}, hits_text)

    async def retrieve(handle: Handle, offset: Offset = 0, limit: Characters = 20_000) -> str:
        """Get back the original of something that was taken out of this conversation."""
        return await answer_text("retrieve", {"handle": handle, "offset": offset, "limit": limit}, page_text)

    async def pin(path: Path = None, tool: Tool = None, off: Off = False) -> str:
        """Keep everything about a file, or all results of a tool, unchanged in the conversation. Pin little."""
        confirmation = f"{'No longer pinned' if off else 'Pinned'}: {path or tool}"
        method = "unpin" if off else "pin"
        return await answer_text(method, {"path": path, "tool": tool}, lambda _: confirmation)

    async def scratchpad(text: Text = None, replace: Replace = None) -> str:
        """Your own notes, which stay in view when older messages are removed. Without arguments: read them."""
        if text is None and replace is None:
            return await answer_text("getScratchpad", {}, notes_text)
        edit = {"op": "insert", "text": text or ""}
        if replace is not None:
            edit = {"op": "str_replace", "oldText": replace, "newText": text or ""}
        return await answer_text("editScratchpad", {"operations": [edit]}, notes_text)

    async def context_status() -> str:
        """How full the context window is, and what is pinned."""
        return await answer_text("getStatus", {}, status_text)

    for tool in (search, retrieve, pin, scratchpad, context_status):
        server.tool(structured_output=False)(tool)
    return server


def run() -> int:
    """Serves until standard input ends."""
    made(ProxyOfThisRun()).run("stdio")
    return 0
