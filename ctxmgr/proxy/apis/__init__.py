"""The APIs of providers whose requests contain a message list: one file and one object each, by message format.

Each knows the shape of its requests, answers and errors.
"""

from pkgutil import resolve_name

import msgspec

from ctxmgr.formats import ROWS
from ctxmgr.proxy.apis.provider_api import (
    BYTES_A_TOKEN,
    MARKED,
    CalledTool,
    ErrorKind,
    Kind,
    ListCall,
    ProviderApi,
    ToolCalls,
    WrittenAnswer,
)

__all__ = [
    "BYTES_A_TOKEN",
    "CalledTool",
    "ErrorKind",
    "Kind",
    "ListCall",
    "MARKED",
    "ProviderApi",
    "ToolCalls",
    "WrittenAnswer",
    "api_of",
    "error_of",
]

APIS: dict[str, ProviderApi] = {
    name: resolve_name(f"{__name__}.{row.api}")() for name, row in ROWS.items() if row.api
}
"""The APIs by the name of their message format."""


def error_of(api: ProviderApi | None, kind: ErrorKind, text: str) -> bytes:
    """An error of the proxy itself, in the API's shape, or in that of chat completions if `api` is None."""
    return msgspec.json.encode((api or APIS["openai"]).error(kind, f"ctxmgr: {text}"))


def api_of(method: str, path: str) -> ProviderApi | None:
    """The API of a request with this method and path. The path may have a prefix, as with gateways."""
    if method != "POST":
        return None
    return next((api for api in APIS.values() if path.endswith(api.paths)), None)
