"""The APIs that the provider speaks. A file an API, with an `Api` in it; `API` has them by path, and `GEMINI` is
the one whose path names a model."""

from tests.provider.apis.anthropic import Anthropic
from tests.provider.apis.api import Api, Caches
from tests.provider.apis.chat import Chat
from tests.provider.apis.gemini import Gemini, asked_at
from tests.provider.apis.responses import Responses

API: dict[str, Api] = {
    "/v1/messages": Anthropic(),
    "/v1/chat/completions": Chat(),
    "/v1/responses": Responses(),
}
GEMINI: Api = Gemini()
METHODS = ("generateContent", "streamGenerateContent", "countTokens")


def api_of(path: str) -> Api | None:
    if path.startswith("/v1beta/models/") and path.rpartition(":")[2] in METHODS:
        return GEMINI
    return API.get(path.removesuffix("/count_tokens"))


__all__ = ["API", "GEMINI", "Api", "Caches", "api_of", "asked_at"]
