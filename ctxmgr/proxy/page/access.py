"""Who is answered at `/ctxmgr/` and below it: who bears the token in the address that was printed, and nobody else.

1. Every path there wants the token, whatever the method, and whether there is anything. None is the provider's.
2. The page's address holds it. Who opens that is sent on to the address without it, and has a cookie from then on.
   The cookie's name has the proxy's port, since browsers keep cookies by host and not by port.
3. A program bears it as `Authorization: Bearer`. The tools of a program's model have a token of their own, which
   opens their path and no other: it stands in the program's environment, where the model can read it.
4. All others are told one sentence, always the same.
"""

import hmac
import secrets
from collections.abc import Iterator

from aiohttp import web
from aiohttp.typedefs import Handler

from ctxmgr.proxy.page.headers import NEVER_ELSEWHERE

ROOT = "/ctxmgr"
PAGE = f"{ROOT}/"
TOOLS_PATH = f"{ROOT}/tools"
TOKEN_BYTES = 32
SENTENCE = "Open the address that ctxmgr printed: it has the token that is needed here.\n"


class PageAccess:
    """Of one proxy. `tools_token` "": its program's model has no tools, and nobody is answered there."""

    def __init__(self, tools_token: str) -> None:
        self._page_token, self._tools_token = secrets.token_urlsafe(TOKEN_BYTES), tools_token

    @property
    def address(self) -> str:
        """Of the page, below the proxy's: for whoever started the proxy, and for no log."""
        return f"{PAGE}?token={self._page_token}"

    @web.middleware
    async def guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_ours(request.path):
            return await handler(request)
        is_page = request.path.rstrip("/") == ROOT and request.method in ("GET", "HEAD")
        if is_page and self._is_one(request.query.get("token", ""), self._page_token):
            return self._entered(request)
        wanted = self._tools_token if request.path == TOOLS_PATH else self._page_token
        if any(self._is_one(given, wanted) for given in _borne(request)):
            return await handler(request)
        refused = {**NEVER_ELSEWHERE, "WWW-Authenticate": "Bearer"}
        return web.Response(status=401, text=SENTENCE, headers=refused)

    def _entered(self, request: web.Request) -> web.Response:
        """Rule 2."""
        response = web.Response(status=303, headers={**NEVER_ELSEWHERE, "Location": PAGE})
        response.set_cookie(_cookie(request), self._page_token, path=ROOT, httponly=True, samesite="Strict")
        return response

    @staticmethod
    def _is_one(given: str, wanted: str) -> bool:
        """In a time that tells nothing of the token."""
        return bool(wanted) and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def is_ours(path: str) -> bool:
    """Of a decoded path: one that is spelled with escapes is the same."""
    return path == ROOT or path.startswith(PAGE)


def _borne(request: web.Request) -> Iterator[str]:
    yield request.headers.get("authorization", "").removeprefix("Bearer ")
    yield request.cookies.get(_cookie(request), "")


def _cookie(request: web.Request) -> str:
    here = request.transport.get_extra_info("sockname") if request.transport is not None else None
    return f"ctxmgr-{here[1] if here else 0}"
