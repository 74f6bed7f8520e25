"""What a call of the library raises: whose fault it is and where, in words without conversation text.

A front maps these onto its own protocol; JSON-RPC's codes stand in `ctxmgr/wire/errors.py`.
"""

from typing import Any


class CallError(Exception):
    """A call that changed nothing. `message` is for people, `data` for programs."""

    def __init__(self, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message, self.data = message, data


class InvalidParams(CallError):
    """The caller's fault: its params do not fit. `data["path"]` is the JSON path below the params."""


class CallFailed(CallError):
    """The params are right, and it cannot be done now; the message says why."""


def invalid_params(text: str, path: str) -> InvalidParams:
    """`path` is the JSON path of the fault below the params, such as `$.policy.preset`."""
    return InvalidParams(f"invalid params at {path}: {text}", {"path": path})
