"""Decides which requests are answered: those of programs on this machine, not of other sites' pages in its browser;
and at `/ctxmgr/`, those with the proxy's token.

1. A request names its host once, as `host` or `host:port` and nothing more: a loopback address, or a configured
   name. A page of another site whose name was made to resolve to this machine sends that name instead.
2. A browser sends a page's origin with its requests, even those for images, and says whether they are cross-site:
   only the proxy's own page may call the proxy. All such headers are checked, for every method.

Requests to `/ctxmgr/` and below need the token of the printed address:

3. Every path there needs the token, whatever the method, and whether it exists or not. None is passed to the
   provider.
4. The page's address contains the token. Opening it redirects to the address without the token and sets a cookie.
   The cookie's name has the proxy's port, because browsers keep cookies by host and not by port. The address given
   to a browser that ctxmgr starts has a ticket instead, which is valid once: others can see a program's arguments.
5. A program sends the token as `Authorization: Bearer`. The tools of a program's model have their own token, which
   is valid only for their path: it is in the program's environment, where the model can read it.
6. Any other request gets the same fixed sentence.
"""

import hmac
import ipaddress
import re
import secrets
from collections.abc import Collection, Iterator

from aiohttp import web
from aiohttp.typedefs import Handler
from multidict import MultiMapping

NEVER_ELSEWHERE = {
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Headers of the page's answers: they are not stored or framed, and send no referrer to other sites."""


FOREIGN = ("cross-site", "same-site")  # "same-site" is another port of this machine
_HOST = re.compile(r"(?:\[([0-9a-f]*:[0-9a-f:.]*)\]|([0-9a-z_.-]+))(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


def refusal(headers: MultiMapping[str], names: Collection[str]) -> str:
    """Why a request with these headers is refused; "" if it may pass."""
    hosts = [host.lower() for host in headers.getall("host", [])]
    if len(hosts) != 1 or not is_local(hosts[0], names):
        return "this proxy answers to loopback addresses alone; --name adds a host name"
    own = {f"{scheme}://{hosts[0]}" for scheme in ("http", "https")}
    is_foreign = any(site.strip().lower() in FOREIGN for site in headers.getall("sec-fetch-site", []))
    if is_foreign or any(origin.lower() not in own for origin in headers.getall("origin", [])):
        return "no other site's page may call this proxy"
    return ""


def is_local(host: str, names: Collection[str]) -> bool:
    """Whether this `host` header, with or without a port, names this machine."""
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = (match[1] or match[2]).lower()
    if name == "localhost" or name in names:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


ROOT = "/ctxmgr"
PAGE = f"{ROOT}/"
TOOLS_PATH = f"{ROOT}/tools"
TOKEN_BYTES = 32
SENTENCE = "Open the address that ctxmgr printed: it has the token that is needed here.\n"


class PageAccess:
    """Access to one proxy's page and tools. `tools_token` "": the program's model has no tools, and no request for
    them is answered.
    """

    def __init__(self, tools_token: str) -> None:
        self._page_token, self._tools_token = secrets.token_urlsafe(TOKEN_BYTES), tools_token
        self._ticket = ""

    @property
    def address(self) -> str:
        """The path of the page, with the token: only for whoever started the proxy, never for a log."""
        return f"{PAGE}?token={self._page_token}"

    def once(self) -> str:
        """The path of the page, with a ticket that is valid once."""
        self._ticket = secrets.token_urlsafe(TOKEN_BYTES)
        return f"{PAGE}?once={self._ticket}"

    @web.middleware
    async def guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_ours(request.path):
            return await handler(request)
        is_page = request.path.rstrip("/") == ROOT and request.method in ("GET", "HEAD")
        if is_page and self._is_one(request.query.get("token", ""), self._page_token):
            return self._entered(request)
        if is_page and self._is_one(request.query.get("once", ""), self._ticket):
            self._ticket = ""
            return self._entered(request)
        wanted = self._tools_token if request.path == TOOLS_PATH else self._page_token
        if any(self._is_one(given, wanted) for given in _borne(request)):
            return await handler(request)
        refused = {**NEVER_ELSEWHERE, "WWW-Authenticate": "Bearer"}
        return web.Response(status=401, text=SENTENCE, headers=refused)

    def _entered(self, request: web.Request) -> web.Response:
        """Sets the cookie and redirects (rule 4)."""
        response = web.Response(status=303, headers={**NEVER_ELSEWHERE, "Location": PAGE})
        response.set_cookie(_cookie(request), self._page_token, path=ROOT, httponly=True, samesite="Strict")
        return response

    @staticmethod
    def _is_one(given: str, wanted: str) -> bool:
        """Compares tokens in constant time."""
        return bool(wanted) and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def is_ours(path: str) -> bool:
    """Whether a path belongs to the proxy. `path` is decoded, so escapes make no difference."""
    return path == ROOT or path.startswith(PAGE)


def _borne(request: web.Request) -> Iterator[str]:
    yield request.headers.get("authorization", "").removeprefix("Bearer ")
    yield request.cookies.get(_cookie(request), "")


def _cookie(request: web.Request) -> str:
    here = request.transport.get_extra_info("sockname") if request.transport is not None else None
    return f"ctxmgr-{here[1] if here else 0}"
