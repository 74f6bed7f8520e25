"""The error codes of the protocol, and the exception that carries one to the host.

A message says what is wrong and where. It never quotes the conversation.
"""

from typing import Any

from ctxmgr.model import CallError, InvalidParams

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNKNOWN_SESSION = -32001
NOT_INITIALIZED = -32002
CANCELLED = -32800
CONTENT_MODIFIED = -32801
REQUEST_FAILED = -32803

MEANINGS = {
    PARSE_ERROR: "The message is not valid JSON, or its framing is broken.",
    INVALID_REQUEST: "The message is not a JSON-RPC 2.0 request, comes at the wrong time, or is a batch.",
    METHOD_NOT_FOUND: "There is no such method.",
    INVALID_PARAMS: "The params are invalid. `data.path` is the JSON path of the error.",
    INTERNAL_ERROR: "A fault inside ctxmgr. The session is unchanged.",
    UNKNOWN_SESSION: "The session was not started with `session_start`, or it was shut down.",
    NOT_INITIALIZED: "`initialize` has not been answered yet.",
    CANCELLED: "The host cancelled this request.",
    CONTENT_MODIFIED: "`append` does not match what was sent before. Send the whole list.",
    REQUEST_FAILED: "The request is valid but cannot be carried out. The message says why.",
}


class RpcError(Exception):
    """An error answer."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def rpc_error(fault: BaseException | None) -> RpcError | None:
    """The error answer for an exception of a call. None for an internal fault, whose text must not leave the
    process."""
    if isinstance(fault, CallError):
        code = INVALID_PARAMS if isinstance(fault, InvalidParams) else REQUEST_FAILED
        return RpcError(code, fault.message, fault.data)
    return fault if isinstance(fault, RpcError) else None
