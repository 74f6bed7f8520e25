"""Who may speak to the proxy: programs on this machine, no web page in its browser.

1. A request names the host that it is for: an address of loopback, or a name that was told. A page of another site
   that has its name point here names that.
2. What a browser sends for a page bears that page's origin, and says whether it is of another site, be it an
   image that it loads: only the proxy's own page may call it.
"""

import ipaddress
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

FOREIGN = ("cross-site", "same-site")  # the latter: another port of this machine


def refusal(headers: Mapping[str, str], names: Collection[str]) -> str:
    """Why a request with these headers is refused; "" where it may pass."""
    host, origin = headers.get("host"), headers.get("origin")
    if host is None or not is_ours(host, names):
        return "this proxy answers to loopback addresses alone; --name adds a host name"
    if headers.get("sec-fetch-site") in FOREIGN or (origin is not None and _place(origin) != host):
        return "no other site's page may call this proxy"
    return ""


def _place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def is_ours(host: str, names: Collection[str]) -> bool:
    """Is this `host` header, with or without a port, one of ours?"""
    try:
        name = (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return False
    if name == "localhost" or name in names:
        return True
    return is_loopback(name)


def is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
