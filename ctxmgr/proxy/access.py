"""Who is answered: programs on this machine, no web page in its browser; and at `/ctxmgr/` whoever bears its token.


1. A request names the host that it is for, once, as `host` or `host:port` and nothing more: an address of
   loopback, or a name that was told. A page of another site that has its name point here names that.
2. What a browser sends for a page bears that page's origin, and says whether it is of another site, be it an
   image that it loads: only the proxy's own page may call it. Every such header is looked at, whatever the method.

`/ctxmgr/` and below it answers who bears the token in the address that was printed, and nobody else:

3. Every path there wants the token, whatever the method, and whether there is anything. None is the provider's.
4. The page's address holds it. Who opens that is sent on to the address without it, and has a cookie from then on.
   The cookie's name has the proxy's port, since browsers keep cookies by host and not by port. An address for a
   browser that is started holds a ticket instead, which is taken once: others can see a program's arguments.
5. A program bears it as `Authorization: Bearer`. The tools of a program's model have a token of their own, which
   opens their path and no other: it stands in the program's environment, where the model can read it.
6. All others are told one sentence, always the same.
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
"""Headers of every answer of the page's: nothing of it is kept, framed, or told to another site."""


FOREIGN = ("cross-site", "same-site")  # the latter: another port of this machine
_HOST = re.compile(r"(?:\[([0-9a-f]*:[0-9a-f:.]*)\]|([0-9a-z_.-]+))(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


def refusal(headers: MultiMapping[str], names: Collection[str]) -> str:
    """Why a request with these headers is refused; "" where it may pass."""
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
    """Of one proxy. `tools_token` "": its program's model has no tools, and nobody is answered there."""

    def __init__(self, tools_token: str) -> None:
        self._page_token, self._tools_token = secrets.token_urlsafe(TOKEN_BYTES), tools_token
        self._ticket = ""

    @property
    def address(self) -> str:
        """Of the page, below the proxy's: for whoever started the proxy, and for no log."""
        return f"{PAGE}?token={self._page_token}"

    def once(self) -> str:
        """As `address`, with a ticket."""
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
        """Rule 4."""
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
