"""A model server by configuration: a question over HTTP, and what came of it. Decides nothing, and never raises for
what a server or a network does.
"""

from ctxmgr.devices.endpoint.endpoint import NO_ADDRESS, NOT_INSTALLED, Chat

__all__ = ["Chat", "NOT_INSTALLED", "NO_ADDRESS"]
