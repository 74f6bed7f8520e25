"""The tools that a program's model has: what each asks of the proxy, and what the model reads of the answer."""

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from ctxmgr.mcp_server.asking import PATH, TOKEN, URL, NotAnswered, ProxyOfThisRun
from ctxmgr.mcp_server.server import made

HIT = {"rank": 1, "call": 'read path="a.py"', "snippet": "the owl", "handle": "h1", "offset": 40, "total": 5_000}
PAGE = {"text": "the owl", "offset": 0, "next": None, "total": 7}
STATUS = {"zone": "yellow", "tokens": 12_000, "epoch": 3, "pins": 1, "notes": ["a note"]}
CALLS: list[tuple[str, dict[str, Any], str, dict[str, Any], Any, str]] = [
    ("search", {"query": "owl"}, "search", {"query": "owl", "limit": 10}, {"hits": [HIT]}, 'handle="h1" offset=40'),
    (
        "search", {"query": "x"}, "search", {"query": "x", "limit": 10}, {"hits": [HIT], "elsewhere": True},
        "another of this run has:\n\n1. read",
    ),
    ("retrieve", {"handle": "h1"}, "retrieve", {"handle": "h1", "offset": 0, "limit": 20_000}, PAGE, "the owl"),
    (
        "retrieve", {"handle": "h1"}, "retrieve", {"handle": "h1", "offset": 0, "limit": 20_000},
        {**PAGE, "text": "[masked]", "masked": True}, "secrets were masked when this was kept",
    ),
    ("pin", {"path": "a.py"}, "pin", {"path": "a.py"}, {}, "Pinned: a.py"),
    ("pin", {"tool": "Bash", "off": True}, "unpin", {"tool": "Bash"}, {}, "No longer pinned: Bash"),
    (
        "scratchpad", {"text": "a"}, "editScratchpad", {"operations": [{"op": "insert", "text": "a"}]},
        {"text": "a"}, "a",
    ),
    (
        "scratchpad", {"text": "b", "replace": "a"}, "editScratchpad",
        {"operations": [{"op": "str_replace", "oldText": "a", "newText": "b"}]}, {"text": "b"}, "b",
    ),
    ("context_status", {}, "getStatus", {}, STATUS, "zone: yellow"),
]  # fmt: skip


class Proxy(http.server.BaseHTTPRequestHandler):
    """Answers what the test wants, and remembers what it was asked."""

    asked: ClassVar[list[dict[str, Any]]] = []
    answer: ClassVar[tuple[int, bytes]] = (200, b"{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append({**body, "path": self.path, "token": self.headers["authorization"]})
        status, text = self.answer
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *said: object) -> None:
        """Nothing."""


@pytest.fixture
def proxy() -> Iterator[ProxyOfThisRun]:
    Proxy.asked.clear()
    server = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield ProxyOfThisRun({URL: f"http://127.0.0.1:{server.server_port}", TOKEN: "t"})
    server.shutdown()
    thread.join()
    server.server_close()


async def called(proxy: ProxyOfThisRun, tool: str, arguments: dict[str, Any]) -> str:
    found = await made(proxy).call_tool(tool, arguments)
    content = found.content if hasattr(found, "content") else found
    return "\n".join(part.text for part in content)  # type: ignore[union-attr]


@pytest.mark.parametrize(("tool", "arguments", "method", "params", "result", "text"), CALLS)
async def test_a_tool_asks_and_tells(
    proxy: ProxyOfThisRun, tool: str, arguments: Any, method: str, params: Any, result: Any, text: str
) -> None:
    Proxy.answer = 200, json.dumps({"result": result}).encode()
    assert text in await called(proxy, tool, arguments)
    assert Proxy.asked == [{"method": method, "params": params, "path": PATH, "token": "Bearer t"}]


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (400, b'{"error": "no such handle"}', "no such handle"),
        (500, b"?", "answered 500"),
        (200, b"?", "does not answer"),
    ],
)
async def test_what_is_refused_is_told_to_the_model(
    proxy: ProxyOfThisRun, status: int, body: bytes, text: str
) -> None:
    Proxy.answer = status, body
    with pytest.raises(ToolError, match=text):
        await called(proxy, "context_status", {})


async def test_the_tools_and_their_weight(proxy: ProxyOfThisRun) -> None:
    tools = await made(proxy).list_tools()
    assert [tool.name for tool in tools] == ["search", "retrieve", "pin", "scratchpad", "context_status"]
    assert all(tool.description for tool in tools)
    shown = [{"name": tool.name, "description": tool.description, "schema": tool.input_schema} for tool in tools]
    assert len(json.dumps(shown)) < 4_000, "they stand in every request: some 1,000 tokens and no more"


@pytest.mark.parametrize("environ", [{}, {URL: "http://127.0.0.1:1"}, {TOKEN: "t"}])
def test_without_address_and_token_there_is_no_server(environ: dict[str, str]) -> None:
    with pytest.raises(NotAnswered, match="ctxmgr run sets them"):
        ProxyOfThisRun(environ)


def test_a_proxy_that_is_gone_is_said() -> None:
    with pytest.raises(NotAnswered, match="does not answer now"):
        ProxyOfThisRun({URL: "http://127.0.0.1:9", TOKEN: "t"}).ask("getStatus", {})
