"""The proxy's own page: what its sessions are, what left them, and pin, pause and undo; and whether it lives."""

from ctxmgr.proxy.page.routes import PageRoutes
from ctxmgr.proxy.page.tools import ToolRoutes

__all__ = ["PageRoutes", "ToolRoutes"]
