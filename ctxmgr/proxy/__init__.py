"""The proxy: an HTTP listener between a program and its provider, for programs that know nothing of ctxmgr.

It finds the message list in a request, asks ctxmgr for the list to send, and replaces the one with the other; all
else passes byte for byte, in both directions. It knows the client and the readers of formats, but never the engine,
a session or a device. Needs the extra `proxy`.
"""

from ctxmgr.proxy.account import BilledCall
from ctxmgr.proxy.listener import Proxy
from ctxmgr.proxy.settings import ProxySettings

__all__ = ["BilledCall", "Proxy", "ProxySettings"]
