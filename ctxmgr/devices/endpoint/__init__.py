"""A model server by configuration: a question over HTTP, and what came of it. Decides nothing, and never raises for
what a server or a network does.
"""

from ctxmgr.devices.endpoint.apis import Answer, AnthropicAnswer, AnthropicApi, Api, ChatAnswer, ChatApi
from ctxmgr.devices.endpoint.endpoint import NO_ADDRESS, NOT_INSTALLED, Chat

__all__ = [
    "Answer",
    "AnthropicAnswer",
    "AnthropicApi",
    "Api",
    "Chat",
    "ChatAnswer",
    "ChatApi",
    "NOT_INSTALLED",
    "NO_ADDRESS",
]
