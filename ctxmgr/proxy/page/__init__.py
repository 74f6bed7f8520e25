"""The proxy's own page: what its sessions are, what left them, and pin, pause and undo; and whether it lives."""

from ctxmgr.proxy.page.routes import PageRoutes

__all__ = ["PageRoutes"]
