"""Who may speak to the proxy: programs on this machine, no web page in its browser.

1. A request names the host that it is for, once, as `host` or `host:port` and nothing more: an address of
   loopback, or a name that was told. A page of another site that has its name point here names that.
2. What a browser sends for a page bears that page's origin, and says whether it is of another site, be it an
   image that it loads: only the proxy's own page may call it. Every such header is looked at, whatever the method.
"""

import ipaddress
import re
from collections.abc import Collection

from multidict import MultiMapping

FOREIGN = ("cross-site", "same-site")  # the latter: another port of this machine
_HOST = re.compile(r"(?:\[([0-9a-f]*:[0-9a-f:.]*)\]|([0-9a-z_.-]+))(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


def refusal(headers: MultiMapping[str], names: Collection[str]) -> str:
    """Why a request with these headers is refused; "" where it may pass."""
    hosts = [host.lower() for host in headers.getall("host", [])]
    if len(hosts) != 1 or not is_ours(hosts[0], names):
        return "this proxy answers to loopback addresses alone; --name adds a host name"
    own = {f"{scheme}://{hosts[0]}" for scheme in ("http", "https")}
    is_foreign = any(site.strip().lower() in FOREIGN for site in headers.getall("sec-fetch-site", []))
    if is_foreign or any(origin.lower() not in own for origin in headers.getall("origin", [])):
        return "no other site's page may call this proxy"
    return ""


def is_ours(host: str, names: Collection[str]) -> bool:
    """Is this `host` header, with or without a port, one of ours?"""
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = (found[1] or found[2]).lower()
    if name == "localhost" or name in names:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
