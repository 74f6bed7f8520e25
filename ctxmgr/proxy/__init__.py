"""The proxy: an HTTP listener between a program and its provider, for programs that know nothing of ctxmgr.

It finds the list of messages in a request, asks ctxmgr for the list to send, and puts that in its place; all else
passes byte for byte, both ways. Knows the client and the formats' readers; never the engine, a session or a device.
Needs the extra `proxy`.
"""

from ctxmgr.proxy.account import BilledCall
from ctxmgr.proxy.listener import Proxy
from ctxmgr.proxy.settings import ProxySettings

__all__ = ["BilledCall", "Proxy", "ProxySettings"]
