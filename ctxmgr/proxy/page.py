"""What the proxy answers itself: `/healthz`, the page with its sessions and what was removed from them, the page's
actions (pin, pause, undo), and the tool calls of the program's model.

    GET  /healthz                  {"status": "ok", "version", "engine": "ready" | ...}
    GET  /ctxmgr/                  the page
    GET  /ctxmgr/sessions          all sessions with their calls, most recently used first
    GET  /ctxmgr/receipts?session= {"removed", "pins", "epochs"}: what is removed from the last list, what is
                                   pinned, what each epoch did; with `&epoch=` the list of what it removed
    POST /ctxmgr/actions           {"session", "method", "params"}: pin, unpin, undo, setPruning
    POST /ctxmgr/tools             {"method", "params"}: search, retrieve, pin, unpin, getScratchpad,
                                   editScratchpad, getStatus, for the session that the model is in

All except `/healthz` need the proxy's token (`access`). The page's actions also need the header `x-ctxmgr-page`,
which no form of another site can send. Every path that is not below `/ctxmgr/` is the provider's. For the tools:

1. A call needs the token of these tools (`access`), which is made for one run of a program and known only to it.
2. The session is that of the conversation whose newest reply contains this very call, by the tool's name and its
   arguments, because a sub-agent's list may have arrived since. Of several it is the newest, and each call counts
   once. If no reply contains it, it is the newest conversation that is not a sub-agent's.
3. A handle that is unknown there, and words that are not found there, are looked up in the proxy's other
   conversations, including sub-agents, and in no other session: a session in params is refused. Hits from elsewhere
   are marked.
"""

import contextlib
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import msgspec
from aiohttp import web

from ctxmgr import __version__
from ctxmgr.client import SidecarFault
from ctxmgr.masking import values_without_secrets
from ctxmgr.model import InvalidParams
from ctxmgr.proxy import caching
from ctxmgr.proxy.access import NEVER_ELSEWHERE, PAGE, TOOLS_PATH
from ctxmgr.proxy.account import Account, BilledCall
from ctxmgr.proxy.apis import CalledTool
from ctxmgr.proxy.conversation import ProgramConversation
from ctxmgr.proxy.conversations import Conversations
from ctxmgr.proxy.settings import ProxySettings

PAGE_HEADER = "x-ctxmgr-page"
ACTIONS = ("pin", "unpin", "undo", "setPruning")


class _ToolCall(msgspec.Struct, frozen=True):
    method: str
    params: dict[str, Any] = {}


class _Action(_ToolCall, frozen=True, kw_only=True):
    """An action of the page. `session`: the key of a conversation."""

    session: str


class PageRoutes:
    """The page's routes of one proxy. `engine`: returns the state of its sidecar."""

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
        observe = self._settings.observe
        caches = {} if observe else await self._conversations.quiet()
        await self._conversations.busts_counted()
        listed = sorted(self._conversations.all(), key=lambda conversation: -conversation.used_ms)
        sessions = [
            _session(conversation, self._settings) | self._cache(conversation, caches.get(conversation.key, {}))
            for conversation in listed
        ]
        return as_json(
            {
                "upstream": self._settings.upstream,
                "observe": observe,
                "engine": self._engine(),
                "account": _sums(self._account, observe),
                "sessions": sessions,
            }
        )

    def _cache(self, conversation: ProgramConversation, cache: dict[str, Any]) -> dict[str, Any]:
        """When the cache ends and what a call costs then, once the conversation is quiet; and what changed
        early.
        """
        busts = conversation.busts
        return {
            "cache": {
                "told": caching.ending(cache, self._conversations.now_ms()),
                "expiresAt": cache.get("expiresAt"),
                "coldCost": cache.get("coldCost"),
                "busts": msgspec.to_builtins(busts),
                "bustsTold": caching.busted(busts) if busts is not None else "",
            }
        }

    async def _receipts(self, request: web.Request) -> web.Response:
        conversation = self._named(request.query.get("session", ""))
        if conversation is None:
            return as_json({"error": "there is no such session"}, 404)
        epoch = request.query.get("epoch", "")
        if epoch and not epoch.isdecimal():
            return as_json({"error": "epoch: must be a number"}, 400)
        try:
            told = await conversation.session.request("explain", {"epoch": int(epoch)} if epoch else {})
        except (InvalidParams, SidecarFault) as fault:
            return refused(fault)
        removed = [one for one in told["verdicts"] if one["after"] < one["before"]]
        return as_json({"removed": removed, "pins": told["pins"], "epochs": told["epochs"]})

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
        if action.params.get("sessionId", conversation.key) != conversation.key:  # it would take precedence
            return as_json({"error": "params.sessionId: must be the same as session"}, 400)
        if action.method == "setPruning" and conversation.is_held_out:
            return as_json({"error": "this session is held out, so ctxmgr does not prune it"}, 400)
        answer = await _answered([conversation], action, as_json)
        conversation.outdated()
        if action.method == "setPruning" and answer.status == 200:
            conversation.trust.ended_rest()
            conversation.trust.is_paused = action.params.get("enabled") is False
        return answer

    def _named(self, key: str) -> ProgramConversation | None:
        return next((conversation for conversation in self._conversations.all() if conversation.key == key), None)


