"""What the proxy answers itself: `/healthz`, the page, and what the page asks for.

    GET  /healthz                  {"status": "ok", "version", "engine": "ready" | ...}
    GET  /ctxmgr/                  the page
    GET  /ctxmgr/sessions          all sessions with their calls, newest used first
    GET  /ctxmgr/receipts?session= what left at each epoch
    POST /ctxmgr/actions           {"session", "method", "params"}: pin, unpin, undo, setPruning

All but `/healthz` want the proxy's token (`access`). The page's actions bear the header `x-ctxmgr-page` as well,
which no form of another site can send. Every path that is not below `/ctxmgr/` is the provider's.
"""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import msgspec
from aiohttp import web

from ctxmgr import __version__
from ctxmgr.client import SidecarFault
from ctxmgr.masking import values_without_secrets
from ctxmgr.model import InvalidParams
from ctxmgr.proxy.access import NEVER_ELSEWHERE, PAGE
from ctxmgr.proxy.account import Account, BilledCall
from ctxmgr.proxy.conversation import ProgramConversation
from ctxmgr.proxy.conversations import Conversations
from ctxmgr.proxy.settings import ProxySettings

PAGE_HEADER = "x-ctxmgr-page"
ACTIONS = ("pin", "unpin", "undo", "setPruning")


class PageRoutes:
    """Of one proxy. `engine`: the state of its sidecar."""

    def __init__(
        self, settings: ProxySettings, engine: Callable[[], str], conversations: Conversations, account: Account
    ) -> None:
        self._settings, self._engine = settings, engine
        self._conversations, self._account = conversations, account

    def add(self, app: web.Application) -> None:
        app.router.add_get("/healthz", self._health)
        app.router.add_get(PAGE, self._page)
        app.router.add_get("/ctxmgr/sessions", self._sessions)
        app.router.add_get("/ctxmgr/receipts", self._receipts)
        app.router.add_post("/ctxmgr/actions", self._action)

    async def _page(self, request: web.Request) -> web.Response:
        text = files(__package__).joinpath("page.html").read_text("utf-8")
        return web.Response(text=text, content_type="text/html", headers=NEVER_ELSEWHERE)

    async def _health(self, request: web.Request) -> web.Response:
        return as_json({"status": "ok", "version": __version__, "engine": self._engine()})

    async def _sessions(self, request: web.Request) -> web.Response:
        listed = sorted(self._conversations.all(), key=lambda conversation: -conversation.used_ms)
        return as_json(
            {
                "upstream": self._settings.upstream,
                "observe": self._settings.observe,
                "engine": self._engine(),
                "account": _sums(self._account, self._settings.observe),
                "sessions": [_session(conversation, self._settings.observe) for conversation in listed],
            }
        )

    async def _receipts(self, request: web.Request) -> web.Response:
        conversation = self._named(request.query.get("session", ""))
        if conversation is None:
            return as_json({"error": "there is no such session"}, 404)
        return await _answered(conversation, "explain", {})

    async def _action(self, request: web.Request) -> web.Response:
        if PAGE_HEADER not in request.headers:
            return as_json({"error": f"the header {PAGE_HEADER} is needed"}, 403)
        try:
            action = msgspec.json.decode(await request.read(), type=_Action)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            return as_json({"error": f"session, method and params are needed: {type(fault).__name__}"}, 400)
        conversation = self._named(action.session)
        if conversation is None:
            return as_json({"error": "there is no such session"}, 404)
        if action.method not in ACTIONS:
            return as_json({"error": f"method: one of {', '.join(ACTIONS)}"}, 400)
        if (
            action.params.get("sessionId", conversation.key) != conversation.key
        ):  # it would go before that of session
            return as_json({"error": "params.sessionId: only that of session may stand here"}, 400)
        answer = await _answered(conversation, action.method, action.params)
        if action.method == "setPruning" and answer.status == 200:
            conversation.is_paused = action.params.get("enabled") is False
        return answer

    def _named(self, key: str) -> ProgramConversation | None:
        return next((conversation for conversation in self._conversations.all() if conversation.key == key), None)


class _Action(msgspec.Struct, frozen=True):
    session: str
    method: str
    params: dict[str, Any] = {}


async def _answered(conversation: ProgramConversation, method: str, params: dict[str, Any]) -> web.Response:
    try:
        return as_json(await conversation.session.request(method, params))
    except (InvalidParams, SidecarFault) as fault:
        return refused(fault)


def _session(conversation: ProgramConversation, observe: bool) -> dict[str, Any]:
    return {
        "session": conversation.key,
        "program": conversation.speaker.program,
        "model": conversation.model,
        "isSubagent": conversation.speaker.is_subagent,
        "usedAt": round(conversation.used_ms),
        "isPaused": conversation.is_paused,
        "account": _sums(conversation.account, observe),
        "calls": list(conversation.account.rows),
    }


def _sums(account: Account, observe: bool) -> dict[str, Any]:
    return {
        "told": account.sentence(observe),
        "calls": account.calls,
        "rewrittenCalls": account.rewritten_calls,
        "sent": _bill(account.sent),
        "other": _bill(account.other),
        "refetched": {"originals": account.refetch_count, **_bill(account.refetched)},
    }


def _bill(bill: BilledCall) -> dict[str, Any]:
    return {"inputTokens": round(bill.input_tokens), "dollars": bill.dollars}


def refused(fault: InvalidParams | SidecarFault) -> web.Response:
    """Why the sidecar answered a request with an error, or could not answer it."""
    asked_wrong = isinstance(fault, InvalidParams) or fault.kind == "error"
    return as_json({"error": fault.message}, 400 if asked_wrong else 503)


def as_json(value: Any, status: int = 200) -> web.Response:
    """For people: without secrets."""
    return for_model(values_without_secrets(value), status)


def for_model(value: Any, status: int = 200) -> web.Response:
    """As it is: what a model asks for is what it gets."""
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", headers=NEVER_ELSEWHERE
    )
