"""The APIs of providers whose requests hold a list: one file and one object each, by the format of their messages.

Each knows what its requests, answers and errors look like.
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
"""By the name of their messages' format."""


def error_of(api: ProviderApi | None, kind: ErrorKind, text: str) -> bytes:
    """An error of the proxy's own. Where no API is asked for, it is in the shape of chat completions."""
    return msgspec.json.encode((api or APIS["openai"]).error(kind, f"ctxmgr: {text}"))


def api_of(method: str, path: str) -> ProviderApi | None:
    """The API that is posted to at this path; a prefix, as gateways have one, may stand before it."""
    if method != "POST":
        return None
    return next((api for api in APIS.values() if path.endswith(api.paths)), None)