def _session(conversation: ProgramConversation, settings: ProxySettings) -> dict[str, Any]:
    return {
        "project": settings.project,
        "session": conversation.key,
        "program": conversation.speaker.program,
        "model": conversation.model,
        "isSubagent": conversation.speaker.is_subagent,
        "firstWords": conversation.first_words,
        "window": conversation.window_tokens or conversation.settings.window,
        "beganAt": round(conversation.began_ms),
        "usedAt": round(conversation.used_ms),
        "isPaused": conversation.is_paused,
        "isHeldOut": conversation.is_held_out,
        "account": _sums(conversation.account, settings.observe),
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
    """The response for an error of the sidecar, or for a sidecar that could not answer."""
    asked_wrong = isinstance(fault, InvalidParams) or fault.kind == "error"
    return as_json({"error": fault.message}, 400 if asked_wrong else 503)


def as_json(value: Any, status: int = 200) -> web.Response:
    """A response for people, without secrets."""
    return for_model(values_without_secrets(value), status)


def for_model(value: Any, status: int = 200) -> web.Response:
    """A response for the model, unfiltered: it gets what it asks for."""
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", headers=NEVER_ELSEWHERE
    )


TOOLS = {
    "search": "search",
    "retrieve": "retrieve",
    "pin": "pin",
    "unpin": "pin",
    "getScratchpad": "scratchpad",
    "editScratchpad": "scratchpad",
    "getStatus": "context_status",
}  # by the method that each calls
METHODS = tuple(TOOLS)
MOST_HITS = 10  # if params have no limit


class ToolRoutes:
    """The routes of the model's tools, of one proxy."""

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
        if "sessionId" in call.params:  # it would take precedence over that of the conversation
            return as_json({"error": "sessionId: leave it out, a tool uses the conversation that calls it"}, 400)
        listed = _by_right(self._conversations.all(), call)
        if not listed:
            return as_json({"error": "no conversation has started yet"}, 404)
        if call.method == "search":
            return await _search_answer(listed, call)
        among = listed if call.method == "retrieve" else listed[:1]
        return await _answered(among, call, lambda result: for_model({"result": result}))


def _by_right(conversations: list[ProgramConversation], call: _ToolCall) -> list[ProgramConversation]:
    """The conversations to ask, the call's own first (rule 2). Marks the call as made."""
    newest = sorted(conversations, key=lambda conversation: -conversation.used_ms)
    known = set(_values(call.params))
    for conversation in newest:
        for called in conversation.tool_calls:
            if _is_call(called, call.method, known):
                conversation.tool_calls.remove(called)
                return [conversation, *(other for other in newest if other is not conversation)]
    return sorted(newest, key=lambda conversation: conversation.speaker.is_subagent)


def _is_call(called: CalledTool, method: str, known: set[str]) -> bool:
    """Whether it has the tool's name, and only arguments with values in `known`. Programs put the server's name
    before a tool's.
    """
    tool = TOOLS[method]
    named = called.name == tool or called.name.endswith(f"__{tool}")
    return named and known.issuperset(_values(called.arguments))


def _values(of: Any) -> Iterator[str]:
    """The texts and numbers in a value."""
    if isinstance(of, dict | list):
        for inner in of.values() if isinstance(of, dict) else of:
            yield from _values(inner)
    elif isinstance(of, str | int | float) and not isinstance(of, bool):
        yield str(of)


async def _search_answer(among: list[ProgramConversation], call: _ToolCall) -> web.Response:
    """The hits in the first conversation; if it has none, those in the others, with a mark (rule 3)."""
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


async def _answered(
    among: list[ProgramConversation], call: _ToolCall, response: Callable[[Any], web.Response]
) -> web.Response:
    """The answer of the first conversation that has one; otherwise the error of the first."""
    faults: list[InvalidParams | SidecarFault] = []
    for conversation in among:
        try:
            return response(await conversation.session.request(call.method, call.params))
        except (InvalidParams, SidecarFault) as fault:
            faults.append(fault)
    return refused(faults[0])
