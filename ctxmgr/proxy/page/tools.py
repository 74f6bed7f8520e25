"""What the proxy answers to the tools of the program's model: calls of the session that the model is in.

    POST /ctxmgr/tools    {"method", "params"}: search, retrieve, pin, unpin, getScratchpad, editScratchpad,
    getStatus

1. Only who bears the token of this proxy is answered. It is made for one run of a program and told to that alone.
2. The session is that of the list that came last: it holds the call that is being made. What it has under no handle
   is looked for in the proxy's other conversations, sub-agents among them, and in no other session: one that params
   name is refused.
"""

import hmac
from typing import Any

import msgspec
from aiohttp import web

from ctxmgr.client import SidecarFault
from ctxmgr.model import InvalidParams
from ctxmgr.proxy.conversations import Conversations, ProgramConversation
from ctxmgr.proxy.page.routes import as_json, refused

PATH = "/ctxmgr/tools"
METHODS = ("search", "retrieve", "pin", "unpin", "getScratchpad", "editScratchpad", "getStatus")


class ToolRoutes:
    """Of one proxy. `token` "": its program's model has no tools, and nobody is answered."""

    def __init__(self, token: str, conversations: Conversations) -> None:
        self._token, self._conversations = token, conversations

    def add(self, app: web.Application) -> None:
        app.router.add_post(PATH, self._called)

    async def _called(self, request: web.Request) -> web.Response:
        if not self._is_borne(request.headers.get("authorization", "")):
            return as_json({"error": "the token of this run is needed"}, 403)
        try:
            asked = msgspec.json.decode(await request.read(), type=_Asked)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            return as_json({"error": f"method and params are needed: {type(fault).__name__}"}, 400)
        if asked.method not in METHODS:
            return as_json({"error": f"method: one of {', '.join(METHODS)}"}, 400)
        if "sessionId" in asked.params:  # it would go before that of the conversation
            return as_json({"error": "sessionId: these tools are of the conversation they are called in"}, 400)
        listed = sorted(self._conversations.all(), key=lambda one: -one.used_ms)
        if not listed:
            return as_json({"error": "no conversation has begun yet"}, 404)
        return await _answered(listed if asked.method == "retrieve" else listed[:1], asked)

    def _is_borne(self, header: str) -> bool:
        """Rule 1, in a time that tells nothing of the token."""
        given = header.removeprefix("Bearer ").encode("utf-8", "replace")
        return bool(self._token) and hmac.compare_digest(given, self._token.encode())


class _Asked(msgspec.Struct, frozen=True):
    method: str
    params: dict[str, Any] = {}


async def _answered(among: list[ProgramConversation], asked: _Asked) -> web.Response:
    """By the first that knows the answer; else what the newest said."""
    first: web.Response | None = None
    for conversation in among:
        try:
            return as_json({"result": await conversation.session.request(asked.method, asked.params)})
        except (InvalidParams, SidecarFault) as fault:
            first = first or refused(fault)
    assert first is not None
    return first
