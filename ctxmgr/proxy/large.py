"""What is large is read in a thread, once: the loop has other programs to serve.

Each step of a call asks something else of its messages, and 30 MB take a tenth of a second to read. While a call
with a large body is under way, what a function of a message's bytes gave is held, by the very object, so that the
loop finds what a thread has read. With the call it goes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

LARGE_BYTES = 1 << 20  # of a body
THREADS = 2  # that read: more bodies wait, and are not unpacked meanwhile

_held: ContextVar[dict[tuple[Any, ...], tuple[bytes, Any]] | None] = ContextVar("held", default=None)


@contextmanager
def holding() -> Iterator[None]:
    """Within, and in what runs by a copy of this context, each message is read once."""
    token = _held.set({})
    try:
        yield
    finally:
        _held.reset(token)


def read_once(read: Callable[P, R]) -> Callable[P, R]:
    """For a pure function whose last parameter is the message."""

    @wraps(read)
    def reader(*given: P.args, **named: P.kwargs) -> R:
        held, raw = _held.get(), given[-1]
        if held is None or not isinstance(raw, bytes):
            return read(*given, **named)
        key = (read, *given[:-1], id(raw))
        known = held.get(key)
        if known is None:
            known = held[key] = (raw, read(*given, **named))
        return known[1]

    return reader
