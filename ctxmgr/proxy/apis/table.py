"""The table of the shapes of requests that hold a list, by the path that they are posted to."""

from types import ModuleType

from ctxmgr.proxy.apis import anthropic, chat, gemini, responses

APIS: tuple[ModuleType, ...] = (anthropic, chat, responses, gemini)


def api_of(method: str, path: str) -> ModuleType | None:
    """The shape of what is posted to this path; a prefix, as gateways have one, may stand before it."""
    if method != "POST":
        return None
    return next((api for api in APIS if any(path == known or path.endswith(known) for known in api.PATHS)), None)
