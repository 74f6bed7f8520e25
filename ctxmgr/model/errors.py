"""The exceptions that calls of the library raise: who caused the error and where, without conversation text. And an
internal fault for people: its kind and the places in the code, but nothing of its text, which may contain what the
host sent (a key, a line): conversation never goes to stderr or into errors.

A front end maps the exceptions to its own protocol; JSON-RPC's codes are in `ctxmgr/wire/errors.py`.
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


PLACES = 6  # innermost first


def where(fault: BaseException) -> str:
    places = []
    trace = fault.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
        places.append(f"{name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"internal fault: {type(fault).__name__} at {' < '.join(reversed(places[-PLACES:]))}"


def cause(fault: BaseException) -> str:
    """The system's message or, without one, the kind of fault, for the end of a sentence."""
    words = fault.strerror if isinstance(fault, OSError) else None
    return words or type(fault).__name__
