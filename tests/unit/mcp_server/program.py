"""A small agent on a work tree: its list goes to a proxy, and what its model calls it does, by its own tools or by
those of `ctxmgr mcp`, which it starts as programs do."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from ctxmgr.mcp_server import TOKEN, URL

Json = dict[str, Any]
ROOT = str(Path(__file__).resolve().parents[3])
MCP = "mcp__ctxmgr__"  # before the tools of a server of this name
HEADERS = {
    "anthropic-version": "2023-06-01",
    "x-api-key": "sk-scripted",
    "X-Claude-Code-Session-Id": "s-1",
    "User-Agent": "claude-cli/2.1.330",
}
OWN = {
    "Bash": ["command"],
    "Read": ["file_path"],
    "Edit": ["file_path", "old_string", "new_string"],
}


def _tool(name: str, arguments: list[str]) -> Json:
    properties = {one: {"type": "string"} for one in arguments}
    return {"name": name, "input_schema": {"type": "object", "properties": properties}}


class SmallProgram:
    """`messages`: its whole conversation, in Anthropic's format."""

    def __init__(self, url: str, tree: Path, session: aiohttp.ClientSession, tools: Client) -> None:
        self._url, self._tree, self._session, self._client = url, tree, session, tools
        self._tools = [_tool(name, arguments) for name, arguments in OWN.items()]
        self.messages: list[Json] = []

    async def prompt(self, text: str) -> str:
        """The model's last words."""
        listed = (await self._client.list_tools()).tools
        theirs = [{"name": f"{MCP}{one.name}", "input_schema": one.input_schema} for one in listed]
        self.messages.append({"role": "user", "content": text})
        while True:
            body = {"model": "claude-sonnet-4-5", "max_tokens": 8_000, "messages": self.messages}
            async with self._session.post(
                f"{self._url}/v1/messages", json=body | {"tools": [*self._tools, *theirs]}, headers=HEADERS
            ) as answer:
                assert answer.status == 200, await answer.text()
                content = (await answer.json())["content"]
            self.messages.append({"role": "assistant", "content": content})
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                return str(content[-1]["text"])
            self.messages.append({"role": "user", "content": [await self._result(call) for call in calls]})

    async def _result(self, call: Json) -> Json:
        text = await self._done(call["name"], call["input"])
        content = [{"type": "text", "text": text or "(nothing)"}]
        return {"type": "tool_result", "tool_use_id": call["id"], "content": content}

    async def _done(self, name: str, given: Json) -> str:
        if name.startswith(MCP):
            found = await self._client.call_tool(name.removeprefix(MCP), given)
            return "\n".join(part.text for part in found.content if part.type == "text")
        if name == "Bash":
            return await self._ran(given["command"])
        return _edited(**given) if name == "Edit" else _text(given["file_path"])

    async def _ran(self, command: str) -> str:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec("sh", "-c", command, cwd=self._tree, stdout=pipe)
        out, _ = await process.communicate()
        return out.decode()


def _text(path: str) -> str:
    return Path(path).read_text("utf-8")


def _edited(file_path: str, old_string: str, new_string: str) -> str:
    path = Path(file_path)
    path.write_text(path.read_text("utf-8").replace(old_string, new_string), "utf-8")
    return "done"


@asynccontextmanager
async def small_program(url: str, token: str, tree: Path) -> AsyncIterator[SmallProgram]:
    """With an MCP server of its own, told of the proxy as `ctxmgr run` tells it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "ctxmgr", "mcp"],
        env={URL: url, TOKEN: token, "PYTHONPATH": ROOT},
    )
    async with aiohttp.ClientSession() as session, Client(server) as tools:
        yield SmallProgram(url, tree, session, tools)
