"""What the proxy answers to the tools of the program's model: calls of the session that the model is in.

    POST /ctxmgr/tools    {"method", "params"}: search, retrieve, pin, unpin, getScratchpad, editScratchpad,
    getStatus

1. Only who bears the token of these tools is answered (`access`). It is made for one run of a program and told to
   that alone.
2. The session is that of the conversation whose newest reply holds this very call, by the tool's name and its
   arguments: a sub-agent's list may have come since. Of several the newest, each call once. Where no reply shows
   it, the newest conversation that is no sub-agent's.
3. A handle that is unknown there, and words that are not found there, are looked for in the proxy's other
   conversations, sub-agents among them, and in no other session: one that params name is refused. Hits from
   elsewhere say so.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import msgspec
from aiohttp import web

from ctxmgr.client import SidecarFault
from ctxmgr.model import InvalidParams
from ctxmgr.proxy.access import TOOLS_PATH
from ctxmgr.proxy.apis import CalledTool
from ctxmgr.proxy.conversation import ProgramConversation
from ctxmgr.proxy.conversations import Conversations
from ctxmgr.proxy.page.routes import as_json, for_model, refused

TOOLS = {
    "search": "search",
    "retrieve": "retrieve",
    "pin": "pin",
    "unpin": "pin",
    "getScratchpad": "scratchpad",
    "editScratchpad": "scratchpad",
    "getStatus": "context_status",
}  # by the method that each asks for
METHODS = tuple(TOOLS)
MOST_HITS = 10  # where params name no limit


class ToolRoutes:
    """Of one proxy."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    def add(self, app: web.Application) -> None:
        app.router.add_post(TOOLS_PATH, self._called)

    async def _called(self, request: web.Request) -> web.Response:
        try:
            call = msgspec.json.decode(await request.read(), type=_ToolCall)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            return as_json({"error": f"method and params are needed: {type(fault).__name__}"}, 400)
        if call.method not in METHODS:
            return as_json({"error": f"method: one of {', '.join(METHODS)}"}, 400)
        if "sessionId" in call.params:  # it would go before that of the conversation
            return as_json({"error": "sessionId: these tools are of the conversation they are called in"}, 400)
        listed = _by_right(self._conversations.all(), call)
        if not listed:
            return as_json({"error": "no conversation has begun yet"}, 404)
        if call.method == "search":
            return await _search_answer(listed, call)
        return await _answered(listed if call.method == "retrieve" else listed[:1], call)


class _ToolCall(msgspec.Struct, frozen=True):
    method: str
    params: dict[str, Any] = {}


def _by_right(conversations: list[ProgramConversation], call: _ToolCall) -> list[ProgramConversation]:
    """Rule 2: that of the call first; the call is made then."""
    newest = sorted(conversations, key=lambda conversation: -conversation.used_ms)
    known = set(_values(call.params))
    for conversation in newest:
        for called in conversation.tool_calls:
            if _is_call(called, call.method, known):
                conversation.tool_calls.remove(called)
                return [conversation, *(other for other in newest if other is not conversation)]
    return sorted(newest, key=lambda conversation: conversation.speaker.is_subagent)


def _is_call(called: CalledTool, method: str, known: set[str]) -> bool:
    """Whether it has the tool's name, and no argument that is not among the `known` values. Programs put the
    server's name before a tool's."""
    tool = TOOLS[method]
    named = called.name == tool or called.name.endswith(f"__{tool}")
    return named and known.issuperset(_values(called.arguments))


def _values(of: Any) -> Iterator[str]:
    """The texts and numbers in it."""
    if isinstance(of, dict | list):
        for inner in of.values() if isinstance(of, dict) else of:
            yield from _values(inner)
    elif isinstance(of, str | int | float) and not isinstance(of, bool):
        yield str(of)


async def _search_answer(among: list[ProgramConversation], call: _ToolCall) -> web.Response:
    """Hits of the first; where it has none, those of the others, which is said (rule 3)."""
    first, *others = among
    try:
        result = await first.session.request(call.method, call.params)
    except (InvalidParams, SidecarFault) as fault:
        return refused(fault)
    if result["hits"]:
        return for_model({"result": result})
    elsewhere: list[dict[str, Any]] = []
    for conversation in others:
        with contextlib.suppress(InvalidParams, SidecarFault):
            elsewhere += (await conversation.session.request(call.method, call.params))["hits"]
    most = int(call.params.get("limit", MOST_HITS))  # JSON may have it as 2.0
    hits = [{**hit, "rank": rank} for rank, hit in enumerate(elsewhere[:most], 1)]
    return for_model({"result": {**result, "hits": hits, "elsewhere": bool(hits)}})


async def _answered(among: list[ProgramConversation], call: _ToolCall) -> web.Response:
    """By the first that knows the answer; else what the newest said."""
    first: web.Response | None = None
    for conversation in among:
        try:
            return for_model({"result": await conversation.session.request(call.method, call.params)})
        except (InvalidParams, SidecarFault) as fault:
            first = first or refused(fault)
    assert first is not None
    return first
