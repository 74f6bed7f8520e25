"""The APIs that the provider speaks. A file an API, with an `Api` in it; `API` has them by path."""

from tests.provider.apis.anthropic import Anthropic
from tests.provider.apis.api import Api, Caches
from tests.provider.apis.chat import Chat
from tests.provider.apis.responses import Responses

API: dict[str, Api] = {
    "/v1/messages": Anthropic(),
    "/v1/chat/completions": Chat(),
    "/v1/responses": Responses(),
}

__all__ = ["API", "Api", "Caches"]
