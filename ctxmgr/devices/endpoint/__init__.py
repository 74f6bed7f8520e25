"""A configured model server: sends a question over HTTP and returns the outcome. Makes no decisions, and never
raises for faults of a server or network.
"""

from ctxmgr.devices.endpoint.apis import Answer, AnthropicAnswer, AnthropicApi, Api, ChatAnswer, ChatApi
from ctxmgr.devices.endpoint.endpoint import NO_ADDRESS, Chat

__all__ = [
    "Answer",
    "AnthropicAnswer",
    "AnthropicApi",
    "Api",
    "Chat",
    "ChatAnswer",
    "ChatApi",
    "NO_ADDRESS",
]
