"""The exceptions that calls of the library raise: who caused the error and where, without conversation text.

A front end maps them to its own protocol; JSON-RPC's codes are in `ctxmgr/wire/errors.py`.
"""

from typing import Any


class CallError(Exception):
    """A call that changed nothing. `message` is for people, `data` for programs."""

    def __init__(self, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message, self.data = message, data


class InvalidParams(CallError):
    """The caller's params are invalid. `data["path"]` is the JSON path below the params."""


class CallFailed(CallError):
    """The params are valid, but the call is not possible now. The message says why."""


def invalid_params(text: str, path: str) -> InvalidParams:
    """`path`: the JSON path of the error below the params, such as `$.policy.preset`."""
    return InvalidParams(f"invalid params at {path}: {text}", {"path": path})
